"""How functions are compiled: inner ones for compiled callers only, entry points with a cache on disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numba

_njit: Any = numba.njit
_config: Any = numba.config
_OPTIONS = {"nogil": True, "error_model": "numpy"}


def inner(function: Callable[..., Any]) -> Any:
    """Compile a function that only compiled code calls: no wrappers for Python, which saves compile time."""
    return _njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)(function)


def entry_point(function: Callable[..., Any]) -> Any:
    """Compile with numba's disk cache, in ANC_CACHE_DIR if set; without it where nothing can be written."""
    previous = _config.CACHE_DIR
    _config.CACHE_DIR = os.environ.get("ANC_CACHE_DIR") or previous
    try:
        return _njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # no writable place for the cache
        return _njit(**_OPTIONS)(function)
    finally:
        _config.CACHE_DIR = previous


def default_threads() -> int:
    """As many threads as numba would use (NUMBA_NUM_THREADS)."""
    return int(_config.NUMBA_NUM_THREADS)
