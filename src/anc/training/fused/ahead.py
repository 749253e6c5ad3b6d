"""The kernels of one size of machine, compiled by a process of its own while this one does other work.

They are kept on disk as all machine code is, so that this process finds them there. That takes about ten
seconds, once for each size.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from anc.data.tasks.cases import Case
from anc.machine.cases import Cases
from anc.machine.compiled import code_folder
from anc.machine.weights import Weights, parameter_count
from anc.support.processes import Boss, Process
from anc.training.fused.engine import evaluate, gradient
from anc.training.interface import Objective

_DTYPE = "float32"


def _mark(M: int, R: int) -> Path | None:
    """The file that says that there is machine code for a size; None where none is kept."""
    folder = code_folder()
    return None if folder is None else folder / f"fused-{M}-{R}-{_DTYPE}"


@contextmanager
def compiling(M: int, R: int) -> Iterator[subprocess.Popen[bytes] | None]:
    """A process that compiles the kernels; None if they are there, or could not be kept.

    It ends when this does, whether or not it is done.
    """
    mark = _mark(M, R)
    if mark is None or mark.exists():
        yield None
        return
    process = Process(compiled, lambda message: None)
    process.send((M, R))
    process.leave()
    try:
        yield process.popen
    finally:
        process.end()


def compiled(size: tuple[int, int], boss: Boss) -> None:
    """Compile what is trained with for a size."""
    M, R = size
    weights = Weights.of_flat(np.zeros((1, parameter_count(M, R)), np.float32), M, R)
    one = Cases.of([Case((0,) * M, (0,) * M, (True,) * M)])
    gradient(weights, one, Objective(2), dtype=_DTYPE)
    evaluate(weights, one, 2, dtype=_DTYPE)
    mark = _mark(M, R)
    if mark is not None:
        mark.touch()
