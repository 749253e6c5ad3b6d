"""Text to fact: what a user writes after ``--assume``.

fact        ::= either ["implies" fact]
either      ::= both {"or" both}
both        ::= negation {"and" negation}
negation    ::= "not" negation | comparison
comparison  ::= sum {("==" | "!=" | "<" | "<=" | ">" | ">=") sum}
sum         ::= ["-"] term {("+" | "-") term}
term        ::= NUMBER | "tape" "[" NUMBER "]" | "(" fact ")"
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from anc.diagnostics import SourceError, Span, close_match, error
from anc.verify.facts import COMPARE, And, Comparison, Fact, Implies, Not, Or, Sum

_TOKEN = re.compile(r"\s*(?:(?P<word>[A-Za-z_]\w*)|(?P<number>\d+)|(?P<sign>[=!<>]=|[-+<>()\[\]]))")
_WORDS = ("tape", "and", "or", "not", "implies")
_LONGEST = 10_000
_DEEPEST = 50


def parse_fact(text: str, M: int | None = None, name: str = "<assume>") -> Fact:
    """The fact that a text states; with an M, cells beyond the memory are refused.

    >>> parse_fact("tape[1]>=2 implies 5 == tape[3]").text
    'tape[1] >= 2 implies 5 == tape[3]'
    """
    return _Parser(text, M, name).whole()


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    column: int


class _Parser:
    def __init__(self, text: str, M: int | None, name: str) -> None:
        self.text, self.M, self.name = text, M, name
        self.at = self.depth = 0
        if len(text) > _LONGEST:
            self.wrong(f"a fact has at most {_LONGEST} characters", _Token("end", "", 1))
        self.tokens = self.split()

    def split(self) -> list[_Token]:
        tokens, place = [], 0
        end = len(self.text.rstrip())
        while place < end:
            match = _TOKEN.match(self.text, place)
            if match is None:
                column = len(self.text) - len(self.text[place:].lstrip()) + 1
                self.unexpected_character(_Token("", self.text[column - 1], column))
            kind = match.lastgroup or ""
            tokens.append(_Token(kind, match[kind], match.start(kind) + 1))
            place = match.end()
        return [*tokens, _Token("end", "", end + 1)]

    def unexpected_character(self, token: _Token) -> NoReturn:
        helps = {"=": "equality is written ==", "!": "write != or not", "&": "write and"}
        helps |= {"|": "write or", "*": "only + and - can be used with cells"}
        self.wrong(f"unexpected character {token.text!r}", token, helps.get(token.text))

    # -- grammar -------------------------------------------------------------

    def whole(self) -> Fact:
        if self.here.kind == "end":
            self.wrong("the fact is empty", self.here, 'write one such as "tape[0] == 3"')
        fact = self.need_fact(self.here, self.fact())
        if self.here.kind != "end":
            self.expected("and, or, implies or the end")
        return fact

    def fact(self) -> Fact | Sum:
        self.depth += 1
        if self.depth > _DEEPEST:
            self.wrong("this is nested too deeply", self.here)
        start = self.here
        left = self.either()
        if self.accept("implies"):
            premise = self.need_fact(start, left)
            after = self.here
            left = Implies(premise, self.need_fact(after, self.fact()))
        self.depth -= 1
        return left

    def either(self) -> Fact | Sum:
        start = self.here
        parts = [self.both()]
        while self.accept("or"):
            after = self.here
            parts.append(self.need_fact(after, self.both()))
        return parts[0] if len(parts) == 1 else Or(self.flat(start, parts, Or))

    def both(self) -> Fact | Sum:
        start = self.here
        parts = [self.negation()]
        while self.accept("and"):
            after = self.here
            parts.append(self.need_fact(after, self.negation()))
        return parts[0] if len(parts) == 1 else And(self.flat(start, parts, And))

    def flat(self, start: _Token, parts: list[Fact | Sum], kind: type) -> tuple[Fact, ...]:
        found: list[Fact] = []
        for part in parts:
            fact = self.need_fact(start, part)
            found += fact.parts if isinstance(fact, kind) else [fact]  # type: ignore[attr-defined]
        return tuple(found)

    def negation(self) -> Fact | Sum:
        if self.accept("not"):
            self.depth += 1
            if self.depth > _DEEPEST:
                self.wrong("this is nested too deeply", self.here)
            after = self.here
            fact = Not(self.need_fact(after, self.negation()))
            self.depth -= 1
            return fact
        return self.comparison()

    def comparison(self) -> Fact | Sum:
        start = self.here
        first = self.sum()
        rest: list[tuple[str, Sum]] = []
        while self.here.text in COMPARE:
            op = self.take().text
            after = self.here
            rest.append((op, self.need_sum(after, self.sum())))
        return Comparison(self.need_sum(start, first), tuple(rest)) if rest else first

    def sum(self) -> Fact | Sum:
        start = self.here
        negative = self.accept("-")
        total = self.term()
        if negative:
            total = Sum().plus(self.need_sum(start, total), -1)
        while self.here.text in ("+", "-"):
            sign = 1 if self.take().text == "+" else -1
            after = self.here
            total = self.need_sum(start, total).plus(self.need_sum(after, self.term()), sign)
        return total

    def term(self) -> Fact | Sum:
        token = self.here
        if token.kind == "number":
            return Sum((), int(self.take().text))
        if self.accept("("):
            inner = self.fact()
            self.need(")")
            return inner
        if token.kind == "word" and token.text == "tape":
            self.take()
            self.need("[")
            number = self.here
            if number.kind != "number":
                self.expected("the number of a cell")
            self.take()
            self.need("]")
            if self.M is not None and int(number.text) >= self.M:
                self.wrong(
                    f"there is no cell {number.text} in a memory of {self.M} cells",
                    number,
                    f"cells go from 0 to {self.M - 1}",
                )
            return Sum(((1, int(number.text)),))
        return self.expected("a number or a cell such as tape[0]")

    # -- tokens and mistakes -------------------------------------------------

    @property
    def here(self) -> _Token:
        return self.tokens[self.at]

    def take(self) -> _Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, text: str) -> bool:
        if self.here.text != text:
            return False
        self.at += 1
        return True

    def need(self, text: str) -> None:
        if not self.accept(text):
            self.expected(f"'{text}'")

    def need_fact(self, token: _Token, found: Fact | Sum) -> Fact:
        if isinstance(found, Sum):
            help = "compare it with something: " + f"{found} == 0"
            self.wrong(f"'{found}' is a number, expected a fact", token, help)
        return found

    def need_sum(self, token: _Token, found: Fact | Sum) -> Sum:
        if isinstance(found, Fact):
            self.wrong(f"'{found}' is a fact, expected a number", token)
        return found

    def expected(self, what: str) -> NoReturn:
        token = self.here
        found = "the end" if token.kind == "end" else f"'{token.text}'"
        match = close_match(token.text, _WORDS) if token.kind == "word" else None
        help = f"did you mean '{match}'?" if match and match != token.text else None
        self.wrong(f"expected {what}, found {found}", token, help)

    def wrong(self, message: str, token: _Token, help: str | None = None) -> NoReturn:
        span = Span(1, token.column, max(1, len(token.text)))
        raise SourceError([error(message, span, help)], self.text, self.name)
