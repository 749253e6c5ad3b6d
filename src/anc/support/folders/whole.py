"""A result that takes the place of an older one in a folder: all of it, or nothing.

The new files are written into a folder inside, `.anc-new`. When all are there and safe on the disk it
is renamed to `.anc-whole`: from that moment on the new result holds. Then the older one goes, its mark
first, and the new files move to their places, the mark last. A crash before the renaming leaves the
older result as it was; after it, `finish` does the rest when the folder is used again.

The folder itself stays the same one: it may be somebody's working directory, or a link leads to it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from anc.support.diagnostics import AncError
from anc.support.files import cannot_write

NEW, WHOLE = ".anc-new", ".anc-whole"
_PLAN = ".plan"  # in it: what goes, and the mark


def replace(
    folder: Path, write: Callable[[Path], Any], older: Iterable[str], mark: str | None
) -> list[str]:
    """Have files written, and put them where those of an older result are; their names."""
    new = folder / NEW
    try:
        discard(folder)
        new.mkdir(parents=True)
        write(new)
        names = sorted(path.name for path in new.iterdir())
        plan = {"gone": sorted(set(older).difference(names)), "mark": mark}
        (new / _PLAN).write_text(json.dumps(plan))
        _sync(new / _PLAN)
        _sync(new)
        new.rename(folder / WHOLE)
        _sync(folder)
        finish(folder)
    except OSError as problem:
        raise cannot_write(folder, problem) from None
    except AncError as problem:  # of a file that will have its place in the folder
        message = problem.message.replace(f"{new}{os.sep}", f"{folder}{os.sep}")
        raise AncError(message, problem.help) from None
    finally:
        discard(folder)
    return names


def finish(folder: Path) -> None:
    """Put a whole result to its place, where that was not done or not finished."""
    whole = folder / WHOLE
    if not whole.is_dir():
        return
    with suppress(FileNotFoundError):  # then all is done but for the folder itself
        plan = json.loads((whole / _PLAN).read_text())
        mark = plan["mark"]
        if mark is not None and (whole / mark).exists():
            (folder / mark).unlink(missing_ok=True)
        for name in plan["gone"]:
            _remove(folder, name)
        others = {path.name for path in whole.iterdir()} - {_PLAN}
        for name in sorted(others, key=lambda name: (name == mark, name)):
            (whole / name).replace(folder / name)
        _sync(folder)
        (whole / _PLAN).unlink()
    whole.rmdir()


def discard(folder: Path) -> None:
    """Forget a result that was not written to its end."""
    shutil.rmtree(folder / NEW, ignore_errors=True)


def _remove(folder: Path, name: str) -> None:
    """Remove a file, and the folder of its own that is empty then."""
    path = folder / name
    path.unlink(missing_ok=True)
    if path.parent != folder:
        with suppress(OSError):
            path.parent.rmdir()


def _sync(path: Path) -> None:
    """What was written there is on the disk when this returns; folders only where a system can."""
    handle = os.open(path, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)
