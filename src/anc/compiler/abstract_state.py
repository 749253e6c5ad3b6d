"""Abstract interpretation of a graph: what is known at a node, a step, and a meet.

Each variable and cell is known exactly, known non-zero (a JEZ fell through), or unknown. An unknown variable has
an origin, so that a test of the variable also says something about what it was computed from.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice

from anc import isa
from anc.compiler.graph import END, Constant, Graph, Node, Operand, Target, Variable, loaded
from anc.isa import Effect, Instruction, Meaning

UNKNOWN, NONZERO = -1, -2  # numbers below 0 are no values

# Output = factor * first + factor * second + number, for the meanings that are sums.
SUMS: dict[Meaning, tuple[int, int, int]] = {
    isa.zero: (0, 0, 0),
    isa.increment: (1, 0, 1),
    isa.decrement: (1, 0, -1),
    isa.add: (1, 1, 0),
    isa.subtract: (1, -1, 0),
}
Place = Variable | int  # a variable, or a cell's number
Way = tuple[int, "AbstractState"]  # the next node, and what is known there


@dataclass(frozen=True)
class Origin:
    """What an unknown variable was computed from: the content of a cell, or a variable and a number."""

    source: Place
    output: Meaning = isa.zero
    place: int = 0  # of the source among the operands
    other: int = 0


@dataclass
class AbstractState:
    """What is known before a node.

    `cells` are those whose knowledge differs from the assumption at the start; `assumed` says whether that
    assumption still holds for all others.
    """

    variables: dict[Variable, int] = field(default_factory=dict)
    cells: dict[int, int] = field(default_factory=dict)
    assumed: bool = True
    origins: dict[Variable, Origin] = field(default_factory=dict)

    def copy(self) -> AbstractState:
        """A copy with the same tables: changes replace them."""
        return AbstractState(self.variables, self.cells, self.assumed, self.origins)

    @property
    def key(self) -> tuple:
        parts = (self.variables, self.cells, self.origins)
        return (*(frozenset(part.items()) for part in parts), self.assumed)

    def value(self, operand: Operand) -> int:
        if isinstance(operand, Constant):
            return operand.value
        return self.variables.get(operand, UNKNOWN) if isinstance(operand, Variable) else UNKNOWN


class Interpreter:
    """Abstract steps of a graph on tapes whose `cells` are assumed to hold these values at the start.

    `ignored` variables and cells are always unknown. `hits` bounds, by node, the cells that a WRITE to an
    unknown address may change; without an entry it may change any.
    """

    def __init__(
        self,
        graph: Graph,
        cells: Mapping[int, int] | None = None,
        ignored: Collection[Place] = (),
        hits: Mapping[int, Collection[int]] | None = None,
    ) -> None:
        assert graph.M is not None
        self.graph, self.M = graph, graph.M
        self.ignored, self.hits = ignored, hits or {}
        self.cells = {c: value for c, value in (cells or {}).items() if c not in ignored}

    def cell(self, known: AbstractState, cell: int) -> int:
        if cell in known.cells:
            return known.cells[cell]
        return self.cells.get(cell, UNKNOWN) if known.assumed else UNKNOWN

    def step(self, number: int, known: AbstractState) -> tuple[Node, list[Way]]:
        """A command with known values substituted, and the successors with their states."""
        node = self.graph.nodes[number]
        values = known.variables
        operands = tuple(
            Constant(values[o]) if isinstance(o, Variable) and values.get(o, UNKNOWN) >= 0 else o
            for o in node.operands
        )
        new = node if operands == node.operands else replace(node, operands=operands)
        effect = Effect.NONE if node.op is None else self.graph.row(node).effect
        if effect is Effect.JUMP:
            return self._jump(new, known)
        if effect is Effect.STOP:
            return new, []
        after, result, origin = known.copy(), 0, None
        if effect is Effect.WRITE:
            address, value = map(known.value, operands)
            if not self._write(after, address, value, self.hits.get(number)):
                new = replace(new, op=None, operands=())
        elif effect is Effect.READ:
            address = known.value(operands[0])
            result = self.cell(known, address) if address >= 0 else UNKNOWN
            if result >= 0:
                op, copied = loaded(result)
                new = replace(node, op=op, operands=copied)
            elif address >= 0:
                origin = Origin(address)
        elif node.op is not None:
            result, origin = self._computed(node, known)
            if result == 0:
                new = replace(new, op=None, operands=())
        self._put(after, node.out, result, origin)
        return new, [(node.after, after)]

    def _put(
        self, known: AbstractState, out: Variable | None, value: int, origin: Origin | None = None
    ) -> None:
        if out is None:
            return
        if out in self.ignored:
            value = UNKNOWN
        if known.variables.get(out, UNKNOWN) != value:
            known.variables = {**known.variables, out: value}
            if value == UNKNOWN:
                del known.variables[out]
        if known.origins:
            known.origins = {
                v: o for v, o in known.origins.items() if v is not out and o.source is not out
            }
        if origin is not None and origin.source is not out:
            known.origins = {**known.origins, out: origin}

    def _computed(self, node: Node, known: AbstractState) -> tuple[int, Origin | None]:
        """The output of a command without an effect: a value, NONZERO or UNKNOWN, and its origin."""
        row, M = self.graph.row(node), self.M
        a, b = [*map(known.value, node.operands), 0, 0][:2]
        same = len(node.operands) == 2 and node.operands[0] is node.operands[1]
        certain = certain_output(row, a if a >= 0 else None, b if b >= 0 else None, M, same)
        if certain is not None:
            return certain, None
        place, other = (0, b) if a < 0 else (1, a)
        source = node.operands[place]
        if other < 0 or not isinstance(source, Variable):
            return UNKNOWN, None
        least = 1 if min(a, b) == NONZERO else 0
        can_be_zero = any(each >= least for each in preimages(row.output, place, other, 0, M))
        result = UNKNOWN if can_be_zero else NONZERO
        return result, Origin(source, row.output, place, other)

    def _write(
        self, known: AbstractState, address: int, value: int, hits: Collection[int] | None
    ) -> bool:
        """Update the cells after a WRITE; False if the value is there already."""
        if address >= 0 and value >= 0 and self.cell(known, address) == value:
            return False
        changed = (address,) if address >= 0 else hits
        if changed is None:  # only the cells that already hold this value are still known
            same = [c for c in {**self.cells, **known.cells} if self.cell(known, c) == value >= 0]
            known.cells, known.assumed = dict.fromkeys(same, value), not self.cells
        for cell in changed or ():
            is_new = address >= 0 and cell not in self.ignored
            self._know(known, cell, value if is_new else UNKNOWN)
        if known.origins:
            known.origins = {
                v: o
                for v, o in known.origins.items()
                if isinstance(o.source, Variable)
                or (changed is not None and o.source not in changed)
            }
        return True

    def _know(self, known: AbstractState, cell: int, value: int) -> None:
        known.cells = {**known.cells, cell: value}
        if value == (self.cells.get(cell, UNKNOWN) if known.assumed else UNKNOWN):
            del known.cells[cell]

    def _jump(self, node: Node, known: AbstractState) -> tuple[Node, list[Way]]:
        condition, to = node.operands
        if isinstance(to, Constant):  # an anchored line jumps to a number
            to = Target(to.value if to.value in self.graph.nodes else END, to.name)
            node = replace(node, operands=(condition, to))
        value, after = known.value(condition), known.copy()
        if value not in (UNKNOWN, 0) or node.jump == node.after:
            node = replace(node, op=None, operands=())
        elif value == 0 and isinstance(to, Target):
            node = replace(node, op=None, operands=(), after=to.node, free=False)
        if node.jump is None:
            self._put(after, node.out, 0)
            return node, [(node.after, after)]
        jumped = known.copy()
        for way, learnt in ((after, NONZERO), (jumped, 0)):
            if isinstance(condition, Variable):
                self._learn(way, condition, learnt)
            self._put(way, node.out, 0)
        return node, [(node.after, after), (node.jump, jumped)]

    def _learn(self, known: AbstractState, variable: Variable, value: int) -> None:
        """A variable holds this value, or is not 0; the same follows for its origin."""
        if variable not in self.ignored:
            known.variables = {**known.variables, variable: value}
        origin = known.origins.get(variable)
        if origin is None:
            return
        if not isinstance(origin.source, Variable):
            if origin.source not in self.ignored:
                known.cells = {**known.cells, origin.source: value}
        elif known.value(origin.source) < 0:
            result = 0 if value == NONZERO else value
            found = preimages(origin.output, origin.place, origin.other, result, self.M)
            if value != NONZERO and len(found) == 1:
                self._learn(known, origin.source, found[0])
            elif value == NONZERO and 0 in found:
                self._learn(known, origin.source, NONZERO)

    def meet(self, one: AbstractState, two: AbstractState) -> AbstractState:
        """What is known on both paths."""
        if one == two:
            return one
        new = one.copy()
        if one.variables != two.variables:
            both = two.variables
            values = ((v, _either(n, both.get(v, UNKNOWN))) for v, n in one.variables.items())
            new.variables = {v: n for v, n in values if n != UNKNOWN}
        if one.cells != two.cells or one.assumed != two.assumed:
            new.cells, new.assumed = {}, one.assumed and two.assumed
            cells = {**one.cells, **two.cells}
            for cell in cells if one.assumed == two.assumed else {**self.cells, **cells}:
                self._know(new, cell, _either(self.cell(one, cell), self.cell(two, cell)))
        if one.origins != two.origins:
            new.origins = {v: o for v, o in one.origins.items() if two.origins.get(v) == o}
        return new


def _either(one: int, two: int) -> int:
    if one == two:
        return one
    return UNKNOWN if UNKNOWN in (one, two) or 0 in (one, two) else NONZERO


def certain_output(
    row: Instruction, first: int | None, second: int | None, M: int, same: bool
) -> int | None:
    """The output of an instruction if it is the same for all values of unknown operands (None).

    `same` says that both operands are the same variable.

    >>> sub, smaller = isa.PAPER["SUB"], isa.PAPER["MIN"]
    >>> certain_output(sub, None, None, 10, True), certain_output(smaller, None, 0, 10, False)
    (0, 0)
    """
    if row.output is isa.zero:
        return None if row.effect is Effect.READ else 0
    if row.operands < 2:
        second = 0
    elif first is second is None and not same:
        return None
    return _certain(row.output, first, second, M)


@lru_cache(maxsize=10_000)
def _certain(output: Meaning, first: int | None, second: int | None, M: int) -> int | None:
    results = outputs(output, first, second, M)
    result = next(results)
    return result if all(other == result for other in results) else None


def outputs(output: Meaning, first: int | None, second: int | None, M: int) -> Iterator[int]:
    """The outputs for each value of the operands that are None; both None means they are equal."""
    if first is not None and second is not None:
        yield output(first, second, M)
    else:
        for guess in range(M):
            yield output(guess if first is None else first, guess if second is None else second, M)


@lru_cache(maxsize=10_000)
def preimages(output: Meaning, place: int, other: int, result: int, M: int) -> tuple[int, ...]:
    """The least operands, at most two, for which an instruction outputs this, given the other operand.

    >>> preimages(isa.subtract, 0, 3, 0, 10), preimages(isa.smaller, 1, 9, 4, 10)
    ((3,), (4,))
    """
    factors = SUMS.get(output, (0, 0, 0))
    if factors[place]:
        return (factors[place] * (result - factors[1 - place] * other - factors[2]) % M,)
    first, second = (None, other) if place == 0 else (other, None)
    found = enumerate(outputs(output, first, second, M))
    return tuple(islice((operand for operand, value in found if value == result), 2))
