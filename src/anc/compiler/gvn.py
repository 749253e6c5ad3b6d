"""Global value numbering: no value is computed twice, or by two commands where one is enough.

One pass in reverse postorder tracks the form of every variable and cell (`Knowledge`). Operands become numbers
or the oldest variables with the same form, known branches are decided, redundant WRITEs are removed, and commands
are rewritten to use older operands. The newer operands are then dead, and `drop_dead_results` removes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from anc.compiler.addition_chains import NEWEST, Recipe, Recipes, Uses, detours
from anc.compiler.affine import ZERO, AffineForm, Values
from anc.compiler.dataflow import Liveness, Walk, liveness, walk
from anc.compiler.graph import (
    JUMP,
    READ,
    STOP,
    WRITE,
    Graph,
    Node,
    Operand,
    Variable,
    loaded,
)
from anc.compiler.gvn_state import MANY, Knowledge, meet
from anc.support.clock import look

FEW = 6  # variables that are tried as operands of two sums in a row


@dataclass(frozen=True)
class Numbered:
    """The result of the pass: the nodes in order, the cells that they read or write, and copies."""

    way: Walk
    addresses: dict[int, AffineForm]
    copies: dict[int, Variable]  # nodes, and the operand that each outputs


def number_values(graph: Graph) -> Numbered:
    """Number the values of a graph without computed jumps, and simplify its commands."""
    return _Numbering(graph).run()


class _Numbering:
    def __init__(self, graph: Graph) -> None:
        assert graph.M is not None
        self.graph, self.values = graph, Values(graph.M, graph.instructions)
        self.age: dict[Operand, int] = {}  # positions in the order
        self.uses = Uses(graph)
        self.recipes = Recipes(self.values, self.uses.readers, self.age)
        self.addresses: dict[int, AffineForm] = {}
        self.copies: dict[int, Variable] = {}
        self.conditions: dict[int, AffineForm] = {}  # of jumps
        self.made: dict[Operand, AffineForm] = {}  # what variables held when they were written

    def run(self) -> Numbered:
        graph = self.graph
        way = walk({n: node.followers for n, node in graph.nodes.items()}, graph.start)
        for place, number in enumerate(way.order):
            out = graph.nodes[number].out
            if out is not None:
                self.age.setdefault(out, place)
        begin = Knowledge(self.values)
        for variable in graph.variables():
            begin.variables[variable] = AffineForm((variable.value or 0) % self.values.M)
        arriving: dict[int, list[Knowledge]] = {graph.start: [begin]}
        visited = []
        for number in way.order:
            look()
            ways = arriving.pop(number, None)
            if ways is None:
                continue  # every jump to it was decided otherwise
            visited.append(number)
            known = meet(number, ways)
            if number in way.bodies:
                body = way.bodies[number]
                known.forget(number, None if body is None else [graph.nodes[n] for n in body])
            self.visit(number, known)
            for follower, after in self.leaving(number, known):
                if number in way.previous[follower]:
                    arriving.setdefault(follower, []).append(after)
        return Numbered(Walk(visited, way.previous, way.bodies), self.addresses, self.copies)

    def leaving(self, number: int, known: Knowledge) -> Iterator[tuple[int, Knowledge]]:
        """What is known on each outgoing edge."""
        node = self.graph.nodes[number]
        ways = node.followers
        if node.op != JUMP or node.jump == node.after:
            yield from ((way, known) for way in dict.fromkeys(ways))
            return
        for way in ways:
            many = len(known.variables) > MANY
            new = known.copy(self.wanted(way) if many else None)
            new.learn(self.conditions[number], way == node.jump)
            yield way, new

    @cached_property
    def alive(self) -> Liveness:
        return liveness(self.graph)

    def wanted(self, number: int) -> list[Variable]:
        return self.alive.variables(self.alive.before[number])

    # -- commands --------------------------------------------------------------

    def visit(self, number: int, known: Knowledge) -> None:
        node = self.graph.nodes[number]
        if node.op is None or node.op == STOP:
            self.output(node, known, ZERO)
        elif node.op == JUMP:
            self.jump(number, node, known)
        elif node.op == WRITE:
            self.write(number, node, known)
        elif node.out in self.uses.makers and not self.uses.readers[node.out]:
            self.graph.empty(number)
        elif node.out is not None:
            self.compute(number, node, known)

    def output(self, node: Node, known: Knowledge, form: AffineForm) -> None:
        if node.out is not None:
            known.assign(node.out, form)

    def jump(self, number: int, node: Node, known: Knowledge) -> None:
        form = known.settled(known.form(node.operands[0], number))
        self.conditions[number] = form
        is_zero = known.is_zero(form)
        if is_zero is None:
            choices = (self.recipes.holder(known, f) for f in (form, self.values.negated(form)))
            best = min((v for v in choices if v is not None), key=self.recipes.age_of, default=None)
            condition = node.operands[0] if best is None else best
            self.uses.change(number, node.op, (condition, node.operands[1]))
        else:
            self.uses.change(number, None, ())
            if is_zero:
                assert node.jump is not None
                new = replace(self.graph.nodes[number], after=node.jump, free=False)
                self.graph.nodes[number] = new
        self.output(node, known, ZERO)

    def write(self, number: int, node: Node, known: Knowledge) -> None:
        address, value = (known.form(operand, number) for operand in node.operands)
        where, new = known.settled(address), known.settled(value)
        self.addresses[number] = where
        there = known.read(where)
        if there is not None and known.settled(there) == new:
            self.uses.change(number, None, ())
        else:
            operands = (
                self.operand(known, f, o) for f, o in zip((where, new), node.operands, strict=True)
            )
            self.uses.change(number, node.op, tuple(operands))
            known.write(where, value)
        self.output(node, known, ZERO)

    def compute(self, number: int, node: Node, known: Knowledge) -> None:
        assert node.op is not None and node.out is not None
        raw = [known.form(operand, number) for operand in node.operands]
        forms = [known.settled(form) for form in raw]
        found: AffineForm | None
        if node.op == READ:
            self.addresses[number] = forms[0]
            found = known.read(forms[0])
            is_new = found is None
            if found is None:
                found = self.values.atom(("READ", number))
                known.remember(forms[0], found)
        else:
            first, second = [*raw, ZERO, ZERO][:2]
            found, is_new = self.values.output(node.op, first, second), False
        form = known.settled(found)
        if not form.terms:
            self.constant(number, node, form.constant)
        else:
            operands = (
                self.operand(known, f, o) for f, o in zip(forms, node.operands, strict=True)
            )
            recipe = node.op, tuple(operands)
            if not is_new:
                recipe = self.best(number, recipe, form, known)
            self.uses.change(number, *recipe)
            if not is_new and not self.detour(number, form, known):
                self.note(number, recipe, form, known)
        self.output(node, known, found)
        self.made[node.out] = found

    def note(self, number: int, recipe: Recipe, form: AffineForm, known: Knowledge) -> None:
        """Record which cell a READ reads, or what a command copies."""
        op, operands = recipe
        if op == READ:
            self.addresses[number] = known.settled(known.form(operands[0], number))
            return
        for operand in operands:
            if isinstance(operand, Variable) and known.settled(known.variables[operand]) == form:
                self.copies[number] = operand

    def detour(self, number: int, form: AffineForm, known: Knowledge) -> bool:
        """Compute a form in two commands where it takes more; returns whether that was possible."""
        uses, operands = self.uses, self.graph.nodes[number].operands
        freed = uses.freed(number)
        needed = uses.needed(operands, freed)
        own = [v for v in operands if v in freed and uses.readers[v] == operands.count(v)]
        old = next((v for v in own if uses.is_sum(v) and self.is_as_made(v, known)), None)
        if old is None or sum(map(uses.is_sum, freed)) < 2:
            return False
        held = [
            (v, f)
            for v, raw in islice(reversed(known.variables.items()), NEWEST)
            if (v not in freed or not uses.is_sum(v))
            and uses.readers[v]
            and self.is_as_made(v, known)
            and self.recipes.age_of(v) < self.recipes.age_of(old)
            and self.values.shares(form, f := known.settled(raw))
        ]
        new = Variable(old.name if isinstance(old, Variable) else "")
        for middle, first, last in detours(self.values, form, held[:FEW], new):
            others = tuple(v for v in (*first[1], *last[1]) if v is not new)
            if uses.needed(others, freed) + 1 < needed:
                maker = uses.makers[old]
                uses.change(maker, *first)
                uses.rename(old, new)
                self.copies.pop(maker, None)
                self.age[new] = self.age[old]
                uses.change(number, *last)
                known.assign(new, middle)
                return True
        return False

    def is_as_made(self, variable: Operand, known: Knowledge) -> bool:
        """Whether the only definition of a variable dominates this node: else its form differs."""
        if variable not in self.uses.makers or not isinstance(variable, Variable):
            return False
        form = self.made.get(variable)
        return form is not None and bool(form.terms) and known.variables.get(variable) == form

    def constant(self, number: int, node: Node, value: int) -> None:
        variable = node.op == READ or any(isinstance(each, Variable) for each in node.operands)
        if variable or value == 0:
            self.uses.change(number, *loaded(value))

    # -- the choice of operands --------------------------------------------------

    def operand(self, known: Knowledge, form: AffineForm, now: Operand) -> Operand:
        found = self.recipes.holder(known, form)
        return now if found is None or found == now else found

    def best(self, number: int, now: Recipe, form: AffineForm, known: Knowledge) -> Recipe:
        """The recipe that needs the fewest commands, then the oldest operands."""
        freed = self.uses.freed(number)

        copied = self.recipes.holder(known, form)

        def rank(recipe: Recipe) -> tuple[int, bool, bool, int]:
            age = max(map(self.recipes.age_of, recipe[1]), default=-1)
            is_copy = copied is not None and copied in recipe[1]
            return self.uses.needed(recipe[1], freed), recipe[0] == READ, not is_copy, age

        choices = [now, *self.recipes.shifted(form, known), *self.recipes.outputs(form, known)]
        variables = [each for each in now[1] if isinstance(each, Variable)]
        if freed or any(v in self.uses.makers and v not in self.uses.kept for v in variables):
            choices += self.recipes.sums(form, known)
            choices += self.recipes.multiples(form, known)
            choices += self.recipes.reads(form, known)
        return min(choices, key=rank)
