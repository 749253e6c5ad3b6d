"""Recipes for a form: one command, or two, on variables whose forms are known.

`Uses` holds the def-use chains of a graph, and is updated as commands change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from anc import isa
from anc.compiler.affine import SUMS, ZERO, AffineForm, Values
from anc.compiler.graph import ADD, READ, SUB, Constant, Graph, Operand, Variable
from anc.compiler.gvn_state import Knowledge

NEWEST = 64  # variables that are tried as operands of a sum


class Uses:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.readers: Counter[Operand] = Counter()
        self.makers: dict[Operand, int] = {}  # the only node that writes a variable
        self.kept: set[Operand] = set()  # read by commands that are not sums
        several = set()
        for number, node in graph.nodes.items():
            self.readers.update(node.operands)
            if node.op in (None, READ) or graph.row(node).output not in SUMS:
                self.kept.update(node.operands)
            if node.out is not None:
                if node.out in self.makers or not node.only_computes:
                    several.add(node.out)
                self.makers[node.out] = number
        for variable in several:
            del self.makers[variable]

    def freed(self, number: int) -> set[Operand]:
        """The variables that only this node uses, directly or indirectly."""
        gone: Counter[Operand] = Counter()
        found: set[Operand] = set()
        waiting = [number]
        while waiting:
            for operand in self.graph.nodes[waiting.pop()].operands:
                gone[operand] += 1
                if gone[operand] == self.readers[operand] and operand in self.makers:
                    found.add(operand)
                    waiting.append(self.makers[operand])
        return found

    def needed(self, operands: tuple[Operand, ...], freed: set[Operand]) -> int:
        """How many of these freed variables the operands use."""
        found: set[Operand] = set()
        waiting = [each for each in operands if each in freed]
        while waiting:
            variable = waiting.pop()
            if variable not in found:
                found.add(variable)
                maker = self.graph.nodes[self.makers[variable]]
                waiting += [each for each in maker.operands if each in freed]
        return len(found)

    def is_sum(self, variable: Operand) -> bool:
        """Whether the only definition of a variable is a sum."""
        node = self.graph.nodes[self.makers[variable]] if variable in self.makers else None
        if node is None or node.op in (None, READ):
            return False
        return self.graph.row(node).output in SUMS

    def rename(self, variable: Operand, new: Variable) -> None:
        """Rename the output of the only definition of a variable."""
        number = self.makers[new] = self.makers.pop(variable)
        self.graph.nodes[number] = replace(self.graph.nodes[number], out=new)

    def change(self, number: int, op: str | None, operands: tuple[Operand, ...]) -> None:
        node = self.graph.nodes[number]
        if op == node.op and operands == node.operands:
            return
        self.readers.update(operands)
        self.release(node.operands)
        self.graph.nodes[number] = replace(node, op=op, operands=operands)

    def release(self, operands: tuple[Operand, ...]) -> None:
        waiting = list(operands)
        while waiting:
            operand = waiting.pop()
            self.readers[operand] -= 1
            if not self.readers[operand] and operand in self.makers:
                waiting += self.graph.nodes[self.makers[operand]].operands


Recipe = tuple[str, tuple[Operand, ...]]


class Recipes:
    """Recipes on live variables; of those that hold the same, the oldest."""

    def __init__(self, values: Values, readers: Mapping[Operand, int], age: Mapping[Operand, int]):
        self.values, self.readers, self.age = values, readers, age

    def age_of(self, operand: Operand) -> int:
        return self.age.get(operand, -1)

    def holder(self, known: Knowledge, form: AffineForm) -> Operand | None:
        """The oldest variable that holds a form, or its number."""
        if not form.terms:
            return Constant(form.constant)
        fitting = [
            v
            for v in known.holders(form.terms)
            if self.readers[v] and known.settled(known.variables[v]) == form
        ]
        return min(fitting, key=self.age_of, default=None)

    def shifted(self, form: AffineForm, known: Knowledge) -> Iterator[Recipe]:
        """A variable plus a number, or a number minus a variable."""
        M = self.values.M
        for variable in known.holders(form.terms):
            if self.readers[variable]:
                other = known.settled(known.variables[variable])
                yield plus(variable, (form.constant - other.constant) % M)
        for variable in known.holders(self.values.negated(form)[1]):
            if self.readers[variable]:
                other = known.settled(known.variables[variable])
                number = Constant((form.constant + other.constant) % M)
                yield SUB, (number, variable)

    def multiples(self, form: AffineForm, known: Knowledge) -> Iterator[Recipe]:
        """A variable times a number, if there is an instruction for it."""
        values, M = self.values, self.values.M
        op = values.instructions.with_meaning(isa.multiply)
        if op is None or len(form.terms) != 1 or form.constant:
            return
        ((atom, factor),) = form.terms
        variable = self.holder(known, AffineForm(0, ((atom, 1),)))
        if variable is not None and 1 < factor < M:
            yield values.instructions.names[op], (variable, Constant(factor))

    def sums(self, form: AffineForm, known: Knowledge) -> Iterator[Recipe]:
        """A variable plus or minus another; one of them shares an atom with the form."""
        atoms = {atom for atom, _ in form.terms}
        for variable, held in list(islice(reversed(known.variables.items()), NEWEST)):
            held = known.settled(held)
            if not self.readers[variable] or not any(atom in atoms for atom, _ in held.terms):
                continue
            rest = self.values.sum(form, held, -1)
            if not rest.terms:
                continue
            other = self.holder(known, rest)
            if other is not None:
                yield ADD, (variable, other)
            other = self.holder(known, self.values.negated(rest))
            if other is not None:
                yield SUB, (variable, other)
            rest = self.values.sum(form, held)
            other = self.holder(known, rest) if rest.terms else None
            if other is not None:
                yield SUB, (other, variable)

    def outputs(self, form: AffineForm, known: Knowledge) -> Iterator[Recipe]:
        """The instruction that a form is the output of."""
        values = self.values
        parts = values.parts(form)
        if parts is None:  # perhaps the opposite of a comparison
            parts = values.parts(values.sum(AffineForm(1 % values.M), form, -1))
            opposite = None if parts is None else values.opposite(parts[0])
            if parts is None or opposite is None:
                return
            is_order = values.instructions[opposite].output is isa.at_most
            parts = (opposite, *(parts[:0:-1] if is_order else parts[1:]))
        op, *forms = parts
        wanted = forms[: values.instructions[op].operands]
        operands = [each for f in wanted if (each := self.holder(known, f)) is not None]
        if len(operands) == len(wanted):
            yield op, tuple(operands)

    def reads(self, form: AffineForm, known: Knowledge) -> Iterator[Recipe]:
        """A cell that holds it."""
        for cell, held in known.cells.items():
            if known.settled(held) == form:
                yield READ, (Constant(cell),)


def plus(variable: Variable, number: int) -> Recipe:
    """A variable plus a number."""
    return ADD, (variable, Constant(number))


Held = Sequence[tuple[Variable, AffineForm]]
Detour = tuple[AffineForm, Recipe, Recipe]  # the intermediate value, its recipe, the last recipe


def detours(values: Values, form: AffineForm, held: Held, between: Variable) -> Iterator[Detour]:
    """Two sums that make a form of held values; `between` holds the output of the first."""
    for one, a in held:
        for two, b in held:
            for op, factor in ((ADD, 1), (SUB, -1)):
                middle, first = values.sum(a, b, factor), (op, (one, two))
                rest, both = values.sum(form, middle, -1), values.sum(form, middle)
                if not rest.terms:
                    yield middle, first, plus(between, rest.constant)
                if not both.terms:
                    yield middle, first, (SUB, (Constant(both.constant), between))
                for last, number in _last(values, form, middle, held, between):
                    if number == 0:
                        yield middle, first, last
        for factor in (1, -1):
            multiple = values.sum(ZERO, a, factor)
            for last, number in _last(values, form, multiple, held, between):
                new = AffineForm((multiple.constant + number) % values.M, multiple.terms)
                yield (
                    new,
                    plus(one, number) if factor == 1 else (SUB, (Constant(number), one)),
                    last,
                )


def _last(
    values: Values, form: AffineForm, middle: AffineForm, held: Held, between: Variable
) -> Iterator[tuple[Recipe, int]]:
    """The second command if the first outputs this plus a number, and the number."""
    M = values.M
    rest, both = values.sum(form, middle, -1), values.sum(form, middle)
    twice = (rest.constant - middle.constant) % M
    if rest.terms == middle.terms and (twice % 2 == 0 or M % 2):
        yield (ADD, (between, between)), (twice if twice % 2 == 0 else twice + M) // 2
    negated = values.negated(rest)[1]
    for variable, (number, terms) in held:
        if terms == rest.terms:
            yield (ADD, (between, variable)), (rest.constant - number) % M
        if terms == both.terms:
            yield (SUB, (variable, between)), (number - both.constant) % M
        if terms == negated:
            yield (SUB, (between, variable)), (rest.constant + number) % M
