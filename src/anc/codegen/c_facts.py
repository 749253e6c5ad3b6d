"""Translates facts to expressions of C11."""

from __future__ import annotations

from collections.abc import Sequence

from anc.codegen.facts import CellText, FactWriter, plain_cell
from anc.codegen.printer import INDENT
from anc.proof.facts import Along, At, Comparison, Count, Different, Fact, Remainder, Sum, compare

_LARGEST = 2**31 - 1
_DEEPEST = 32  # levels of nested parentheses in a count
_PAIRS = 8  # terms up to which `different` is unrolled to comparisons of pairs


class CFacts(FactWriter):
    both, either, deny = "&&", "||", "!"
    truths = "0", "1"

    def __init__(self, M: int, cell: CellText = plain_cell, prefix: str = "anc") -> None:
        super().__init__(M, cell)
        self.prefix = prefix  # of the names of helper functions
        self.needs_different = False

    def needed(self) -> list[str]:
        """The helper function, if an expression calls it."""
        if not self.needs_different:
            return []
        return [
            f"static inline int {self.prefix}_different(const int64_t *numbers, int count) {{",
            f"{INDENT}for (int i = 1; i < count; i++) {{",
            f"{INDENT * 2}for (int j = 0; j < i; j++) {{",
            f"{INDENT * 3}if (numbers[i] == numbers[j]) return 0;",
            f"{INDENT * 2}}}",
            f"{INDENT}}}",
            f"{INDENT}return 1;",
            "}",
            "",
        ]

    def along(self, fact: Along) -> str:
        """A chain of conditional expressions; the first condition or fact that fails decides."""
        if fact.function == "different" and len(fact.numbers) > _PAIRS:
            return self.no_two_equal(fact.elements, self.length(fact))
        no, yes = self.truths
        text = ""
        for condition, then in fact.steps:
            for part, decides in ((condition, yes), (then, no)):
                said = self.fact(part)
                if said != yes:
                    text += f"!({said}) ? {decides} : "
        return f"({text}{yes})"

    def length(self, fact: Along) -> str:
        """The length of a list."""
        conditions = [condition for condition, _ in fact.steps] if fact.going is not None else []
        ends = [f"!({self.fact(condition)}) ? {k} : " for k, condition in enumerate(conditions)]
        return f"{''.join(ends)}{len(fact.numbers)}"

    def no_two_equal(self, terms: Sequence[Sum], count: str) -> str:
        """A call of the helper function: comparing all pairs inline would take compilers too long."""
        self.needs_different = True
        numbers = ", ".join(map(self.sum, terms))
        return f"{self.prefix}_different((const int64_t[]){{{numbers}}}, {count})"

    def count(self, fact: Count) -> str:
        """A sum of truth values; elements after the end of the list add 0."""
        begins = range(0, len(fact.steps), _DEEPEST)
        return f"({' + '.join(self.counted_from(fact, begin) for begin in begins)})"

    def counted_from(self, fact: Count, begin: int) -> str:
        """The count of a chunk of elements, or 0 if the list ends before them."""
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
        """A conjunction of comparisons, without those that are always true.

        Compilers warn about constant comparisons such as ``x != x`` and ``0 <= x``.
        """
        verdicts = [each.judge({}, self.M) for each in comparisons]
        if False in verdicts:
            return self.truths[False]
        kept = [each for each, is_so in zip(comparisons, verdicts, strict=True) if not is_so]
        texts = [f"{self.sum(a)} {op} {self.sum(b)}" for each in kept for a, op, b in each.links()]
        return " && ".join(texts) or self.truths[True]

    def remainder(self, fact: Remainder) -> str:
        """Python's remainder in C, whose own has the sign of the dividend and not of the divisor."""
        dividend, divisor, rest = self.sum(fact.dividend), self.sum(fact.divisor), fact.rest
        least, _ = fact.dividend.bounds({}, self.M)
        low, _ = fact.divisor.bounds({}, self.M)
        if least >= 0 and low > 0:
            return f"({dividend}) % ({divisor}) {fact.op} {rest}"
        fitting = compare(fact.divisor, ">" if rest > 0 else "<" if rest < 0 else "!=", rest)
        divided = f"({self.sum(fact.dividend.plus(Sum((), -rest)))}) % ({divisor}) == 0"
        equal = f"{self.fact(fitting)} && {divided}"
        if fact.op == "==":
            return equal
        return f"{self.fact(compare(fact.divisor, '!=', 0))} && !({equal})"

    def different(self, fact: Different) -> str:
        if len(fact.terms) > _PAIRS:
            return self.no_two_equal(fact.terms, str(len(fact.terms)))
        return self.all(fact.pairs())

    def among(self, terms: Sequence[Sum], words: Sequence[tuple[int, ...]]) -> str:
        bounds, texts = [term.bounds({}, self.M) for term in terms], list(map(self.sum, terms))
        found = [
            " && ".join(f"{text} == {number}" for text, number in zip(texts, word, strict=True))
            for word in words
            if all(low <= n <= high for n, (low, high) in zip(word, bounds, strict=True))
        ]
        return " || ".join(
            f"({word})" if len(terms) > 1 and len(found) > 1 else word for word in found
        )
