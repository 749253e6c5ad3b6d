"""Folders of results: what is in one, who may write there, and how a result gets there whole.

kinds   the kinds of result that anc keeps in folders, and the files of each
claim   a folder taken for the time of a command: checked before any work, and nobody else's meanwhile
earlier a kept result that a command starts from: a warm start
result  what every result can do: be told as plain data, and be kept
whole   a result that takes the place of an older one, all of it or nothing
"""

from __future__ import annotations

from anc.folders.claim import Claim, claimed, save_whole
from anc.folders.earlier import METHOD, earlier_result
from anc.folders.kinds import (
    ADAPTATION,
    DIGITS,
    FILLING,
    KINDS,
    OBJECTIVE,
    TABLE1,
    TRAINING,
    Kind,
)
from anc.folders.result import Result, write_result
from anc.folders.whole import finish
