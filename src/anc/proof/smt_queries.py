"""SMT queries about paths; every query has a time limit.

A path always has a witness. A query therefore contains only the choices and facts that share a cell with its
condition, directly or through others; the other cells of the witness stay as they are.
"""

from __future__ import annotations

import math
import signal
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import numpy as np
import z3  # type: ignore[import-untyped]

from anc.proof.claim import Claim
from anc.proof.facts import Fact
from anc.proof.path_state import Path, Simplified
from anc.proof.presolve import Inputs
from anc.proof.space import Space
from anc.proof.term_to_smt import Lowered
from anc.proof.terms import Node, NodeKind, Term, Value, bits, evaluated, in_order
from anc.proof.value_sets import Domains, gate_cells
from anc.proof.verdict import Undecided
from anc.support import resources
from anc.support.clock import PER_SECOND, Clock

_DRAWN = 64
_WITNESSED = 1 << 24  # cells of all examples
_DRAWING = 0.5  # seconds for them
_FEW_TAPES = 1 << 12  # tapes that are tried instead of a query
_FEW_OUTPUTS = 1 << 27  # outputs of terms on tapes, instead of a query about operations
_ROWS = 1 << 15  # tapes that are tried at once
_OUTPUT = 0.0005  # evaluations that an output of a term on a tape costs
_RESOURCES = 1_000_000  # the solver's own units of work per second of a usual core
_QUESTION = 50  # evaluations that a query costs, and each of its formulas
_FORMULA = 5
_PER_PART = 2  # values of a gate cell that are tried one by one, for each part that it gates


def first_witnesses(claim: Claim, clock: Clock) -> np.ndarray:
    """Tapes to which a claim applies, at least one: its examples and random ones."""
    random = Random(1)
    possible = claim.tapes
    seconds = min(_DRAWING, clock.left / 10)
    tapes = possible.many(random, _DRAWN, clock.part(seconds))
    known = claim.witnesses[: _WITNESSED // claim.M].astype(np.uint16)
    if len(tapes) or len(known):
        return np.concatenate([tapes, known])
    found = possible.find(random, clock)
    if found is None:
        raise Undecided("no tape satisfies the precondition")
    return np.array([found], np.uint16)


class Witnesses:
    """Sample tapes (n, M), which decide many queries without the solver; tapes can be added."""

    def __init__(self, tapes: np.ndarray) -> None:
        self.tapes = np.asarray(tapes, np.uint16)
        self._made: dict[int, np.ndarray] = {}

    def add(self, tape: tuple[int, ...]) -> int:
        """Add a tape; returns its number."""
        self.tapes = np.concatenate([self.tapes, np.array([tape], np.uint16)])
        return len(self.tapes) - 1

    def values(self, value: Value, which: np.ndarray) -> np.ndarray:
        """The numbers of a value on some of the tapes."""
        if isinstance(value, int):
            return np.full(len(which), value)
        return self._all(value)[which]

    def holds(self, condition: Node, which: np.ndarray) -> np.ndarray:
        """Whether a condition holds on each of some tapes."""
        return self._all(condition)[which]

    def _all(self, term: Term) -> np.ndarray:
        count, M = self.tapes.shape
        nothing = np.zeros(0, np.int64)
        for part in in_order(term, lambda t: len(self._made.get(t.id, nothing)) == count):
            before = self._made.get(part.id)
            missing = slice(0 if before is None else len(before), count)
            more = evaluated(
                part,
                self._made,
                M,
                lambda cell, m=missing: self.tapes[m, cell].astype(np.int64),
                missing,
            )
            self._made[part.id] = more if before is None else np.concatenate([before, more])
        return self._made[term.id]


class Questions:
    """Queries about the paths of one claim."""

    def __init__(
        self, space: Space, inputs: Inputs, witnesses: Witnesses, clock: Clock, longest: float
    ) -> None:
        self.space, self.inputs, self.witnesses, self.clock = space, inputs, witnesses, clock
        self.longest = longest  # seconds for one query
        self.lowered = Lowered(space, inputs, z3.Context())
        self.facts = [
            (fact, sum(1 << root for root in inputs.roots(fact))) for fact in inputs.joint
        ]

    def possible(self, path: Path, condition: Node) -> int | None:
        """The number of a witness on this path for which the condition holds; None if there is none."""
        matching = np.flatnonzero(self.witnesses.holds(condition, path.alive))
        if len(matching):
            return int(path.alive[matching[0]])
        simple = Simplified(self.space, path).condition(condition)
        if simple is False:
            return None
        if simple is True:
            return int(path.alive[0])
        if path.knowing(self.space, simple).is_empty:
            return None
        for cell, parts in gate_cells(simple):
            known = path.cells.get(cell, self.space.domains.cells[cell])
            if np.count_nonzero(known) <= _PER_PART * parts:
                return self._by_gate(path, simple, cell, np.flatnonzero(known).tolist())
        return self._asked(path, simple)

    def _by_gate(self, path: Path, condition: Node, cell: int, numbers: list[int]) -> int | None:
        """`possible` by cases: one query for each value of a gate cell, which simplifies the condition."""
        for number in numbers:
            here = self.space.one_of(cell, np.arange(self.space.M) == number)
            side = path.knowing(self.space, here) if isinstance(here, Node) else path
            if side.is_empty:
                continue
            both = self.space.all_of([here, Simplified(self.space, side).condition(condition)])
            if both is True:
                return int(path.alive[0])
            found = self.possible(path, both) if isinstance(both, Node) else None
            if found is not None:
                return found
        return None

    def _asked(self, path: Path, simple: Node) -> int | None:
        """`possible` for a simplified condition: try all tapes if they are few, or ask the solver."""
        facts, choices, cells = self._relevant(path, simple)
        domains = [(cell, path.cells.get(cell, self.space.domains.cells[cell])) for cell in cells]
        count = math.prod(int(np.count_nonzero(known)) for _, known in domains)
        if not facts and count <= max(_FEW_TAPES, self._worth_trying(choices)):
            return self._enumerated(path, choices, domains)
        lowered = self.lowered
        formulas = [lowered.fact(fact) for fact in facts]
        formulas += [lowered.term(node) for node in choices]
        formulas += [lowered.domain(cell, known) for cell, known in domains]
        model = ask(formulas, lowered.ctx, self.clock, self.longest)
        if model is None:
            return None
        values = {c: model.eval(lowered.cell(c), model_completion=True).as_long() for c in cells}
        number = self._witness(path, values)
        which = np.array([number])
        if not all(self.witnesses.holds(node, which)[0] for node in (simple, *path.choices())):
            raise Undecided("the solver's tape is not on the path")
        return number

    def _worth_trying(self, conditions: list[Node]) -> int:
        """The number of tapes that take less time than a query, which is hard if there are operations."""
        if not self.space.compact:
            return 0
        parts = {p.id: p for node in conditions for p in in_order(node, lambda _: False)}
        of_nodes = {part.kind for part in parts.values() if isinstance(part, Node)}
        is_hard = NodeKind.OUTPUT in of_nodes or NodeKind.TABLE in of_nodes
        return _FEW_OUTPUTS // len(parts) if is_hard else 0

    def _enumerated(
        self, path: Path, conditions: list[Node], domains: list[tuple[int, np.ndarray]]
    ) -> int | None:
        """A witness among all combinations of values of a few cells."""
        values = {cell: np.flatnonzero(known) for cell, known in domains}
        shape = tuple(map(len, values.values()))
        for begin in range(0, math.prod(shape), _ROWS):
            rows = np.arange(begin, min(begin + _ROWS, math.prod(shape)))
            places = zip(values, np.unravel_index(rows, shape), strict=True)
            columns = {cell: values[cell][at] for cell, at in places}
            found = np.flatnonzero(self._holding(conditions, len(rows), columns.__getitem__))
            if len(found):
                place = found[len(found) // 2]
                return self._witness(path, {c: int(column[place]) for c, column in columns.items()})
            if self.clock.over:
                raise Undecided("the time is over")
        return None

    def _holding(
        self, conditions: Iterable[Node], count: int, column: Callable[[int], np.ndarray]
    ) -> np.ndarray:
        """Whether all conditions hold on each of some tapes; a column has the values of a cell."""
        made: dict[int, np.ndarray] = {}
        good = np.ones(count, np.bool_)
        for condition in conditions:
            for part in in_order(condition, lambda t: t.id in made):
                made[part.id] = evaluated(part, made, self.space.M, column, slice(None))
            good &= made[condition.id]
        if count > _FEW_TAPES:
            self.clock.did(_OUTPUT * count * len(made))
        return good

    def _witness(self, path: Path, values: dict[int, int]) -> int:
        """Add a copy of a witness of the path with other values in some cells; returns its number."""
        base = self.witnesses.tapes[path.alive[0]]
        roots = {root: int(base[root]) for root in set(self.inputs.root)} | values
        tape = self.inputs.completed(roots)
        if not all(fact.holds(tape) for fact in self.inputs.facts):
            raise Undecided("a tape that was found violates the precondition")
        return self.witnesses.add(tape)

    def _relevant(self, path: Path, condition: Node) -> tuple[list[Fact], list[Node], list[int]]:
        """The facts, choices and cells that are connected with a condition."""
        choices = [
            part
            for choice in path.choices()
            for part in (choice.args if choice.kind is NodeKind.AND else (choice,))
            if part.kind is not NodeKind.IN  # conditions on one cell are in the path's cells
        ]
        waiting: list[tuple[Any, int]] = [*self.facts, *((node, node.support) for node in choices)]
        support, found = condition.support, list[Any]([condition])
        while reached := [pair for pair in waiting if pair[1] & support]:
            waiting = [pair for pair in waiting if not pair[1] & support]
            for thing, cells in reached:
                found.append(thing)
                support |= cells
        facts = [thing for thing in found if isinstance(thing, Fact)]
        return facts, [thing for thing in found if isinstance(thing, Node)], bits(support)


def find_tape(inputs: Inputs, clock: Clock) -> tuple[int, ...] | None:
    """A tape that satisfies facts; None if there is none."""
    M = inputs.M
    domains = Domains(M, [inputs.domain(cell) for cell in range(M)])
    lowered = Lowered(Space(domains), inputs, z3.Context())
    free = [root for root in set(inputs.root) if inputs.constant(root) is None]
    formulas = [lowered.domain(root, inputs.domain(root)) for root in free]
    formulas += [lowered.fact(fact) for fact in inputs.joint]
    model = ask(formulas, lowered.ctx, clock)
    if model is None:
        return None
    roots = {root: int(inputs.domain(root).argmax()) for root in set(inputs.root)}
    for root in free:
        roots[root] = model.eval(lowered.cell(root), model_completion=True).as_long()
    return inputs.completed(roots)


def ask(
    formulas: list[z3.BoolRef], ctx: z3.Context, clock: Clock, longest: float = math.inf
) -> z3.ModelRef | None:
    """A model of some formulas, or None if there is none; raises Undecided.

    Every query gets a new solver. An incremental one simplifies less and is many times slower.
    """
    left = min(clock.left, longest)
    if left <= 0:
        raise Undecided("the time is over")
    if (most := resources.bound_bytes()) is not None:
        z3.set_param("memory_max_size", most >> 20)
    solver = z3.SolverFor("QF_BV", ctx=ctx)
    solver.add(*formulas)
    clock.did(_QUESTION + _FORMULA * len(formulas))
    answer = _answered(solver, clock, left)
    if answer == z3.sat:
        return solver.model()
    if answer == z3.unsat:
        return None
    if "memory" in solver.reason_unknown():
        raise Undecided("the solver needs more memory than it may take")
    if "keyboard" in solver.reason_unknown():  # the solver catches Ctrl-C itself
        signal.raise_signal(signal.SIGINT)
        raise Undecided("interrupted")
    raise Undecided("the time is over" if clock.over else "the solver did not decide in time")


def _answered(solver: z3.Solver, clock: Clock, left: float) -> z3.CheckSatResult:
    """The solver's answer within a time limit; if work is counted, within a limit of its own units."""
    if not clock.counts_work:
        solver.set("timeout", max(1, int(left * 1000)))
        return solver.check()
    solver.set("rlimit", max(1, int(left * _RESOURCES)))
    before = _resources(solver)
    answer = solver.check()
    clock.did((_resources(solver) - before) / _RESOURCES * PER_SECOND)
    return answer


def _resources(solver: z3.Solver) -> int:
    """The units of work that this solver's context has used so far."""
    found = solver.statistics()
    return dict(found[i] for i in range(len(found))).get("rlimit count", 0)
