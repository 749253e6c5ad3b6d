"""Argument checks of emitted Python functions: types, ranges and lengths, each in its cheapest sound form.

CPython keeps one object for each number from -5 to 256. So ``n is _20`` holds for the plain number 20 only, and
``_numbers[n] is n`` for those plain numbers that the tuple holds at their own places: type and value are checked
at once. A bool, a float, a subclass of int or a number of numpy equals such a number, but is another object.
(Where a language implementation made a second object, the call would only go to the original.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from anc.codegen.signature import Parameter, Signature, facts_about, values_of
from anc.codegen.tables import is_range
from anc.proof.facts import Fact

FEW = 16  # elements that are checked one by one
LARGEST_SHARED = 256  # the largest number that exists once
LONGEST = 4096  # elements of a tuple that numbers are looked up in


def kind(p: Parameter) -> str:
    """The type of an argument."""
    if p.size is None or p.kind == "list":
        return _type(p) if p.size is None else f"list[{_type(p)}]"
    return f"tuple[{_type(p)}, ...]" if p.kind == "tuple" else p.kind


def _type(p: Parameter) -> str:
    """The type of an argument's numbers."""
    return "bool" if p.truths else "int"


def renamed(signature: Signature, inside: Signature) -> list[str]:
    """The assignments that rename arguments inside of the function, or make lists of numbers of them."""
    found = []
    for p, inner in zip(signature.parameters, inside.names, strict=True):
        if is_converted(p):
            numbers = f"[*map(ord, {p.name})]" if p.kind == "str" else f"[*{p.name}]"
            found.append(f"{inner} = {numbers} if type({p.name}) is {p.kind} else None")
        elif inner != p.name:
            found.append(f"{inner} = {p.name}")
    return found


def is_converted(p: Parameter) -> bool:
    """Whether an argument is another sequence than a list: inside, it is a list of its numbers."""
    return p.size is not None and p.kind != "list"


def as_lists(signature: Signature) -> Signature:
    """The signature inside of the function, where every sequence is a list."""
    names = set(signature.names)
    parameters = []
    for p in signature.parameters:
        if is_converted(p):
            name = f"{p.name}_{'codes' if p.kind == 'str' else 'numbers'}"
            while name in names:
                name += "_"
            p = p.named(name)
        parameters.append(p)
    return replace(signature, parameters=tuple(parameters))


def made_of(kind: str, numbers: str) -> str:
    """The expression that makes a sequence of a list of numbers."""
    if kind == "str":
        return f'"".join(map(chr, {numbers}))'
    return numbers if kind == "list" else f"{kind}({numbers})"


class ArgumentChecks:
    """The tests that arguments have their exact types and fit into their cells.

    A fact about a single cell becomes part of the test of its number; `left` are the other facts. Tests that may
    raise, because what is no small number is no index, stand in a `try`.
    """

    def __init__(
        self,
        facts: Sequence[Fact],
        M: int,
        taken: Collection[str],
        trusts_types: bool,
        indexes: Mapping[int, Sequence[int]] | None = None,
    ) -> None:
        self.left, self.M = list(facts), M
        self.indexes = indexes or {}  # the values of cells that index a table
        self.taken = set(taken)
        self.trusts_types = trusts_types
        self.outer: list[str] = []  # tests of numbers, and that lists are lists
        self.unpacked: list[str] = []  # assignments of elements to names of their own
        self.inner: list[str] = []  # tests of elements
        self.may_raise = False
        self.constants: dict[str, str] = {}  # by text: names of constants
        self.elements: dict[tuple[str, int], str] = {}  # the names of elements
        self.domains: dict[int, list[int]] = {}  # the values of cells that pass the tests

    def add(self, p: Parameter) -> None:
        if p.size is None:
            self.outer += self.number(p, p.name, p.cell)
        else:
            self.sequence(p, p.size)

    def sequence(self, p: Parameter, size: int) -> None:
        is_list = [] if self.trusts_types else [f"type({p.name}) is list"]
        if p.length is None and 0 < size <= FEW:
            self.few(p, is_list)
            return
        self.outer += [*is_list, self.length(p, size)]
        if size:
            self.inner.append(self.all_fit(p))

    def all_fit(self, p: Parameter, can_raise: bool = True) -> str:
        """The test of the elements of a long list."""
        if can_raise and not p.truths and self.M - 1 <= LARGEST_SHARED:
            self.may_raise = True
            wrong = f"{self.shared(range(self.M), p.name)}[value] is not value"
        else:
            is_type = [] if self.trusts_types else [f"type(value) is not {_type(p)}"]
            wrong = " or ".join(is_type if p.truths else [*is_type, f"not 0 <= value < {self.M}"])
        return f"not [value for value in {p.name} if {wrong or 'False'}]"

    def few(self, p: Parameter, is_list: list[str]) -> None:
        """Each element gets a name."""
        numbers = [self.values(p, cell) for cell in p.cells]
        if self.trusts_types and all(len(good) == 1 for good in numbers):
            known = self.constant(str([good[0] for good in numbers]), p.name)
            self.outer.append(f"{p.name} == {known}")
            for cell in p.cells:
                self.forget(cell)
            return
        self.outer += is_list
        others: list[str] = []
        for place, cell in enumerate(p.cells):
            name = self.free(f"{p.name}_{place}")
            self.elements[p.name, place] = name
            is_pinned = len(numbers[place]) == 1  # such tests are the cheapest: they are first
            (self.inner if is_pinned else others).extend(self.number(p, name, cell))
        names = ", ".join(self.elements[p.name, place] for place in range(p.size or 0))
        self.unpacked.append(f"{names}{',' if p.size == 1 else ''} = {p.name}")
        self.may_raise = True  # if there are more elements, or fewer
        self.inner += others

    def length(self, p: Parameter, size: int) -> str:
        """The test of a list's length, with the facts about it if the allowed lengths are one range."""
        name = f"len({p.name})"
        if p.length is None:
            return f"{name} == {size}" if size else f"not {p.name}"
        good = [n for n in self.values(p, p.length) if n <= size]
        if not good or good[-1] - good[0] >= len(good):
            return f"{name} <= {min(size, self.M - 1)}"
        self.forget(p.length)
        return f"{good[0]} <= {name} <= {good[-1]}" if good[0] else f"{name} <= {good[-1]}"

    def values(self, p: Parameter, cell: int) -> list[int]:
        """The numbers of a cell that satisfy the facts about it alone."""
        is_truth = p.truths and cell != p.length
        return values_of(cell, facts_about(cell, self.left), 2 if is_truth else self.M)

    def forget(self, cell: int) -> None:
        """Drop the facts about a cell alone, as a test says the same."""
        about = facts_about(cell, self.left)
        self.left = [fact for fact in self.left if fact not in about]

    def number(self, p: Parameter, name: str, cell: int) -> list[str]:
        good = self.values(p, cell)
        self.domains[cell] = good
        is_type = [] if self.trusts_types else [f"type({name}) is {_type(p)}"]
        if not good:
            return ["False"]
        if p.truths:
            self.forget(cell)
            return is_type if len(good) == 2 else [f"{name} is {good == [1]}"]
        low, high = good[0], good[-1]
        if high <= LARGEST_SHARED:
            self.forget(cell)
            if low == high:
                return [f"{name} is {self.constant(str(low), '')}"]
            self.may_raise = True
            return [f"{self.shared(good, p.name)}[{name}] is {name}"]
        if list(self.indexes.get(cell, ())) == good:
            self.forget(cell)  # a tuple ends behind the last number, a dictionary has these only
            self.may_raise = True
            return [*is_type, f"{name} >= {low}"] if is_range(good) else is_type
        if not is_range(good):
            del self.domains[cell]  # the facts about it are checked behind this
            return [*is_type, f"{name} >= 0", f"{name} < {self.M}"]
        self.forget(cell)
        if low == high:
            return [*is_type, f"{name} == {low}"]
        # two comparisons are faster than a chain of them
        last = f"< {self.M}" if high == self.M - 1 else f"<= {high}"
        return [*is_type, f"{name} >= {low}", f"{name} {last}"]

    def shared(self, good: Sequence[int], name: str) -> str:
        """A tuple with these numbers at their own places; long, as an exception costs more than a test."""
        low, high, most = good[0], good[-1], min(self.M, LONGEST)
        fits, called = f"n in {tuple(good)}", f"of_{name}"
        if is_range(good):
            fits = f"{low} <= n <= {high}" if low else f"n <= {high}"
            called = f"from_{low}_to_{high}" if low else f"up_to_{high}"
        return self.constant(
            f"tuple(n if {fits} else None for n in range({max(LARGEST_SHARED + 1, most)}))", called
        )

    def constant(self, text: str, name: str) -> str:
        """The name of a constant of the module."""
        if text not in self.constants:
            self.constants[text] = self.free(f"_{name or text}")
        return self.constants[text]

    def free(self, name: str) -> str:
        """A name that nothing else has."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name


def is_along(p: Parameter, fact: Fact) -> bool:
    """Whether a fact is about the elements of one list of fixed size."""
    is_list = p.size is not None and p.length is None
    return is_list and not fact.pointers and fact.cells <= set(p.cells)


def element(p: Parameter, address: str, named: Callable[[str, int], str | None]) -> str:
    """The element of a list in a cell.

    >>> element(Parameter("values", cell=3, size=4), "i + 1", lambda name, place: None)
    'values[i - 2]'
    """
    if address.isdecimal():
        place = int(address) - p.cell
        return named(p.name, place) or f"{p.name}[{place}]"
    *_, first, number = re.split(r"^(.*?)( [+-] \d+)?$", address)[:-1]
    place = int((number or "0").replace(" ", "")) - p.cell
    behind = f" {'-' if place < 0 else '+'} {abs(place)}" if place else ""
    return f"{p.name}[{first}{behind}]"


def apart(signature: Signature) -> list[str]:
    """The tests that no list is passed as two arguments, if that matters."""
    lists = [p.name for p in signature.parameters if p.size is not None]
    return [f"{a} is not {b}" for a, b in combinations(lists, 2)] if signature.apart else []
