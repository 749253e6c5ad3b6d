"""What else makes a function of Python faster: numba, mypyc, and a cache of its answers.

Each gets lists as what suits it, made before anything is measured: numba arrays, the cache tuples.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np

from anc.python.originals import original_text

Call = tuple[Any, ...]
Measured = tuple[Callable[..., Any], Sequence[Call]]


def compiled_by_mypyc(functions: Iterable[Any], folder: Path) -> ModuleType:
    """A module with the original text of all functions, compiled."""
    texts = [original_text(function, function.name) for function in functions]
    (folder / "natively.py").write_text("\n\n".join(texts))
    command = [sys.executable, "-m", "mypyc", "natively.py"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (binary,) = folder.glob("natively.*.so")
    spec = importlib.util.spec_from_file_location("natively", binary)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rivals(function: Any, natively: ModuleType, calls: Sequence[Call]) -> dict[str, Measured]:
    """Each with the calls that it gets; all that is compiled or remembered at the first call is there."""
    found: dict[str, Measured] = {
        "numba": (numba.njit(function.python), _with_lists(np.array, calls)),
        "mypyc": (getattr(natively, function.name), calls),
        "lru_cache": (lru_cache(maxsize=None)(function.python), _with_lists(tuple, calls)),
    }
    for call, given in found.values():
        for arguments in given:
            call(*arguments)
    return found


def _with_lists(kind: Callable[[list[int]], Any], calls: Sequence[Call]) -> list[Call]:
    return [tuple(kind(a) if isinstance(a, list) else a for a in arguments) for arguments in calls]
