"""The parser of facts, as users write them after ``--assume``.

fact        ::= either ["implies" fact]
either      ::= both {"or" both}
both        ::= negation {"and" negation}
negation    ::= "not" negation | relation
relation    ::= sum {("==" | "!=" | "<" | "<=" | ">" | ">=") sum}
              | sum "%" sum ("==" | "!=") NUMBER | count ("==" | "!=" | "<" | ...) NUMBER
              | (sum | "(" cells ")" | slice) ["not"] "in" "(" word {"," word} [","] ")"
              | ("sorted" | "different") "(" cells ")" | "(" fact ")"
              | ("sorted" | "different") "(" sum list ")" | "all" "(" fact list ")"
count       ::= slice "." "count" "(" sum ")" | "sum" "(" fact list ")"
list        ::= "for" "i" "in" "range" "(" NUMBER ["," NUMBER ["," NUMBER]] ")" ["while" fact]
cells       ::= (sum | slice) {"," (sum | slice)} [","]
slice       ::= "tape" "[" [NUMBER] ":" [NUMBER] "]"
word        ::= NUMBER | "(" NUMBER {"," NUMBER} [","] ")"
sum         ::= product {("+" | "-") product}
product     ::= factor {"*" factor}
factor      ::= "-" factor | NUMBER | "i" | "tape" "[" sum "]" | "(" sum ")"

Precedence is Python's (``%`` binds like ``*``, so that a sum before it needs parentheses), numbers may have a
sign, and one factor of a product is constant. An address wraps around at the end of the memory, as the
machine's do: ``tape[tape[3] + 1]``. The element before a list is instantiated for each number i, up to the
first for which the fact after ``while`` does not hold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

from anc.language.tokens import Token
from anc.proof.facts import (
    COMPARE,
    MIRRORED,
    Along,
    And,
    Comparison,
    Count,
    Different,
    Fact,
    Implies,
    Member,
    Not,
    Or,
    Remainder,
    Sorted,
    Sum,
)
from anc.proof.term_parser import (
    FUNCTIONS,
    INDEX,
    LONGEST,
    MOST_CELLS,
    WORDS,
    Found,
    TermParser,
    Uncompared,
)
from anc.support.diagnostics import close_match

_OF_FACTS = ("all", "sum")  # the functions of facts
_LIST = "all(tape[i] < 7 for i in range(2, 9) while tape[i] != 0)"


def parse_fact(text: str, M: int | None = None, name: str = "<assume>") -> Fact:
    """Parse a fact; with M, cells beyond the memory are refused.

    >>> parse_fact("tape[1]>=2 implies 5 == tape[3]").text
    'tape[1] >= 2 implies 5 == tape[3]'
    """
    return _Parser(text, M, name).whole()


class _Parser(TermParser):
    def whole(self) -> Fact:
        if self.here.kind == "end":
            self.wrong("the fact is empty", self.here.span, 'write one such as "tape[0] == 3"')
        fact = self.need_fact(self.here, self.fact())
        if self.here.kind != "end":
            self.expected("and, or, implies or the end")
        if self.index is not None:
            help = "such as all(tape[i] < 7 for i in range(2, 9) while tape[i] != 0)"
            self.wrong("there is no list for the index i", self.index.span, help)
        if len(self.text) > LONGEST and self.text != fact.text:  # printed facts are always accepted
            self.too_long()
        return fact

    def fact(self) -> Found:
        self.deeper()
        start, left = self.here, self.joined("or", Or, self.both)
        if self.accept("implies"):
            premise = self.need_fact(start, left)
            left = Implies((premise, self.need_fact(self.here, self.fact())))
        self.depth -= 1
        return left

    def both(self) -> Found:
        return self.joined("and", And, self.negation)

    def joined(self, word: str, kind: type[And | Or], rule: Callable[[], Found]) -> Found:
        start, first = self.here, rule()
        if self.here.text != word:
            return first
        facts = [self.need_fact(start, first)]
        while self.accept(word):
            facts.append(self.need_fact(self.here, rule()))
        return kind.of(facts)

    def negation(self) -> Found:
        if not self.accept("not"):
            return self.relation()
        self.deeper()
        fact = Not((self.need_fact(self.here, self.negation()),))
        self.depth -= 1
        return fact

    def relation(self) -> Found:
        start, first = self.here, self.sum()
        if self.here.text in ("in", "not"):
            return self.member(self.need_terms(start, first))
        rest: list[tuple[str, Sum]] = []
        while self.here.text in COMPARE:
            op, right = self.take(), self.here
            found = self.sum()
            for side in (first, found):
                if isinstance(side, Uncompared):
                    if rest or self.here.text in COMPARE:
                        message = f"a {side.kind} cannot be part of a chain"
                        self.wrong(message, op.span, "join two facts with and")
                    return self.uncompared(op, (start, first), (right, found))
            rest.append((op.text, self.need_sum(right, found)))
        return Comparison(self.need_sum(start, first), tuple(rest)) if rest else first

    # -- remainders, counts and words ------------------------------------------------

    def uncompared(
        self, op: Token, left: tuple[Token, Found], right: tuple[Token, Found]
    ) -> Remainder | Count:
        """A remainder or a count, on either side, compared with a number."""
        word = op.text
        if not isinstance(left[1], Uncompared):
            left, right = right, left
            word = MIRRORED[word]
        compared, (token, rest) = left[1], right
        assert isinstance(compared, Uncompared)
        fact, help = compared.fact, f"write {compared} == 0"
        if isinstance(fact, Remainder) and word not in ("==", "!="):
            self.wrong(f"expected == or != after a remainder, found '{op.text}'", op.span, help)
        number = self.need_sum(token, rest)
        if number.cells:
            message = f"expected a number to compare the {compared.kind} with, found '{number}'"
            self.wrong(message, token.span, help)
        if isinstance(fact, Remainder):
            return replace(fact, op=word, rest=number.constant)
        return replace(fact, op=word, number=number.constant)

    def member(self, terms: tuple[Sum, ...]) -> Fact:
        negative = self.accept("not")
        self.need("in")
        example = "(1, 2)" if len(terms) == 1 else f"({tuple(range(1, len(terms) + 1))}, ...)"
        begin = self.here
        if not self.accept("("):
            self.expected("'(' and a list of values", f"write it as {example}")
        words = [self.word(len(terms))] if self.here.text != ")" else []
        while self.accept(",") and self.here.text != ")":
            words.append(self.word(len(terms)))
        self.need(")", "',' or ')'")
        if not words:
            self.wrong("there is nothing in the parentheses", begin.span, f"such as {example}")
        if self.here.text in (*COMPARE, "in"):
            self.wrong("'in' cannot be part of a chain", self.here.span, "join two facts with and")
        fact = Member(terms, tuple(words))
        return Not((fact,)) if negative else fact

    def word(self, length: int) -> tuple[int, ...]:
        """A word: one number per term."""
        begin = self.here
        numbers = self.numbers() if self.accept("(") else [self.whole_number()]
        if len(numbers) != length:
            what = "one number" if length == 1 else f"a word of {length} numbers"
            help = None if length == 1 else f"such as {tuple(range(1, length + 1))}"
            self.wrong(f"expected {what}, found {len(numbers)}", begin.span, help)
        return tuple(numbers)

    # -- functions ---------------------------------------------------------------------

    def called(self, function: Token) -> Fact | Uncompared:
        name = function.text
        if name not in FUNCTIONS:
            self.no_function(function)
        self.take()
        outer, self.index, lists, start = self.index, None, self.lists, self.here
        first = self.fact() if name in _OF_FACTS else self.sum()
        if self.here.text == "for" or name in _OF_FACTS:
            if self.lists > lists:
                self.wrong("a list cannot be nested in another", function.span)
            fact = self.along(function, start, first)
            self.index = outer
            return fact
        self.index = self.index or outer
        terms = self.others(self.need_terms(start, first))
        if len(terms) < 2:
            help = f"such as {name}(tape[1:5]) or {name}(tape[1], tape[3])"
            self.wrong(f"expected at least two cells in {name}", function.span, help)
        return Sorted(terms) if name == "sorted" else Different(terms)

    def no_function(self, function: Token) -> NoReturn:
        if function.text in WORDS:
            self.at -= 1
            self.expected("a number or a cell such as tape[0]")
        match = close_match(function.text, FUNCTIONS)
        *others, last = FUNCTIONS
        known = f"there are {', '.join(others)} and {last}"
        help = f"did you mean '{match}'?" if match else known
        self.wrong(f"there is no function '{function.text}'", function.span, help)

    # -- lists ---------------------------------------------------------------

    def along(self, function: Token, start: Token, first: Found) -> Fact | Uncompared:
        """The rest of a list, after its element."""
        name = function.text
        element: Fact | Sum
        if name in _OF_FACTS:
            element = self.need_fact(start, first)
        else:
            element = self.need_sum(start, first)
        if not self.accept("for"):
            self.expected("'for'", f"write it as {_LIST}")
        if not self.accept(INDEX):
            self.expected(f"'{INDEX}', the index of a list", f"such as {_LIST}")
        self.need("in")
        numbers = self.numbers_of_range()
        begin = self.here
        going = self.need_fact(begin, self.fact()) if self.accept("while") else None
        self.need(")", "'while' or ')'")
        self.lists += 1
        fact: Along | Count = Along(name, element, numbers, going)
        if name == "sum":
            assert isinstance(element, Fact)
            fact = Count(element, numbers, going, "==", 0)
        for place in sorted(fact.cells):
            self.cell(function, Sum((), place))
        return Uncompared(fact) if isinstance(fact, Count) else fact

    def numbers_of_range(self) -> range:
        token = self.here
        self.need("range")
        self.need("(")
        ends = self.numbers(most=3)
        if ends[2:] == [0]:
            self.wrong("expected a step that is not 0", token.span)
        numbers = range(*ends)
        if not 0 < len(numbers) <= MOST_CELLS:
            many = f"has more than {MOST_CELLS} numbers" if numbers else "has no numbers"
            self.wrong(f"this range {many}", token.span)
        return numbers
