"""anc, the adaptive neural compiler.

>>> import anc
>>> listk = anc.load("listk")
>>> anc.run(listk, [3, 2, 2, 5, 4, 7, 5]).tape[2]
5
"""

from anc.api import adapt, compile, harden, load, run, save, soften, train
from anc.diagnostics import AncError
from anc.program import Line, Program
from anc.version import __version__

__all__ = [
    "AncError",
    "Line",
    "Program",
    "__version__",
    "adapt",
    "compile",
    "harden",
    "load",
    "run",
    "save",
    "soften",
    "train",
]
