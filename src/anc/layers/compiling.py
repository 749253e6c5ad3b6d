"""First calls, for which JAX compiles: said if that takes long, and kept on disk for other processes.

Only what is called from outside of JAX's transformations is looked at; inside a user's own `jit`, JAX
compiles for the user, as the user has set it up.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import jax
from jax.experimental.compilation_cache import compilation_cache

from anc.machine.compiled import code_folder

T = TypeVar("T")
_config: Any = jax.config
PATIENCE = 1.0  # seconds, after which somebody wonders
log = logging.getLogger("anc")
_said: list[str] = []


def first_of(seen: set[Hashable], key: Hashable, call: Callable[[], T]) -> T:
    """What a call gives; the first one with a key is the one that compiles."""
    if key in seen:
        return call()
    with _kept_on_disk() as folder, _said_if_it_takes_long(folder):
        found = call()
    seen.add(key)
    return found


@contextmanager
def _kept_on_disk() -> Iterator[str]:
    """JAX keeps what it compiles here where anc keeps its machine code, unless a user says otherwise.

    JAX has one such folder for a whole process, and takes it for good when it first needs it. So it
    is set for this call only, and forgotten again: nobody else's code is kept there.
    """
    theirs, folder = _config.jax_compilation_cache_dir, code_folder()
    if theirs is not None or folder is None or not _config.jax_enable_compilation_cache:
        yield theirs or ""
        return
    ours = str(folder / "jax")
    _config.update("jax_compilation_cache_dir", ours)
    compilation_cache.reset_cache()
    try:
        yield ours
    finally:
        if _config.jax_compilation_cache_dir == ours:
            _config.update("jax_compilation_cache_dir", None)
            compilation_cache.reset_cache()


@contextmanager
def _said_if_it_takes_long(folder: str) -> Iterator[None]:
    """Once in a process: on standard error if somebody may be waiting there, else only to the log.

    A warning would claim that something is wrong, and a log alone shows nothing by default.
    """
    timer = threading.Timer(PATIENCE, _say, [folder])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _say(folder: str) -> None:
    kept = f"; it is kept for other runs in {folder}" if folder else ""
    text = f"anc: JAX compiles a layer, once for each shape of its inputs{kept}"
    if not _said:
        _said.append(text)
        log.info(text)
        if is_interactive():
            print(text, file=sys.stderr, flush=True)


def is_interactive() -> bool:
    """Whether a person may be reading standard error: at a terminal, a prompt or in a notebook."""
    return sys.stderr.isatty() or hasattr(sys, "ps1") or "ipykernel" in sys.modules
