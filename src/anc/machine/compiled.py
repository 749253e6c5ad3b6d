"""Compilation with numba, and the cache of machine code.

Machine code is cached on disk, in a separate folder for every state of the sources, because numba alone
would not notice a change in a called function. The folder is in ANC_CACHE_DIR if that is set, otherwise
in the package, otherwise in the user's cache.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import event

from anc.support.clock import STILL

_njit: Any = numba.njit
_config: Any = numba.config
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
LEAN: Any = _OPTIONS | {"_nrt": False}  # without numba's runtime, which counts references
_INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_PACKAGE = Path(__file__).parent.parent
_PREFIX = "anc-kernels-"
_OLD = 30 * 24 * 3600.0  # seconds after which the code of other sources is removed


class _Once(event.Listener):
    """Pauses the clocks during compilation, whose result is cached."""

    def on_start(self, event: Any) -> None:
        STILL.begin()

    def on_end(self, event: Any) -> None:
        STILL.end()


event.register("numba:compile", _Once())


def compiled(function: Callable[..., Any], options: dict[str, Any] = _OPTIONS) -> Any:
    """Compile a function, and cache its machine code on disk where possible."""
    folder = code_folder()
    if folder is None:
        return _njit(**options)(function)
    previous = _config.CACHE_DIR
    _config.CACHE_DIR = str(folder)
    try:
        return _njit(cache=True, **options)(function)
    except RuntimeError:  # the folder is not writable after all
        return _njit(**options)(function)
    finally:
        _config.CACHE_DIR = previous


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function that only compiled code calls; it needs no Python wrappers, which saves time."""
    return _njit(**_INNER, **_OPTIONS)(function)


def lean(function: Callable[..., Any]) -> Any:
    """Compile a function without reference counting of its array arguments.

    Counting would cost more than the work of a small function on records of arrays. Such a function
    cannot allocate arrays, not even by assigning to a slice: its caller passes the work space.
    """
    return compiled(function, LEAN)


def lean_inner(function: Callable[..., Any]) -> Any:
    """Compile a lean function that only compiled code calls."""
    return _njit(**_INNER, **LEAN)(function)


def one_of(functions: Sequence[Any]) -> Any:
    """A compiled function that calls the `which`-th of these: ``call(which, *arguments)``."""
    first = functions[0]
    if len(functions) == 1:

        def call(which, *arguments):
            return first(*arguments)

    else:
        others = one_of(functions[1:])

        def call(which, *arguments):
            if which == 0:
                return first(*arguments)
            return others(which - 1, *arguments)

    return lean_inner(_named(call, "_or_".join(each.__name__ for each in functions)))


def _named(function: Callable[..., Any], what: str) -> Callable[..., Any]:
    """Give the function a unique name.

    Machine code cached by several processes is linked by function names. Of two closures made in one
    place, which differ only in the functions that they call, one would replace the other.
    """
    function.__qualname__ = f"{function.__name__}_{what}"
    return function


@cache
def fingerprint() -> str:
    """A hash of all compiled sources."""
    sources = [
        path
        for path in sorted(_PACKAGE.rglob("*.py"))
        if "anc.machine.compiled" in path.read_text()
    ]
    digest = hashlib.sha256()
    for path in [*sources, *_PACKAGE.glob("training/fused/**/*.py"), _PACKAGE / "isa.py"]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def code_folder() -> Path | None:
    """The folder of the machine code; None if nothing is writable."""
    named = os.environ.get("ANC_CACHE_DIR") or os.environ.get("NUMBA_CACHE_DIR")
    places = [Path(named)] if named else [_PACKAGE / "__pycache__", Path.home() / ".cache" / "anc"]
    for place in places:
        folder = place / (_PREFIX + fingerprint())
        try:
            is_new = not folder.exists()
            folder.mkdir(parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK):
                continue
            if is_new:
                _forget_old(place)
            return folder
        except OSError:
            continue
    return None


def _forget_old(place: Path) -> None:
    for other in place.glob(_PREFIX + "*"):
        if time.time() - other.stat().st_mtime > _OLD:
            shutil.rmtree(other, ignore_errors=True)


def default_threads() -> int:
    """The number of threads that numba would use (NUMBA_NUM_THREADS)."""
    return int(_config.NUMBA_NUM_THREADS)
