"""anc, the adaptive neural compiler.

>>> import anc
>>> listk = anc.load("listk")
>>> anc.run(listk, [3, 2, 2, 5, 4, 7, 5]).tape[2]
5
"""

import sys as _sys

from anc.isa import BITS, PAPER, WIDE, Instruction, InstructionSet
from anc.program import Line, Program
from anc.support import signals as _ending  # first: the command answers Ctrl-C while it starts, too
from anc.support.diagnostics import AncError, CompilerWarning
from anc.version import __version__

TYPE_CHECKING = False  # without `typing`
if TYPE_CHECKING:
    from anc.commands.adapt import adapt
    from anc.commands.calibrate import calibrate
    from anc.commands.compile import compile, harden, load, save, soften
    from anc.commands.decompile import decompile
    from anc.commands.examples import test
    from anc.commands.fill import fill
    from anc.commands.fmt import fmt
    from anc.commands.functions import function, hole, layer, record
    from anc.commands.objectives import score
    from anc.commands.pages import figure, report
    from anc.commands.play import play
    from anc.commands.proofs import guard, verify
    from anc.commands.run import run, trace
    from anc.commands.sweep import sweep
    from anc.commands.table1 import table1
    from anc.commands.tasks import sample
    from anc.commands.train import train
    from anc.python.layout import Size
    from anc_experiments.command import experiment


__all__ = [
    "BITS",
    "PAPER",
    "WIDE",
    "AncError",
    "CompilerWarning",
    "Instruction",
    "InstructionSet",
    "Line",
    "Program",
    "Size",
    "__version__",
    "adapt",
    "calibrate",
    "compile",
    "decompile",
    "experiment",
    "figure",
    "fill",
    "fmt",
    "function",
    "guard",
    "harden",
    "hole",
    "layer",
    "load",
    "play",
    "record",
    "report",
    "run",
    "sample",
    "save",
    "score",
    "soften",
    "sweep",
    "table1",
    "test",
    "trace",
    "train",
    "verify",
]


_MODULES = {  # where each function is, of whose own name is none of its modules
    "experiment": "anc_experiments.command",
    "figure": "pages",
    "function": "functions",
    "guard": "proofs",
    "harden": "compile",
    "hole": "functions",
    "layer": "functions",
    "load": "compile",
    "record": "functions",
    "report": "pages",
    "sample": "tasks",
    "save": "compile",
    "score": "objectives",
    "soften": "compile",
    "test": "examples",
    "trace": "run",
    "verify": "proofs",
    "Size": "anc.python.layout",
}


if not TYPE_CHECKING:  # these are loaded when somebody asks for one: the command needs none

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'anc' has no attribute {name!r}")
        from importlib import import_module

        place = _MODULES.get(name, name)
        place = place if "." in place else f"anc.commands.{place}"
        return globals().setdefault(name, getattr(import_module(place), name))

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


if "IPython" in _sys.modules:  # rich displays in notebooks
    from anc.pages.notebook import install as _install

    _install()
