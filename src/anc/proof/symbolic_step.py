"""The symbolic machine: facts as conditions on terms, states, and their successors after one instruction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, partial

import numpy as np

from anc import isa
from anc.program import Program
from anc.proof.cfg import Flow
from anc.proof.claim import Claim
from anc.proof.facts import And, Comparison, Count, Fact, Implies, Or, Stepwise, Sum
from anc.proof.path_state import Counting, Path, Simplified, Steps
from anc.proof.presolve import allowed
from anc.proof.semantics import execute, has_operations
from anc.proof.smt_queries import Questions, Witnesses
from anc.proof.space import Space
from anc.proof.terms import Condition, Form, Node, Value, only
from anc.proof.value_sets import Domains
from anc.proof.verdict import Undecided
from anc.support.clock import Clock


def stated(fact: Fact, space: Space, cell: Callable[[int], Value]) -> Condition | None:
    """A fact about one cell, or about the order of two, as a condition; None for every other fact."""
    match fact:
        case Comparison(Sum(((1, int(a)),), 0), ((op, Sum(((1, int(b)),), 0)),)):
            x, y = cell(a), cell(b)
            comparisons = {
                "<=": lambda: space.at_most(x, y),
                ">=": lambda: space.at_most(y, x),
                "==": lambda: space.zero(space.difference(x, y)),
                ">": lambda: space.opposite(space.at_most(x, y)),
                "<": lambda: space.opposite(space.at_most(y, x)),
                "!=": lambda: space.opposite(space.zero(space.difference(x, y))),
            }
            return comparisons[op]()
        case And(parts):
            found = [stated(part, space, cell) for part in parts]
            known = [part for part in found if part is not None]
            return space.all_of(known) if len(known) == len(found) else None
    if fact.pointers or len(fact.cells) != 1:
        return None
    (place,) = fact.cells
    truths, value = allowed(fact, place, space.M), cell(place)
    if not isinstance(value, Form):
        return bool(truths[value])
    root = only(value.support)
    return None if root is None else space.one_of(root, truths[space.table(value)])


def in_steps(fact: Fact, space: Space, cell: Callable[[int], Value]) -> Steps:
    """A fact as a chain of implications: (condition, consequence once all conditions so far hold)."""
    match fact:
        case Stepwise():
            steps = fact.steps
        case Implies((premise, conclusion)):
            steps = ((premise, conclusion),)
        case Or((*others, last)):
            steps = ((And.of(part.negated() for part in others), last),)
        case _:
            return ()
    found = []
    for condition, then in steps:
        going, said = (stated(part, space, cell) for part in (condition, then))
        if going is None:
            break
        found.append((going, True if said is None else said))
    return tuple(found)


def counting(fact: Fact, space: Space, cell: Callable[[int], Value]) -> Counting | None:
    """A count with its elements as conditions; None for every other fact."""
    if not isinstance(fact, Count):
        return None
    found = []
    for condition, element in fact.steps:
        going = True if fact.going is None else stated(condition, space, cell)
        counted = stated(element, space, cell)
        if going is None or counted is None:
            return None
        found.append((going, counted))
    return fact, tuple(found)


Successor = tuple[int, Path]  # a successor: a line, and the part of the path that continues there

STEP = 2  # evaluations that a step costs, in addition to its terms


@dataclass
class SymbolicState:
    """A symbolic state: line, registers and tape on all tapes of a path.

    It was reached in `least` to `most` steps: merged states may have taken different branches.
    """

    program: Program
    here: int
    registers: list[Value]
    path: Path
    written: dict[int, Value] = field(default_factory=dict)  # cells that differ from the input
    least: int = 0
    most: int = 0
    stopped: bool = False
    waits: bool = False  # it has just met others and makes a step before it meets them again

    @staticmethod
    def beginning(program: Program, path: Path) -> SymbolicState:
        return SymbolicState(
            program, program.start, [value or 0 for value in program.registers], path
        )

    def is_like(self, other: SymbolicState) -> bool:
        """Whether both have the same line, registers and tape."""
        return (self.here, self.registers, self.written) == (
            other.here, other.registers, other.written,
        )  # fmt: skip

    def parted(self, path: Path, here: int) -> SymbolicState:
        """The same state on a part of its path, continued at a line."""
        return replace(
            self, here=here, registers=list(self.registers), written=dict(self.written), path=path
        )


class Machine:
    """The symbolic machine of a claim; `tapes`, at least one, are its first witnesses."""

    def __init__(
        self, claim: Claim, tapes: np.ndarray, clock: Clock, question: float = 1.0
    ) -> None:
        self.claim, self.clock = claim, clock
        self.inputs = inputs = claim.tapes.inputs
        M = claim.M
        self.witnesses = Witnesses(tapes)
        domains = Domains(M, [inputs.domain(cell) for cell in range(M)], clock)
        programs = claim.generic, claim.adapted
        self.space = Space(domains, clock, compact=any(map(has_operations, programs)))
        self.questions = Questions(
            self.space, inputs, self.witnesses, clock, question * clock.budget
        )
        self.flows = {id(program): Flow(program, M, inputs.domain) for program in programs}
        self.cell = cache(self._cell)

    def _cell(self, cell: int) -> Value:
        """The input value of a cell."""
        root = self.space.cell(self.inputs.root[cell])
        return self.space.sum(root, self.inputs.offset[cell])

    def everything(self) -> Path:
        """The path of all tapes that satisfy the precondition."""
        steps = (in_steps(fact, self.space, self.cell) for fact in self.inputs.joint)
        facts = tuple(filter(None, steps))
        alive = np.arange(len(self.witnesses.tapes))
        counts = (counting(fact, self.space, self.cell) for fact in self.inputs.joint)
        path = Path(
            alive=alive,
            facts=facts,
            reached=(0,) * len(facts),
            counts=tuple(filter(None, counts)),
        )
        for condition in (stated(fact, self.space, self.cell) for fact in self.inputs.joint):
            if isinstance(condition, Node):
                path = path.knowing(self.space, condition)
        return path

    def tape(self, number: int) -> tuple[int, ...]:
        """A witness by its number."""
        return tuple(self.witnesses.tapes[number].tolist())

    def step(self, state: SymbolicState) -> list[Successor]:
        """Execute one instruction; returns the successors if the state forks, which then stays there."""
        effect, first, second = execute(
            state.program,
            state.here,
            state.registers,
            self.space,
            partial(self.read, state),
            partial(self.write, state),
        )
        state.least += 1
        state.most += 1
        state.stopped = effect is isa.Effect.STOP
        ahead = (state.here + 1) % self.space.M
        successors = [(ahead, state.path)]
        if effect is isa.Effect.JUMP:
            successors = self.jump(state.path, first, second, ahead)
        if len(successors) > 1:
            return successors
        ((state.here, state.path),) = successors
        return []

    def is_endless(self, state: SymbolicState) -> bool:
        """Whether a run never stops on any tape of its path: it left the program or repeats a state."""
        state, before = state.parted(state.path, state.here), None
        for number in range(1, self.claim.patience + 1):
            if state.here >= state.program.L:
                return True
            if before is not None and state.is_like(before):
                return True
            if self.clock.over:
                break
            if number & (number - 1) == 0:
                before = state.parted(state.path, state.here)
            self.clock.did(STEP)
            if self.step(state) or state.stopped:
                break
        return False

    # -- the tape ------------------------------------------------------------------

    def cells_at(self, path: Path, value: Value) -> list[int]:
        """The cells that an address may refer to."""
        if isinstance(value, int):
            return [value]
        numbers = path.values(self.space, value).tolist()
        if len(numbers) == 1:
            return numbers
        seen = np.unique(self.witnesses.values(value, path.alive)).tolist()
        if len(seen) == 1:
            other = self.space.opposite(self.space.zero(self.space.difference(value, seen[0])))
            if not isinstance(other, Node) or self.questions.possible(path, other) is None:
                return seen
        return numbers

    def _content(self, state: SymbolicState, cell: int) -> Value:
        return state.written[cell] if cell in state.written else self.cell(cell)

    def read(self, state: SymbolicState, address: Value) -> Value:
        cells = self.cells_at(state.path, address)
        if len(cells) == 1:
            return self._content(state, cells[0])
        assert not isinstance(address, int)
        return self.space.select(address, {cell: self._content(state, cell) for cell in cells})

    def write(self, state: SymbolicState, address: Value, value: Value) -> None:
        cells = self.cells_at(state.path, address)
        if len(cells) == 1:
            state.written[cells[0]] = value
            return
        for cell in cells:
            here = self.space.zero(self.space.difference(address, cell))
            state.written[cell] = self.space.choice(here, value, self._content(state, cell))

    # -- jumps ---------------------------------------------------------------------

    def jump(self, path: Path, zero: Value, target: Value, after: int) -> list[Successor]:
        """The successors of a jump."""
        successors: list[Successor] = []
        taken, stays = self.sides(path, self.space.zero(zero))
        if stays is not None:
            successors.append((after, stays))
        if taken is not None and isinstance(target, int):
            successors.append((target, taken))
        elif taken is not None:
            for number in taken.values(self.space, target).tolist():
                there = self.space.zero(self.space.difference(target, number))
                side = self.side(taken, there)
                if side is not None:
                    successors.append((number, side))
        if not successors:
            raise Undecided("a feasible path has no successor")
        return successors

    def sides(self, path: Path, condition: Condition) -> tuple[Path | None, Path | None]:
        """The parts of a path on which a condition holds and fails; None for an empty part."""
        decided = path.decided(self.space, condition)
        if decided is None and isinstance(condition, Node) and path.settles(condition):
            condition = Simplified(self.space, path).condition(condition)
            decided = path.decided(self.space, condition)
        if decided is not None:
            return (path, None) if decided else (None, path)
        opposite = self.space.opposite(condition)
        assert isinstance(condition, Node) and isinstance(opposite, Node)
        yes, no = self._alive(path, condition), self._alive(path, opposite)
        if yes is None:
            return None, path.knowing(self.space, opposite)
        if no is None:
            return path.knowing(self.space, condition), None
        return (
            path.assuming(self.space, condition, yes),
            path.assuming(self.space, opposite, no),
        )

    def side(self, path: Path, condition: Condition) -> Path | None:
        """The part of a path on which a condition holds; None if it is empty."""
        decided = path.decided(self.space, condition)
        if decided is not None:
            return path if decided else None
        assert isinstance(condition, Node)
        alive = self._alive(path, condition)
        return None if alive is None else path.assuming(self.space, condition, alive)

    def _alive(self, path: Path, condition: Node) -> np.ndarray | None:
        """The witnesses of a path for which a condition holds; None if it holds nowhere there."""
        alive = path.alive[self.witnesses.holds(condition, path.alive)]
        if len(alive):
            return alive
        number = self.questions.possible(path, condition)
        return None if number is None else np.array([number])
