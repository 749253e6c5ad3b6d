"""Facts as expressions of C11."""

from __future__ import annotations

from collections.abc import Sequence

from anc.emit.facts import FactWriter
from anc.verify.facts import (
    At,
    Comparison,
    Count,
    Different,
    Fact,
    Member,
    Remainder,
    Sorted,
    Stepwise,
    Sum,
    compare,
)

_LARGEST = 2**31 - 1
_DEEPEST = 32  # elements of a list that are counted in brackets inside of brackets


class CFacts(FactWriter):
    both, either, deny = "&&", "||", "!"
    truths = "0", "1"

    def stepwise(self, fact: Stepwise) -> str:
        return self.one_by_one(fact, "{0} ? {1} : ")

    def count(self, fact: Count) -> str:
        """Truth values are numbers, and what is behind the end of a list adds nothing."""
        begins = range(0, len(fact.steps), _DEEPEST)
        return f"({' + '.join(self.counted_from(fact, begin) for begin in begins)})"

    def counted_from(self, fact: Count, begin: int) -> str:
        """How many of a few elements there are, if the list goes on up to the first of them."""
        text = ""
        for condition, element in reversed(fact.steps[begin : begin + _DEEPEST]):
            said = f"({self.fact(element)})"
            text = f"{said} + {text}" if text else said
            if fact.going is not None:
                text = f"({self.inside(condition)} ? {text} : 0)"
        before = [self.inside(condition) for condition, _ in fact.steps[:begin]]
        if fact.going is None or not before:
            return text
        return f"({' && '.join(before)} ? {text} : 0)"

    def is_one(self, fact: Fact, text: str) -> bool:
        return not any(sign in text for sign in ("&&", "||", "?"))

    def several(self, times: int, place: int | At) -> str:
        text = super().several(times, place)
        return text if times * self.M <= _LARGEST // 64 else f"(int64_t){text}"

    def modulo(self, total: Sum, text: str, divisor: int) -> str:
        low, _ = total.bounds({}, self.M)
        rest = f"({text}) % {divisor}"
        return rest if low >= 0 else f"({rest} + {divisor}) % {divisor}"

    def comparison(self, fact: Comparison) -> str:
        return self.all([compare(a, op, b) for a, op, b in fact.links()])

    def all(self, comparisons: Sequence[Comparison]) -> str:
        """Single comparisons that must all hold, without those that always do.

        A compiler warns of both: of ``x != x``, which one of many can be, and of ``0 <= x``.
        """
        verdicts = [each.judge({}, self.M) for each in comparisons]
        if False in verdicts:
            return self.truths[False]
        kept = [each for each, is_so in zip(comparisons, verdicts, strict=True) if not is_so]
        texts = [f"{self.sum(a)} {op} {self.sum(b)}" for each in kept for a, op, b in each.links()]
        return " && ".join(texts) or self.truths[True]

    def remainder(self, fact: Remainder) -> str:
        """C's remainder has the sign of the dividend, Python's that of the divisor."""
        dividend, divisor, rest = self.sum(fact.dividend), self.sum(fact.divisor), fact.rest
        least, _ = fact.dividend.bounds({}, self.M)
        low, _ = fact.divisor.bounds({}, self.M)
        if least >= 0 and low > 0:
            return f"({dividend}) % ({divisor}) {fact.op} {rest}"
        possible_rest = compare(fact.divisor, ">" if rest > 0 else "<" if rest < 0 else "!=", rest)
        divided = f"({self.sum(fact.dividend.plus(Sum((), -rest)))}) % ({divisor}) == 0"
        equal = f"{self.fact(possible_rest)} && {divided}"
        if fact.op == "==":
            return equal
        return f"{self.fact(compare(fact.divisor, '!=', 0))} && !({equal})"

    def ordered(self, fact: Sorted) -> str:
        return self.all(fact.pairs())

    def different(self, fact: Different) -> str:
        return self.all(fact.pairs())

    def words(self, fact: Member) -> str:
        terms = list(map(self.sum, fact.terms))
        words = [
            " && ".join(f"{term} == {number}" for term, number in zip(terms, word, strict=True))
            for word in fact.words
            if possible(fact.terms, word, self.M)
        ]
        return words[0] if len(words) == 1 else " || ".join(f"({word})" for word in words)

    def numbers(self, term: str, numbers: list[int]) -> str:
        return " || ".join(f"{term} == {number}" for number in numbers)

    def between(self, low: int, term: Sum, high: int) -> str:
        return self.all([compare(low, "<=", term), compare(term, "<=", high)])


def possible(terms: Sequence[Sum], word: Sequence[int], M: int) -> bool:
    """Whether terms can be the numbers of a word at all."""
    bounds = (term.bounds({}, M) for term in terms)
    return all(low <= number <= high for number, (low, high) in zip(word, bounds, strict=True))
