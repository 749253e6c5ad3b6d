"""The parser of terms, the part of `anc.proof.parser` for numbers, cells and slices."""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass
from typing import NoReturn

from anc.language.tokens import Reader, Token, tokens
from anc.proof.facts import Count, Fact, Remainder, Sum, at, cell, how_often, index, times
from anc.support.diagnostics import SourceError, Span, close_match, error

_TOKEN = re.compile(
    r"(?P<word>[A-Za-z_]\w*)|(?P<number>\d+)|(?P<sign>[=!<>]=|[-+*%<>()\[\],:.])|(?P<other>\S)"
)
FUNCTIONS = ("sorted", "different", "all", "sum")
WORDS = ("tape", "and", "or", "not", "implies", "in", "for", "range", "while", "count", *FUNCTIONS)
INDEX = "i"
_HELP = {
    "=": "equality is written ==",
    "!": "write != or not",
    "&": "write and",
    "|": "write or",
    "/": "only + - * and % can be used with cells",
    "{": "write a set of numbers as (1, 2, 7)",
}
_COUNT = "such as tape[20:28].count(35) == 1"
LONGEST = 4_000  # characters of a fact that a user writes
_LONGEST_PRINTED = 25 * LONGEST  # ... and of such a fact when it is printed
_DEEPEST = 50
_LARGEST = 10**9  # far above any memory; sums of such numbers fit in 64 bits
MOST_CELLS = 10_000


@dataclass(frozen=True)
class TermSequence:
    """A sequence of terms, in parentheses or as a slice."""

    terms: tuple[Sum, ...]


@dataclass(frozen=True)
class Uncompared:
    """A remainder or a count that is not compared with a number yet; the fact compares it with 0."""

    fact: Remainder | Count

    @property
    def kind(self) -> str:
        return "count" if isinstance(self.fact, Count) else "remainder"

    def __str__(self) -> str:
        return str(self.fact).removesuffix(" == 0")


Found = Fact | Sum | Uncompared | TermSequence  # a parsed text, before it must be a fact or a term


class TermParser(Reader):
    lists = 0  # lists parsed so far

    def __init__(self, text: str, M: int | None, name: str) -> None:
        self.text, self.M, self.name = text, M, name
        self.depth = 0
        self.index: Token | None = None  # an i that is not bound by a list yet
        if len(text) > _LONGEST_PRINTED:
            self.too_long()
        self.tokens = tokens(text, pattern=_TOKEN)
        for token in self.tokens:
            if token.kind == "other":
                message = f"unexpected character {token.text!r}"
                self.wrong(message, token.span, _HELP.get(token.text))
            if token.kind == "number" and int(token.text) > _LARGEST:
                self.wrong("this number is too large", token.span, f"at most {_LARGEST:,}")

    @abstractmethod
    def fact(self) -> Found:
        """An expression in parentheses, which may be a fact or a term."""

    @abstractmethod
    def called(self, function: Token) -> Fact | Uncompared:
        """A function call, from its opening parenthesis on."""

    # -- grammar -------------------------------------------------------------

    def sum(self) -> Found:
        start, total = self.here, self.product()
        while self.here.text in ("+", "-"):
            sign = 1 if self.take().text == "+" else -1
            total = self.need_sum(start, total).plus(self.need_sum(self.here, self.product()), sign)
            if abs(total.constant) > _LARGEST:
                self.wrong("this sum is too large", start.span, f"at most {_LARGEST:,}")
        return total

    def product(self) -> Found:
        start, total = self.here, self.factor()
        while self.here.text in ("*", "%"):
            left, op, right = self.need_sum(start, total), self.take(), self.here
            by = self.need_sum(right, self.factor())
            if op.text == "*":
                total = self.multiplied(left, op, by)
            elif by == Sum():
                self.wrong("expected a divisor that is not 0", right.span)
            else:
                total = Uncompared(Remainder(left, by, "==", 0))
        return total

    def multiplied(self, left: Sum, op: Token, right: Sum) -> Sum:
        if left.cells and right.cells:
            self.wrong(
                f"expected a constant factor, found '{left}' and '{right}'",
                op.span,
                "a cell can be multiplied by a number, as in 2 * tape[3], but not by a cell",
            )
        number, of = (left, right) if right.cells else (right, left)
        total = times(number.constant, of)
        if any(abs(n) > _LARGEST for n in (total.constant, *(t for t, _ in total.cells))):
            self.wrong("this product is too large", op.span, f"at most {_LARGEST:,}")
        return total

    def factor(self) -> Found:
        token = self.here
        if token.kind == "number":
            return Sum((), int(self.take().text))
        if self.accept("-"):
            self.deeper()
            negative = times(-1, self.need_sum(self.here, self.factor()))
            self.depth -= 1
            return negative
        if self.accept("("):
            return self.in_parentheses()
        if self.accept("tape"):
            return self.tape()
        if token.kind == "word" and self.tokens[self.at + 1].text == "(":
            return self.called(self.take())
        if self.accept(INDEX):
            self.index = self.index or token
            return index()
        return self.expected("a number or a cell such as tape[0]")

    def in_parentheses(self) -> Found:
        start, first = self.here, self.fact()
        if self.here.text != ",":
            self.need(")")
            return first
        return TermSequence(self.others(self.need_terms(start, first)))

    def others(self, terms: tuple[Sum, ...]) -> tuple[Sum, ...]:
        """The terms after the first one, up to the closing parenthesis; returns all of them."""
        while self.accept(",") and self.here.text != ")":
            terms += self.need_terms(self.here, self.sum())
        self.need(")", "',' or ')'")
        return terms

    def numbers(self, most: int | None = None) -> list[int]:
        """Signed numbers, up to the closing parenthesis, with an optional trailing comma if `most` is None."""
        found = [self.whole_number()]
        while len(found) != most and self.accept(",") and (most or self.here.text != ")"):
            found.append(self.whole_number())
        self.need(")", "',' or ')'")
        return found

    def tape(self) -> Sum | TermSequence | Uncompared:
        self.need("[")
        self.deeper()
        start = self.here
        if start.kind != "number" and start.text not in ("tape", INDEX, "(", "-", ":"):
            self.expected("the number of a cell")
        address = Sum() if start.text == ":" else self.need_sum(start, self.sum())
        found = self.slice(start, address) if self.accept(":") else self.cell(start, address)
        self.need("]")
        self.depth -= 1
        if self.accept("."):
            return self.counted(start, found)
        return found

    def counted(self, token: Token, found: Sum | TermSequence) -> Uncompared:
        """A count, after its slice."""
        if not isinstance(found, TermSequence):
            self.wrong("expected a slice of cells before '.count'", token.span, _COUNT)
        self.need("count", "'count'")
        self.need("(")
        value = self.need_sum(self.here, self.sum())
        self.need(")")
        self.lists += 1
        (first,) = found.terms[0].read
        return Uncompared(how_often(value, range(first, first + len(found.terms)), "==", 0))

    def cell(self, token: Token, address: Sum) -> Sum:
        number = address.constant
        if not address.cells and (number < 0 or (self.M is not None and number >= self.M)):
            memory = "a memory" if self.M is None else f"a memory of {self.M} cells"
            last = "" if self.M is None else f" to {self.M - 1}"
            self.wrong(
                f"there is no cell {number} in {memory}", token.span, f"cells go from 0{last}"
            )
        return at(address)

    def slice(self, token: Token, begin: Sum) -> TermSequence:
        end = Sum((), self.M or 0)
        if self.here.text != "]" or self.M is None:
            if self.here.kind != "number":
                self.expected("the number of the cell after the last one")
            end = self.need_sum(self.here, self.sum())
        if self.here.text == ":":
            self.wrong("a slice of cells has no step", self.here.span)
        text = f"tape[{begin}:{end}]"
        if begin.cells or end.cells or begin.constant < 0:
            self.wrong(f"expected numbers of cells in the slice '{text}'", token.span)
        if begin.constant >= end.constant:
            help = "as in Python, tape[1:5] are the cells from 1 to 4"
            self.wrong(f"there are no cells in the slice '{text}'", token.span, help)
        if end.constant > (self.M or MOST_CELLS):
            if self.M is None:
                self.wrong(f"a slice has at most {MOST_CELLS} cells", token.span)
            self.cell(token, Sum((), max(begin.constant, end.constant - 1)))
        return TermSequence(tuple(map(cell, range(begin.constant, end.constant))))

    def whole_number(self) -> int:
        negative = self.accept("-")
        if self.here.kind != "number":
            self.expected("a number")
        number = int(self.take().text)
        return -number if negative else number

    # -- tokens and mistakes -------------------------------------------------

    def too_long(self) -> NoReturn:
        self.wrong(
            f"a fact has at most {LONGEST:,} characters, found {len(self.text):,}", Span(1, 1)
        )

    def need(self, text: str, what: str = "") -> None:
        if not self.accept(text):
            self.expected(what or f"'{text}'")

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            self.wrong("this is nested too deeply", self.here.span)

    def need_fact(self, token: Token, found: Found) -> Fact:
        if isinstance(found, TermSequence):
            help = (
                "such as sorted(tape[1:5]), different(tape[1:5]) or (tape[1], tape[2]) in ((1, 2),)"
            )
            self.wrong("these are several numbers, expected a fact", token.span, help)
        if not isinstance(found, Fact):
            what = found.kind if isinstance(found, Uncompared) else "number"
            help = f"compare it with something: {found} == 0"
            self.wrong(f"'{found}' is a {what}, expected a fact", token.span, help)
        return found

    def need_sum(self, token: Token, found: Found) -> Sum:
        if isinstance(found, Fact):
            self.wrong(f"'{found}' is a fact, expected a number", token.span)
        if isinstance(found, Uncompared):
            help = f"a {found.kind} can only be compared with a number: {found} == 0"
            self.wrong(f"'{found}' is a {found.kind}, expected a number", token.span, help)
        if isinstance(found, TermSequence):
            help = "several can stand in sorted(...), in different(...) and before 'in'"
            self.wrong("these are several numbers, expected one", token.span, help)
        return found

    def need_terms(self, token: Token, found: Found) -> tuple[Sum, ...]:
        return found.terms if isinstance(found, TermSequence) else (self.need_sum(token, found),)

    def expected(self, what: str, help: str | None = None) -> NoReturn:
        token = self.here
        found = "the end" if token.kind == "end" else f"'{token.text}'"
        match = close_match(token.text, WORDS) if token.kind == "word" else None
        if match and match != token.text:
            help = f"did you mean '{match}'?"
        self.wrong(f"expected {what}, found {found}", token.span, help)

    def wrong(self, message: str, span: Span, help: str | None = None) -> NoReturn:
        raise SourceError([error(message, span, help)], self.text, self.name)
