"""Translates facts to expressions of Python."""

from __future__ import annotations

import re
from collections.abc import Sequence

from anc.codegen.facts import FactWriter
from anc.proof.facts import (
    Along,
    Comparison,
    Count,
    Different,
    Fact,
    Index,
    Joined,
    Remainder,
    Sum,
    index,
)

_FEW = 8  # elements


class PythonFacts(FactWriter):
    both, either, deny = "and", "or", "not "
    truths = "False", "True"
    numbers: range | None = None  # the numbers that i iterates over

    def is_one(self, fact: Fact, text: str) -> bool:
        return not isinstance(fact, Joined) and " and " not in text

    def settled(self, fact: Fact) -> bool | None:
        return super().settled(fact) if self.numbers is None else None

    def bounds(self, total: Sum) -> tuple[int, int]:
        if not self.numbers:
            return super().bounds(total)
        ends = [total.numbered(n).bounds({}, self.M) for n in (self.numbers[0], self.numbers[-1])]
        return min(low for low, _ in ends), max(high for _, high in ends)

    def along(self, fact: Along) -> str:
        """A search for the first number at which the list ends or the element fails; few are spelt out."""
        if fact.going is None and len(fact.numbers) <= _FEW and self.numbers is None:
            each = [self.inside(then) for _, then in fact.steps]
            return f"({' and '.join(each)})" if len(each) > 1 else each[0]
        outer, self.numbers = self.numbers, fact.numbers
        numbers = f"for i in {fact.numbers}"
        said = self.inside(fact.element) if isinstance(fact.element, Fact) else self.beside(fact)
        if fact.going is None:
            text = f"all({said} {numbers})"
        else:
            going = self.inside(fact.going)
            text = f"next((not {going} {numbers} if not ({going} and {said})), True)"
            if isinstance(fact.going, Comparison) and len(fact.going.rest) == 1:
                over = self.fact(fact.going.negated())
                text = f"next(({over} {numbers} if {over} or not {said}), True)"
        self.numbers = outer
        return text

    def count(self, fact: Count) -> str:
        """A sum over the numbers before the end of the list; few are spelt out."""
        if fact.going is None and len(fact.numbers) <= _FEW and self.numbers is None:
            return " + ".join(f"({self.fact(element)})" for _, element in fact.steps)
        outer, self.numbers = self.numbers, fact.numbers
        begin, end, step = fact.numbers.start, fact.numbers.stop, fact.numbers.step
        numbers = str(fact.numbers)
        if fact.going is not None:
            over = self.fact(fact.going.negated())
            ended = f"next((i for i in {numbers} if {over}), {end})"
            numbers = f"range({begin}, {ended}{'' if step == 1 else f', {step}'})"
        text = f"sum({self.inside(fact.element)} for i in {numbers})"
        self.numbers = outer
        return text

    def beside(self, fact: Along) -> str:
        """The relation between an element and those before it."""
        assert isinstance(fact.element, Sum)
        begin, step = fact.numbers.start, fact.numbers.step
        here = self.sum(fact.element)
        if fact.function == "sorted":
            before = fact.element.replaced({Index(): index(-step)})
            return f"(i == {begin} or {self.sum(before)} <= {here})"
        others = re.sub(r"\bi\b", "j", here)
        return f"all({others} != {here} for j in range({begin}, i, {step}))"

    def modulo(self, total: Sum, text: str, divisor: int) -> str:
        return f"({text}) % {divisor}"

    def comparison(self, fact: Comparison) -> str:
        return self.sum(fact.first) + "".join(f" {op} {self.sum(right)}" for op, right in fact.rest)

    def remainder(self, fact: Remainder) -> str:
        dividend, divisor = self.sum(fact.dividend), self.sum(fact.divisor)
        test = f"({dividend}) % ({divisor}) {fact.op} {fact.rest}"
        low, high = self.bounds(fact.divisor)
        return test if low > 0 or high < 0 else f"{divisor} != 0 and {test}"

    def different(self, fact: Different) -> str:
        return f"len({{{', '.join(map(self.sum, fact.terms))}}}) == {len(fact.terms)}"

    def among(self, terms: Sequence[Sum], words: Sequence[tuple[int, ...]]) -> str:
        if len(terms) == 1:
            numbers = [number for (number,) in words]
            test = f"== {numbers[0]}" if len(numbers) == 1 else f"in {tuple(numbers)}"
            return f"{self.sum(terms[0])} {test}"
        return f"({', '.join(map(self.sum, terms))}) in {tuple(words)}"
