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
from collections.abc import Callable
from typing import NoReturn

from anc.diagnostics import SourceError, Span, close_match, error
from anc.language.tokens import Reader, Token, tokens
from anc.verify.facts import COMPARE, And, Comparison, Fact, Implies, Not, Or, Sum

_TOKEN = re.compile(
    r"(?P<word>[A-Za-z_]\w*)|(?P<number>\d+)|(?P<sign>[=!<>]=|[-+<>()\[\]])|(?P<other>\S)"
)
_WORDS = ("tape", "and", "or", "not", "implies")
_LONGEST = 4_000  # Python refuses to read numbers that are not much longer
_DEEPEST = 50


def parse_fact(text: str, M: int | None = None, name: str = "<assume>") -> Fact:
    """The fact that a text states; with an M, cells beyond the memory are refused.

    >>> parse_fact("tape[1]>=2 implies 5 == tape[3]").text
    'tape[1] >= 2 implies 5 == tape[3]'
    """
    return _Parser(text, M, name).whole()


class _Parser(Reader):
    def __init__(self, text: str, M: int | None, name: str) -> None:
        self.text, self.M, self.name = text, M, name
        self.depth = 0
        if len(text) > _LONGEST:
            self.wrong(f"a fact has at most {_LONGEST} characters", Span(1, 1))
        self.tokens = tokens(text, pattern=_TOKEN)
        helps = {"=": "equality is written ==", "!": "write != or not", "&": "write and"}
        helps |= {"|": "write or", "*": "only + and - can be used with cells"}
        for token in self.tokens:
            if token.kind == "other":
                message = f"unexpected character {token.text!r}"
                self.wrong(message, token.span, helps.get(token.text))

    # -- grammar -------------------------------------------------------------

    def whole(self) -> Fact:
        if self.here.kind == "end":
            self.wrong("the fact is empty", self.here.span, 'write one such as "tape[0] == 3"')
        fact = self.need_fact(self.here, self.fact())
        if self.here.kind != "end":
            self.expected("and, or, implies or the end")
        return fact

    def fact(self) -> Fact | Sum:
        self.deeper()
        start, left = self.here, self.either()
        if self.accept("implies"):
            premise = self.need_fact(start, left)
            left = Implies((premise, self.need_fact(self.here, self.fact())))
        self.depth -= 1
        return left

    def either(self) -> Fact | Sum:
        return self.joined("or", Or, self.both)

    def both(self) -> Fact | Sum:
        return self.joined("and", And, self.negation)

    def joined(self, word: str, kind: type[And | Or], rule: Callable[[], Fact | Sum]) -> Fact | Sum:
        start, first = self.here, rule()
        if self.here.text != word:
            return first
        facts = [self.need_fact(start, first)]
        while self.accept(word):
            facts.append(self.need_fact(self.here, rule()))
        return kind(tuple(p for f in facts for p in (f.parts if isinstance(f, kind) else [f])))

    def negation(self) -> Fact | Sum:
        if not self.accept("not"):
            return self.comparison()
        self.deeper()
        fact = Not((self.need_fact(self.here, self.negation()),))
        self.depth -= 1
        return fact

    def comparison(self) -> Fact | Sum:
        start, first = self.here, self.sum()
        rest: list[tuple[str, Sum]] = []
        while self.here.text in COMPARE:
            op = self.take().text
            rest.append((op, self.need_sum(self.here, self.sum())))
        return Comparison(self.need_sum(start, first), tuple(rest)) if rest else first

    def sum(self) -> Fact | Sum:
        start = self.here
        negative = self.accept("-")
        total = self.term()
        if negative:
            total = Sum().plus(self.need_sum(start, total), -1)
        while self.here.text in ("+", "-"):
            sign = 1 if self.take().text == "+" else -1
            total = self.need_sum(start, total).plus(self.need_sum(self.here, self.term()), sign)
        return total

    def term(self) -> Fact | Sum:
        token = self.here
        if token.kind == "number":
            return Sum((), int(self.take().text))
        if self.accept("("):
            inner = self.fact()
            self.need(")")
            return inner
        if self.accept("tape"):
            self.need("[")
            number = self.here
            if number.kind != "number":
                self.expected("the number of a cell")
            self.take()
            self.need("]")
            if self.M is not None and int(number.text) >= self.M:
                self.wrong(
                    f"there is no cell {number.text} in a memory of {self.M} cells",
                    number.span,
                    f"cells go from 0 to {self.M - 1}",
                )
            return Sum(((1, int(number.text)),))
        return self.expected("a number or a cell such as tape[0]")

    # -- tokens and mistakes -------------------------------------------------

    def need(self, text: str) -> None:
        if not self.accept(text):
            self.expected(f"'{text}'")

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            self.wrong("this is nested too deeply", self.here.span)

    def need_fact(self, token: Token, found: Fact | Sum) -> Fact:
        if isinstance(found, Sum):
            help = f"compare it with something: {found} == 0"
            self.wrong(f"'{found}' is a number, expected a fact", token.span, help)
        return found

    def need_sum(self, token: Token, found: Fact | Sum) -> Sum:
        if isinstance(found, Fact):
            self.wrong(f"'{found}' is a fact, expected a number", token.span)
        return found

    def expected(self, what: str) -> NoReturn:
        token = self.here
        found = "the end" if token.kind == "end" else f"'{token.text}'"
        match = close_match(token.text, _WORDS) if token.kind == "word" else None
        help = f"did you mean '{match}'?" if match and match != token.text else None
        self.wrong(f"expected {what}, found {found}", token.span, help)

    def wrong(self, message: str, span: Span, help: str | None = None) -> NoReturn:
        raise SourceError([error(message, span, help)], self.text, self.name)
