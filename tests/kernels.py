"""Compile the machine code that many tests share, before they begin.

Each of the processes that run tests would compile it all; here it is compiled once, beside the linters, and
kept on disk.
"""

from anc import search
from anc.adaptation.holes.fill import fill
from anc.adaptation.holes.reading import sketch_of
from anc.data.loading import compiled
from anc.data.programs import source
from anc.data.tasks import Case
from anc.language import Source
from anc.machine.encoded import Cases
from anc.machine.weights import soften, stack
from anc.training import fused
from anc.training.interface import TrainingObjective

SKETCH = "memory 8\nvar x = READ(0)\nx = ? in (INC, DEC)(x)\nWRITE(0, x)\nSTOP()\n"


def main() -> None:
    search.prepare()
    cases = [Case((n,) + (0,) * 7, (n + 1,) + (0,) * 7, (True,) * 8) for n in range(5)]
    fill("small", sketch_of(Source(SKETCH)), cases, method="search")
    for name in ("listk", "access"):  # as large as many tests are
        program = compiled(source(name)).program
        M = program.memory
        weights = stack([soften(program)])
        one = Cases.of([Case((0,) * M, (0,) * M, (True,) * M)])
        fused.gradient(weights, one, TrainingObjective(2))
        fused.evaluate(weights, one, 2)


if __name__ == "__main__":
    main()
