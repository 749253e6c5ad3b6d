"""Scores: a number for an input and its final tape, computed by a program or a Python function.

Every score is exact (a number for each pair of tapes). Some are also soft (a differentiable number for a tape of
distributions), which gradient descent needs: a program is evaluated exactly by the batch machine and softly by the
soft machine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from anc.data.loading import Loaded, function_in, load
from anc.machine import exact
from anc.machine.batch import Rules, Runs, run_encoded
from anc.machine.encoded import Encoded, encode
from anc.program import Program
from anc.support import limits
from anc.support.diagnostics import AncError

if TYPE_CHECKING:
    from anc.machine.weights import Weights


PythonScore = Callable[[tuple[int, ...], tuple[int, ...]], Any]  # (input, final) -> a number
_REMEMBERED = 200_000  # cached results of a Python function


class Score(ABC):
    """A score of an input and its final tape; `argument` is the name of the user's argument."""

    name: str
    argument: str

    @abstractmethod
    def exact(self, inputs: np.ndarray, finals: np.ndarray) -> np.ndarray:
        """(n,) float64 for tapes (n, M); NaN where the score cannot be computed."""

    def soft(self, before: Any, memory: Any) -> Any:
        """The score of an input (M,) and a tape of distributions (M, M) in JAX; needs `check_soft`."""
        raise NotImplementedError

    def soft_violation(self, before: Any, memory: Any) -> Any:
        """The probability that the score is 0, which means that a constraint is violated; likewise."""
        raise NotImplementedError

    @abstractmethod
    def check(self, inputs: np.ndarray, finals: np.ndarray) -> None:
        """Raise if the score cannot be computed for these tapes."""

    @abstractmethod
    def check_soft(self, M: int) -> None:
        """Raise if the score has no gradient."""


@dataclass(frozen=True)
class FunctionScore(Score):
    """A Python function of two exact tapes; it has no gradient."""

    function: PythonScore
    name: str
    argument: str
    _known: dict[tuple[bytes, bytes], float] = field(default_factory=dict, repr=False)

    def exact(self, inputs: np.ndarray, finals: np.ndarray) -> np.ndarray:
        return np.array([self._of(*pair) for pair in zip(inputs, finals, strict=True)], np.float64)

    def _of(self, before: np.ndarray, final: np.ndarray) -> float:
        key = before.tobytes(), final.tobytes()
        if key not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            try:
                self._known[key] = self._called(before, final)
            except Exception:  # on tapes that only a search produces; see `check`
                self._known[key] = np.nan
        return self._known[key]

    def _called(self, before: np.ndarray, final: np.ndarray) -> float:
        return float(self.function(tuple(before.tolist()), tuple(final.tolist())))

    def check(self, inputs: np.ndarray, finals: np.ndarray) -> None:
        for before, final in zip(inputs, finals, strict=True):
            try:
                number = self._called(before, final)
            except Exception as problem:
                raise AncError(
                    f"'{self.argument}': {self.name} failed: {type(problem).__name__}: {problem}",
                    help="it is called as (input, final), two tuples of numbers, and returns a number",
                ) from problem
            if not np.isfinite(number):
                raise AncError(
                    f"'{self.argument}': {self.name} gives {number} for the final tape"
                    f" {shown(final)}, expected a finite number"
                )

    def check_soft(self, M: int) -> None:
        raise AncError(
            f"'{self.argument}': {self.name} is a Python function on exact tapes, which has no gradient",
            help="use method='search'; or give a program, or a function of JAX on soft tapes:"
            " anc.score(function, soft=True)",
        )


def shown(tape: np.ndarray) -> str:
    """A tape for a message."""
    return " ".join(map(str, tape.tolist()))


MAX_STEPS = 10_000
NAMING = "anc.score(program, cell=...)"  # how a user names the cell
_WATCHED = 20  # runs that are traced to see whether the score is written
_MARGIN = 1.5  # step limit of the soft machine, in terms of the longest exact run


@dataclass
class ProgramScore(Score):
    """The score that a program writes into a cell.

    The program's tape begins with the final tape (M cells). If it has 2M cells or more, the input follows from
    cell M on; all other cells are 0. For a Python function, only the cells of its arguments are filled.
    """

    program: Program
    M: int  # of the tapes that are scored
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
            if function.layout.several is not None:
                raise AncError(f"'{argument}': {name} returns several numbers, expected one score")
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
        """Nothing to check: every program is soft."""

    def _writes(self, inputs: np.ndarray, finals: np.ndarray) -> bool:
        """Whether one of the first runs writes the cell of the score."""
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
        """The expected score: the mean of the cell's distribution after a soft run."""
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


@dataclass(frozen=True)
class Described:
    """A score whose tapes are not known yet; made by `anc.score`."""

    what: Any
    cell: int | None = None
    soft: bool = False
    naming: str = NAMING  # how the user names the cell

    def __post_init__(self) -> None:
        if self.cell is not None:
            limits.CELL.check(self.cell)
        if self.is_function and self.cell is not None:
            raise AncError("'cell' is for programs; a Python function returns the score")
        if self.soft and not self.is_function:
            raise AncError("'soft' is for functions of JAX; a program is soft by itself")

    @property
    def is_function(self) -> bool:
        """Whether it is a plain function and not a program.

        A function that wraps a program is a plain one, because it may do more.
        """
        return callable(self.what) and function_in(self.what) is None


def make_score(what: Any, M: int, argument: str) -> Score:
    """Make the score for tapes of M cells from the user's `argument`."""
    described = what if isinstance(what, Described) else Described(what)
    thing = described.what
    if described.is_function:
        name = getattr(thing, "__name__", "the function")
        name = "the function" if name == "<lambda>" else f"'{name}'"
        if not described.soft:
            return FunctionScore(thing, name, argument)
        from anc.adaptation.objectives.softscores import SoftScore

        return SoftScore(thing, name, argument)
    if not (isinstance(thing, str | Path) or hasattr(thing, "registers") or callable(thing)):
        raise AncError(
            f"'{argument}' is of type {type(thing).__name__}, expected a program, what names one, or a"
            " function (input, final) -> number"
        )
    try:
        loaded = load(thing)
        if loaded.function is None and loaded.program.memory is None:
            loaded = load(thing, max(M, loaded.program.smallest_memory))
    except AncError as problem:
        raise AncError(f"'{argument}': {problem.message}", problem.help) from None
    return ProgramScore.of(loaded, M, described.cell, argument, described.naming)
