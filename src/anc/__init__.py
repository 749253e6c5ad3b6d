"""anc, the adaptive neural compiler.

>>> import anc
>>> listk = anc.load("listk")
>>> anc.run(listk, [3, 2, 2, 5, 4, 7, 5]).tape[2]
5
"""

import sys as _sys

from anc.api import adapt, compile, harden, load, run, save, soften, train
from anc.diagnostics import AncError
from anc.program import Line, Program
from anc.version import __version__

if "IPython" in _sys.modules:  # rich displays in notebooks
    from anc.report.notebook import install as _install

    _install()

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
