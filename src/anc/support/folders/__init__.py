"""Result folders: their kinds, exclusive use, and atomic replacement.

kinds   the kinds of results that anc saves in folders, and the files of each
claim   exclusive use of a folder for one command, and atomic replacement of the result in it
result  what every result does: convert to plain data, save itself, and start a later run
"""

from __future__ import annotations

from anc.support.folders.claim import FolderClaim, claimed, finish, save_whole
from anc.support.folders.kinds import (
    ADAPTATION,
    DIGITS,
    FILLING,
    KINDS,
    MNIST,
    OBJECTIVE,
    TABLE1,
    TRAINING,
    ResultKind,
)
from anc.support.folders.result import METHOD, Result, earlier_listing, earlier_result, write_result
