"""Scores that programs compute into a cell: exactly by the batch machine, softly by the soft machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from anc.adaptation.objectives.scores import Score, shown
from anc.data.loading import Loaded
from anc.machine import exact
from anc.machine.batch import Rules, Runs, run_encoded
from anc.machine.encoded import Encoded, encode
from anc.program import Program
from anc.support import limits
from anc.support.diagnostics import AncError

if TYPE_CHECKING:
    from anc.machine.weights import Weights

MAX_STEPS = 10_000
NAMING = "anc.score(program, cell=...)"  # how a user names the cell, unless it is an option
_WATCHED = 20  # runs that are watched for whether the score is written
_MARGIN = 1.5  # steps of the soft machine, compared with the longest exact run seen


@dataclass
class ProgramScore(Score):
    """What a program leaves in a cell.

    Its tape begins with the final tape (M cells). If it has 2M cells or more, the input follows
    from cell M on; all others are 0. Of a Python function, only the cells of its arguments are filled.
    """

    program: Program
    M: int  # of the tapes that are judged
    memory: int  # of the program
    cell: int
    taken: np.ndarray  # the cells that are filled
    name: str
    argument: str
    naming: str = NAMING
    longest: int = field(default=1)  # steps of the longest run that `check` saw

    @staticmethod
    def of(
        loaded: Loaded, M: int, cell: int | None, argument: str, naming: str = NAMING
    ) -> ProgramScore:
        """The score of a program or of a Python function, for tapes of M cells."""
        function = loaded.function
        name = f"'{function.name}'" if function else loaded.name
        memory = loaded.program.memory or max(M, loaded.program.smallest_memory)
        if memory < M:
            raise AncError(
                f"'{argument}': {name} has a memory of {memory} cells, the tapes that it judges have {M}",
                help=f"give it a memory of at least {M}, or of {2 * M} to see the input as well",
            )
        room = 2 * M if memory >= 2 * M else M
        if function is not None and function.layout.tape is None:
            taken = np.array([c for p in function.layout.parameters for c in p.all_cells])
            if len(taken) and taken.max() >= room:
                raise AncError(
                    f"'{argument}': the arguments of {name} reach to cell {taken.max()}, but what it"
                    f" judges ends with cell {room - 1}",
                    help="its arguments lie on the final tape from cell 0 on, in order",
                )
            cell = function.layout.result if cell is None else cell
            if cell is None:
                raise AncError(f"'{argument}': {name} returns nothing")
        else:
            taken, cell = np.arange(room), 0 if cell is None else cell
        if not 0 <= cell < memory:
            raise AncError(
                f"'{argument}': there is no cell {cell}, the cells of {name} go from 0 to {memory - 1}"
            )
        return ProgramScore(loaded.program, M, memory, cell, taken, name, argument, naming)

    def exact(self, inputs: np.ndarray, finals: np.ndarray) -> np.ndarray:
        runs = self._runs(inputs, finals)
        return np.where(runs.stopped, runs.tapes[:, self.cell].astype(np.float64), np.nan)

    def check(self, inputs: np.ndarray, finals: np.ndarray) -> None:
        runs = self._runs(inputs, finals)
        if not runs.stopped.all():
            bad = finals[int(np.argmin(runs.stopped))]
            raise AncError(
                f"'{self.argument}': {self.name} does not stop within {MAX_STEPS:,} steps on the final"
                f" tape {shown(bad)}"
            )
        self.longest = max(self.longest, int(runs.steps.max()))
        if not self._writes(inputs, finals):
            raise AncError(
                f"'{self.argument}': no run of {self.name} writes cell {self.cell}, where the score is"
                " read",
                help=f"name the cell that it writes the score into: {self.naming}",
            )

    def check_soft(self, M: int) -> None:
        """Every program is soft: nothing to check."""

    def _writes(self, inputs: np.ndarray, finals: np.ndarray) -> bool:
        """Whether one of the first runs writes the cell."""
        runs = [
            exact.run(self.program, tape, MAX_STEPS, trace=True)
            for tape in self._tapes(inputs[:_WATCHED], finals[:_WATCHED]).tolist()
        ]
        return any(step.cell == self.cell for run in runs for step in run.trace)

    def _runs(self, inputs: np.ndarray, finals: np.ndarray) -> Runs:
        return run_encoded(self._encoded, self._tapes(inputs, finals), self._rules)

    @cached_property
    def _encoded(self) -> Encoded:
        self.program.check_fits(self.memory)
        return encode(self.program)

    @cached_property
    def _rules(self) -> Rules:
        return Rules.of(self.program.instructions, self.memory, MAX_STEPS)

    def _tapes(self, inputs: np.ndarray, finals: np.ndarray) -> np.ndarray:
        both = np.concatenate([finals, inputs], axis=1)
        tapes = np.zeros((len(finals), self.memory), np.uint16)
        tapes[:, self.taken] = both[:, self.taken]
        return tapes

    @cached_property
    def _weights(self) -> Weights:
        from anc.machine.weights import soften

        return soften(self.program, self.memory, limits.SHARP).nameless()

    def soft(self, before: Any, memory: Any) -> Any:
        """The expected score: the mean of the cell's distribution when the soft run has stopped."""
        import jax.numpy as jnp

        return self._row(before, memory) @ jnp.arange(self.memory, dtype=memory.dtype)

    def soft_violation(self, before: Any, memory: Any) -> Any:
        return self._row(before, memory)[0]

    def _row(self, before: Any, memory: Any) -> Any:
        """The distribution of the cell after a soft run on a soft tape."""
        import jax
        import jax.numpy as jnp

        from anc.machine import soft

        size = self.memory
        given = jax.nn.one_hot(before, self.M, dtype=memory.dtype)
        both = jnp.pad(jnp.concatenate([memory, given]), [(0, 0), (0, size - self.M)])
        tape = jax.nn.one_hot(jnp.zeros(size, jnp.int32), size, dtype=memory.dtype)
        tape = tape.at[self.taken].set(both[self.taken])
        weights = jax.tree.map(lambda part: jnp.asarray(part, memory.dtype), self._weights)
        steps = int(_MARGIN * self.longest) + 1
        final, _ = soft.differentiable_run(weights, tape, steps)
        return final.state.memory[self.cell]
