"""The first call of a layer, in which JAX compiles.

The user is told if that takes long, and the code is cached on disk for other processes. This concerns only
calls from outside of JAX's transformations: inside a user's own `jit`, JAX follows the user's settings.
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
PATIENCE = 1.0  # seconds until a slow compilation is reported
log = logging.getLogger("anc")
_said: list[str] = []


def first_of(seen: set[Hashable], key: Hashable, call: Callable[[], T]) -> T:
    """The result of a call; the first call with a key compiles."""
    if key in seen:
        return call()
    with _kept_on_disk() as folder, _said_if_it_takes_long(folder):
        found = call()
    seen.add(key)
    return found


@contextmanager
def _kept_on_disk() -> Iterator[str]:
    """Let JAX cache its code next to anc's machine code, unless the user has configured a cache.

    JAX has one cache folder per process, and fixes it at the first use. It is therefore set for this
    call only and reset afterwards, so that no other code is cached there.
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
    """Report a slow compilation once per process: on standard error if a person may be watching, and to the log.

    A warning would suggest that something is wrong, and a log alone shows nothing by default.
    """
    timer = threading.Timer(PATIENCE, _say, [folder])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _say(folder: str) -> None:
    kept = f"; it is cached for later runs in {folder}" if folder else ""
    text = f"anc: JAX compiles a layer, once for each shape of its inputs{kept}"
    if not _said:
        _said.append(text)
        log.info(text)
        if is_interactive():
            print(text, file=sys.stderr, flush=True)


def is_interactive() -> bool:
    """Whether a person may be watching standard error: a terminal, a prompt or a notebook."""
    return sys.stderr.isatty() or hasattr(sys, "ps1") or "ipykernel" in sys.modules
