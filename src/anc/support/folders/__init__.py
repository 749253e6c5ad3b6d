"""Folders of results: what is in one, who may write there, and how a result gets there whole.

kinds   the kinds of result that anc keeps in folders, and the files of each
claim   a folder taken for the time of a command, and a result that takes its place there as a whole
result  what every result can do: be told as plain data, be kept, and be begun with once more
"""

from __future__ import annotations

from anc.support.folders.claim import Claim, claimed, finish, save_whole
from anc.support.folders.kinds import (
    ADAPTATION,
    DIGITS,
    FILLING,
    KINDS,
    OBJECTIVE,
    TABLE1,
    TRAINING,
    Kind,
)
from anc.support.folders.result import METHOD, Result, earlier_result, write_result
