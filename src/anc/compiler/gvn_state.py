"""The state of value numbering at one node: the forms that variables and cells hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anc.compiler.affine import AffineForm, Terms, Values, certainly_differ
from anc.compiler.graph import WRITE, Constant, Node, Operand, Variable

MANY = 64  # variables; where there are more, only live ones are copied to branches


class Knowledge:
    """The forms of variables and cells, and which forms are zero or non-zero, on every run."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.variables: dict[Variable, AffineForm] = {}
        self.cells: dict[int, AffineForm] = {}
        self.places: dict[AffineForm, AffineForm] = {}  # cells with unknown addresses
        self.equal: dict[int, AffineForm] = {}
        self.zero: dict[AffineForm, bool] = {}
        self._holders: dict[Terms, list[Variable]] | None = None

    def copy(self, wanted: Sequence[Variable] | None = None) -> Knowledge:
        """A copy, perhaps restricted to some variables."""
        new = Knowledge(self.values)
        if wanted is None:
            new.variables = dict(self.variables)
        else:
            new.variables = {v: self.variables[v] for v in wanted if v in self.variables}
        new.cells, new.places = dict(self.cells), dict(self.places)
        new.equal, new.zero = self.equal, dict(self.zero)
        return new

    def settled(self, form: AffineForm) -> AffineForm:
        return self.values.settled(form, self.equal) if self.equal else form

    # -- variables -------------------------------------------------------------

    def form(self, operand: Operand, number: int) -> AffineForm:
        """What an operand of a node holds; an unknown value becomes an atom."""
        if isinstance(operand, Constant):
            return AffineForm(operand.value % self.values.M)
        assert isinstance(operand, Variable)
        if operand not in self.variables:
            self.assign(operand, self.values.atom((number, operand)))
        return self.variables[operand]

    def assign(self, variable: Variable, form: AffineForm) -> None:
        old = self.variables.pop(variable, None)
        self.variables[variable] = form
        if self._holders is not None:
            if old is not None:
                self._holders[self.settled(old)[1]].remove(variable)
            self._holders.setdefault(self.settled(form)[1], []).append(variable)

    def holders(self, terms: Terms) -> Sequence[Variable]:
        """The variables whose forms have these terms."""
        if self._holders is None:
            self._holders = {}
            for variable, form in self.variables.items():
                self._holders.setdefault(self.settled(form)[1], []).append(variable)
        return self._holders.get(terms, ())

    # -- cells -----------------------------------------------------------------

    def read(self, address: AffineForm) -> AffineForm | None:
        return self.places.get(address) if address.terms else self.cells.get(address.constant)

    def remember(self, address: AffineForm, form: AffineForm) -> None:
        if address.terms:
            self.places[address] = form
        else:
            self.cells[address.constant] = form

    def write(self, address: AffineForm, form: AffineForm) -> None:
        """Keep the cells that a WRITE cannot change, and add the one that it writes."""
        settled = self.settled(form)
        if address.terms and self.cells:
            self.cells = {
                cell: f
                for cell, f in self.cells.items()
                if self._stays(AffineForm(cell), self.settled(f), address, settled)
            }
        if self.places:
            self.places = {
                place: f
                for place, f in self.places.items()
                if self._stays(place, self.settled(f), address, settled)
            }
        self.remember(address, form)

    def _stays(
        self, cell: AffineForm, form: AffineForm, address: AffineForm, new: AffineForm
    ) -> bool:
        """Whether a cell still holds a form after a WRITE.

        It does if it is another cell, or if equal addresses imply equal values.
        """
        if form == new or self._differ(cell, address):
            return True
        values = self.values
        change = values.sum(new, form, -1)
        if not change.terms:
            return False
        distance = values.sum(cell, address, -1)
        return bool(distance.terms) and values.scaled(change) == values.scaled(distance)

    def _differ(self, one: AffineForm, two: AffineForm) -> bool:
        if certainly_differ(one, two):
            return True
        return bool(self.zero) and self.is_zero(self.values.sum(one, two, -1)) is False

    # -- what a jump implies ---------------------------------------------------

    def is_zero(self, form: AffineForm) -> bool | None:
        """Whether a settled form is 0; None if unknown."""
        if not form.terms:
            return form.constant == 0
        found = self.zero.get(self.values.scaled(form))
        return False if found is None and not self.values.can_be_zero(form) else found

    def learn(self, form: AffineForm, is_zero: bool) -> None:
        """Record that a settled form is 0, or is not."""
        if not form.terms:
            return
        if not is_zero and self.values.range(form) == (0, 1):
            is_zero, form = True, self.values.sum(form, AffineForm(1), -1)
        self.zero[self.values.scaled(form)] = is_zero
        found = self.values.solved(form) if is_zero else None
        if found is None:
            return
        new = dict([found])
        self.equal = {a: self.values.settled(f, new) for a, f in self.equal.items()} | new
        self._holders = None
        for known, answer in list(self.zero.items()):
            form = self.settled(known)
            if form.terms:
                self.zero[self.values.scaled(form)] = answer
        for place, f in list(self.places.items()):
            self.remember(self.settled(place), f)
        for also, answer in self.values.implied(*found):
            self.learn(self.settled(also), answer)

    # -- merges ------------------------------------------------------------------

    def forget(self, number: int, body: Iterable[Node] | None) -> None:
        """At a loop header: keep what no iteration changes."""
        self._holders = None
        if body is None:
            for part in (self.variables, self.cells, self.places, self.zero):
                part.clear()
            self.equal = {}
            return
        for node in body:
            if node.out is not None:
                self.variables[node.out] = self.values.atom((number, node.out))
            if node.op == WRITE:
                self.places.clear()
                address = node.operands[0]
                if isinstance(address, Constant):
                    self.cells.pop(address.value, None)
                else:
                    self.cells.clear()


def meet(number: int, ways: Sequence[Knowledge]) -> Knowledge:
    """What is known at a node on all paths."""
    first, *others = ways
    if not others:
        return first
    values = first.values
    new = Knowledge(values)

    def agreed(forms: list[AffineForm]) -> AffineForm:
        if forms.count(forms[0]) == len(forms):
            return forms[0]
        forms = [way.settled(form) for way, form in zip(ways, forms, strict=True)]
        if forms.count(forms[0]) == len(forms):
            return forms[0]
        return values.either((number, *forms), forms)

    for name in ("variables", "cells", "places"):
        tables = [getattr(way, name) for way in others]
        found = getattr(new, name)
        for what, form in getattr(first, name).items():
            if all(what in table for table in tables):
                found[what] = agreed([form, *(table[what] for table in tables)])
    new.equal = {
        a: f for a, f in first.equal.items() if all(way.equal.get(a) == f for way in others)
    }
    new.zero = {f: z for f, z in first.zero.items() if all(way.zero.get(f) is z for way in others)}
    return new
