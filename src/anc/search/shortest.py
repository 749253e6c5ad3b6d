"""Shortest straight-line programs, by exhaustive search that counter-examples guide.

The search (`anc.search.shortest_engine`) goes through all programs of one instruction, then of two, and so on, on a
few samples of the inputs. A program that is right on the samples is given to the caller, who checks it on all
inputs; inputs on which it is wrong become samples, and the search of this length begins again. Shorter programs need
not be tried again: each was wrong on the samples before. So the first program that is right on all inputs has the
fewest instructions, and a length that was searched to its end has no right program.

The model: every instruction reads inputs, constants of a given list, and outputs of earlier instructions, and keeps
its output for all later ones; the outputs of some of them, or inputs, are the results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from anc.isa import Effect, InstructionSet
from anc.machine.encoded import output_table
from anc.search import shortest_engine as engine
from anc.search.shortest_engine import Ground, Walk
from anc.support.diagnostics import AncError

LARGEST = 256  # cells: a value is a byte
MOST = 24  # instructions of one program
VISITS = 20_000  # programs between two looks at the clock
EACH = 0.5  # evaluations that one of them costs

Code = tuple[tuple[int, int, int], ...]  # instruction and operands: base values, then outputs


@dataclass(frozen=True)
class Operations:
    """The instructions that a search may use, with their outputs modulo M as tables."""

    instructions: InstructionSet
    M: int
    numbers: tuple[int, ...]  # in the instruction set

    @classmethod
    def of(
        cls, instructions: InstructionSet, M: int, names: Sequence[str] | None = None
    ) -> Operations:
        """The instructions with these names, or all that compute."""
        if M > LARGEST:
            raise AncError(
                f"unknown lines are searched in memories of up to {LARGEST} cells, not {M}",
                help="name the choices of each place instead: x = ? in (ADD, SUB)(? in (a, b), 1)",
            )
        found = (
            number
            for number, row in enumerate(instructions)
            if row.effect is Effect.NONE and row.operands and (names is None or row.name in names)
        )
        return cls(instructions, M, tuple(found))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.instructions.names[number] for number in self.numbers)

    def tables(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Outputs (N, M, M), numbers of operands, and which of the instructions commute."""
        table = np.asarray(output_table(self.instructions, self.M))
        found = table.reshape(-1, self.M, self.M)[list(self.numbers)].astype(np.uint8)
        operands = np.array([self.instructions[number].operands for number in self.numbers])
        commutes = np.array([(each == each.T).all() for each in found])
        return found, operands, commutes


@dataclass(frozen=True)
class Samples:
    """Base values and targets on some inputs."""

    base: np.ndarray  # (B, K)
    targets: np.ndarray  # (T, K)

    def padded(self) -> Samples:
        """The same with a multiple of 8 samples, which fill words."""
        more = -self.base.shape[1] % 8
        both = (np.pad(part, ((0, 0), (0, more)), "edge") for part in (self.base, self.targets))
        return Samples(*both)


@dataclass(frozen=True)
class Shortest:
    """The result of a search: the program if one was found, and what was visited.

    `visited[n]` counts the programs, whole and begun, that the search for n instructions visited;
    none of up to `excluded` instructions is right.
    """

    code: Code | None
    results: tuple[int, ...]  # the value that is each target
    visited: tuple[int, ...]
    excluded: int
    samples: int

    @property
    def is_shortest(self) -> bool:
        return self.code is not None and self.excluded == len(self.code) - 1


@dataclass
class ShortestSearch:
    """A search for shortest programs; `refute` returns None for a right one, else more samples."""

    operations: Operations
    samples: Samples
    refute: Callable[[Code, tuple[int, ...]], Samples | None]
    visited: list[int] = field(default_factory=list)
    excluded: int = -1

    def run(self, most: int, may_go_on: Callable[[int], bool]) -> Shortest:
        """Search lengths up to `most`, while `may_go_on(programs visited since)` allows it."""
        for n in range(min(most, MOST) + 1):
            self.visited.append(0)
            while True:
                walk = _Length(self.operations, self.samples.padded(), n)
                status = walk.run(may_go_on)
                self.visited[n] += walk.visited
                if status != engine.FOUND:
                    break
                code, results = walk.found()
                more = self.refute(code, results)
                if more is None:
                    return self._ended(code, results)
                self.samples = more
            if status == engine.PAUSED:
                break
            self.excluded = n
        return self._ended(None, ())

    def _ended(self, code: Code | None, results: tuple[int, ...]) -> Shortest:
        visited = tuple(self.visited)
        return Shortest(code, results, visited, self.excluded, self.samples.base.shape[1])


class _Length:
    """The search of one length."""

    def __init__(self, operations: Operations, samples: Samples, n: int) -> None:
        self.samples, self.n = samples, n
        self.B, K = samples.base.shape
        self.wanted = self._wanted()
        targets = np.ascontiguousarray(self.wanted, np.uint8).reshape(-1, K)
        table, operands, commutes = operations.tables()
        self.ground = Ground(
            table.ravel(),
            operands,
            commutes,
            targets.view(np.uint64),
            targets,
            np.array([operations.M, self.B, n]),
            np.array([needed(samples.base, targets)], np.uint64),
        )
        self.walk = self._start(operations, len(targets), K)

    def _wanted(self) -> list[np.ndarray]:
        """The targets, without those that are base values or equal others."""
        found: list[np.ndarray] = []
        for target in self.samples.targets:
            if not any((target == other).all() for other in (*self.samples.base, *found)):
                found.append(target)
        return found

    def _start(self, operations: Operations, T: int, K: int) -> Walk:
        B, n, N = self.B, self.n, len(operations.numbers)
        most = B + 1 + sum(2 * N * (B + d + 1) for d in range(n)) + N * B * (B + 1)
        cells = np.zeros((most, K), np.uint8)
        cells[:B] = self.samples.base
        places = 1 << (2 * most).bit_length()
        numbers, masks = np.zeros((5, n + 2), np.int64), np.zeros((2, n + 2), np.uint64)
        return Walk(
            cells=cells,
            words=cells.view(np.uint64),
            origin=np.zeros((most, 3), np.int64),
            slot=np.zeros(most, np.int64),
            taken=np.zeros(most, np.bool_),
            hashed=np.full(places, engine.FREE, np.int64),
            chosen=np.zeros(B + n + 2, np.int64),
            begin=numbers[0],
            here=numbers[1],
            end=numbers[2],
            used=masks[0],
            plain=masks[1],
            missing=numbers[3],
            at=np.full(T, engine.FREE, np.int64),
            place=np.zeros(2, np.int64),
            counts=numbers[4],
        )

    @property
    def visited(self) -> int:
        return int(self.walk.counts.sum())

    def run(self, may_go_on: Callable[[int], bool]) -> int:
        if not self.wanted or len(self.wanted) > self.n:
            return engine.EXHAUSTED if self.wanted or self.n else engine.FOUND
        status, done = engine.PAUSED, 0
        while status == engine.PAUSED and may_go_on(done):
            before = self.visited
            status = int(engine.walk_on(self.walk, self.ground, VISITS))
            done = self.visited - before
        return status

    def found(self) -> tuple[Code, tuple[int, ...]]:
        """The program, and the value that is each target."""
        walk, count = self.walk, self.n if self.wanted else 0
        rows = walk.chosen[self.B : self.B + count].tolist()
        code = tuple(tuple(walk.origin[row].tolist()) for row in rows)
        values = [*self.samples.base, *self._outputs(code)]
        results = (
            next(v for v, value in enumerate(values) if (value == target).all())
            for target in self.samples.targets
        )
        return code, tuple(results)

    def _outputs(self, code: Code) -> Sequence[np.ndarray]:
        return outputs_of(code, self.samples.base, self.ground.table, int(self.ground.sizes[0]))


def needed(base: np.ndarray, targets: np.ndarray) -> int:
    """The base values that every right program uses, as bits.

    Two samples that differ in no other base value have different targets.
    """
    found = 0
    for number in range(len(base)):
        others = np.delete(base, number, axis=0)
        order = np.lexsort(others) if len(others) else np.arange(base.shape[1])
        near, far = order[:-1], order[1:]
        alike = (others[:, near] == others[:, far]).all(axis=0)
        if (alike & (targets[:, near] != targets[:, far]).any(axis=0)).any():
            found |= 1 << number
    return found


def outputs_of(code: Code, base: np.ndarray, table: np.ndarray, M: int) -> Sequence[np.ndarray]:
    """The outputs of all instructions, for columns of base values; `table` is flat."""
    values = [row.astype(np.int64) for row in base]
    for op, first, second in code:
        values.append(table[(op * M + values[first]) * M + values[second]].astype(np.int64))
    return values[len(base) :]
