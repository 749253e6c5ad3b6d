"""Exclusive use of a result folder for one command, and atomic replacement of the result in it.

A new result replaces an older one completely, or not at all. Its files are written into a subfolder,
`.anc-new`. When all are safely on disk, the subfolder is renamed to `.anc-whole`: from then on the new
result is valid. Then the older files are removed, its marker file first, and the new ones are moved to
their places, the marker file last. A crash before the renaming leaves the older result as it was. After
a crash later on, `finish` completes the replacement when the folder is used again.

The folder itself is never replaced: it may be a working directory, or the target of a link.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from anc.support.diagnostics import AncError
from anc.support.files import cannot_write
from anc.support.folders.kinds import ResultKind, kinds_in
from anc.support.locks import try_lock
from anc.support.signals import tidied

NEW, WHOLE = ".anc-new", ".anc-whole"
_PLAN = ".plan"  # in the subfolder: the files to remove, and the marker file
LOCK = ".anc-lock"  # in the folder while it is in use, with the process id
_SHOWN = 3  # file names shown
_LONG = 120  # characters of a command shown
_OTHER = "choose another folder with -o"


class FolderClaim:
    """A folder that this process owns for a while."""

    def __init__(self, path: Path, kind: ResultKind) -> None:
        self.path, self.kind = path, kind

    def keep(self, write: Callable[[Path], Any], files: Iterable[str] | None = None) -> None:
        """Write a result and replace the older one with it.

        `write` is given an empty folder. With `files` only these are replaced, and there is no marker
        file.
        """
        older = self._older() if files is None else files
        mark = self.kind.mark if files is None else None
        for name in replace(self.path, write, older, mark):
            assert self.kind.has(name), f"{self.kind.words} has no file {name}"

    def _older(self) -> set[str]:
        """The files of all results in the folder."""
        there = kinds_in(self.path)
        return {name for kind in there for name in kind.found(self.path, self.kind)}


@contextmanager
def claimed(
    path: Path, kind: ResultKind, force: bool = False, resumes: bool = False
) -> Iterator[FolderClaim]:
    """Claim a folder for a result of this kind; refuse it, with advice, if that cannot work.

    The folder must be writable, not in use, and empty or with a result that may be replaced; `force`
    allows any contents. With `resumes`, an existing result of this kind is continued.
    """
    made = _make(path)
    lock = _Lock(path)

    def release() -> None:
        discard(path)
        lock.release()
        for folder in made:  # empty ones only: no result was saved
            with suppress(OSError):
                folder.rmdir()

    with tidied(release):
        try:
            lock.take()
            with _as_our_error(path):
                finish(path)
            if not (force or resumes):
                _check(path, kind)
            yield FolderClaim(path, kind)
        finally:
            release()


def save_whole(
    write: Callable[[Path], Any], folder: Path | str, kind: ResultKind, force: bool = False
) -> None:
    """Save a result in a folder atomically; `write` writes its files into a folder."""
    with claimed(Path(folder), kind, force) as claim:
        claim.keep(write)


def _make(path: Path) -> list[Path]:
    """Make a folder and its parents; the new ones, innermost first."""
    with _as_our_error(path):
        if path.exists() and not path.is_dir():
            raise AncError(f"{path} is not a folder", help=_OTHER)
        if path.is_symlink() and not path.exists():
            raise AncError(
                f"{path} is a link to {os.readlink(path)}, which does not exist", help=_OTHER
            )
        new = [folder for folder in (path, *path.parents) if not folder.exists()]
        path.mkdir(parents=True, exist_ok=True)
    return new


def _check(path: Path, kind: ResultKind) -> None:
    """Refuse a folder that holds something else."""
    with _as_our_error(path):
        there = kinds_in(path)
        names = sorted(entry.name for entry in path.iterdir() if not entry.name.startswith("."))
    for other in there:
        if other is not kind:
            raise AncError(
                f"{path} holds {other.words}; the new result is {kind.words}",
                help=f"{_OTHER}, or replace what is there with --force",
            )
        if not kind.is_replaced:
            raise AncError(
                f"{path} already holds {kind.words}",
                help=f"resume it with --resume, {_OTHER}, or replace it with --force",
            )
    if names and not there and not kind.is_begun(names):
        more = len(names) - _SHOWN
        listed = ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
        raise AncError(
            f"{path} is not an empty folder, and holds no result of anc: {listed}",
            help=f"{_OTHER}, or add the result to it with --force (files with other names stay)",
        )


class _Lock:
    """A file in the folder that is locked while the folder is in use."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / LOCK
        self.handle: int | None = None

    def take(self) -> None:
        with _as_our_error(self.folder):
            while not self._try():
                pass

    def _try(self) -> bool:
        """Take the lock; False if its previous owner removed the file in the meantime."""
        handle = os.open(self.path, os.O_CREAT | os.O_RDWR, 0o644)
        try:
            if not try_lock(handle):
                raise AncError(
                    f"{self.folder} is in use by {_holder(handle)}",
                    help=f"wait until it has ended, or {_OTHER}",
                )
        except AncError:
            os.close(handle)
            raise
        if not self._is_current(handle):
            os.close(handle)
            return False
        self.handle = handle
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, f"{os.getpid()} {_command()}\n".encode(errors="replace"))
        return True

    def _is_current(self, handle: int) -> bool:
        try:
            return os.path.samestat(os.fstat(handle), os.stat(self.path))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        handle, self.handle = self.handle, None
        if handle is not None:
            with suppress(OSError):  # while it is locked, so that only our own file is removed
                if self._is_current(handle):
                    self.path.unlink()
            with suppress(OSError):
                os.close(handle)


def _command() -> str:
    """The command line of this process, for people."""
    name = Path(sys.argv[0]).name
    words = ["anc" if name in ("main.py", "__main__.py") else name, *sys.argv[1:]]
    return "".join(c if c.isprintable() else "?" for c in " ".join(words))[:_LONG]


def _holder(handle: int) -> str:
    """The owner of a lock, as the file says."""
    os.lseek(handle, 0, os.SEEK_SET)
    line = os.read(handle, 10 * _LONG).decode(errors="replace").partition("\n")[0]
    number, _, command = line.partition(" ")
    return f"process {number} ({command})" if number.isdigit() else "another process"


@contextmanager
def _as_our_error(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise cannot_write(path, problem) from None


def replace(
    folder: Path, write: Callable[[Path], Any], older: Iterable[str], mark: str | None
) -> list[str]:
    """Write the files of a result and replace those of an older one; the new names."""
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
    except AncError as problem:  # about a file that will be moved to the folder
        message = problem.message.replace(f"{new}{os.sep}", f"{folder}{os.sep}")
        raise AncError(message, problem.help) from None
    finally:
        discard(folder)
    return names


def finish(folder: Path) -> None:
    """Complete the replacement of a result, if one is pending."""
    whole = folder / WHOLE
    if not whole.is_dir():
        return
    with suppress(FileNotFoundError):  # all is done but for removing the subfolder
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
    """Remove a result that was not written completely."""
    shutil.rmtree(folder / NEW, ignore_errors=True)


def _remove(folder: Path, name: str) -> None:
    """Remove a file, and its subfolder if that is then empty."""
    path = folder / name
    path.unlink(missing_ok=True)
    if path.parent != folder:
        with suppress(OSError):
            path.parent.rmdir()


def _sync(path: Path) -> None:
    """Flush to disk; folders only where the system supports it."""
    handle = os.open(path, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)
