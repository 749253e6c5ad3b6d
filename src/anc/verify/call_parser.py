"""Text to fact: what a function says of several numbers, or of a list as far as it goes."""

from __future__ import annotations

from typing import NoReturn

from anc.diagnostics import close_match
from anc.language.tokens import Token
from anc.verify.facts import Along, Count, Different, Fact, Sorted, Sum
from anc.verify.term_parser import FUNCTIONS, INDEX, MOST_CELLS, WORDS, TermParser
from anc.verify.uncompared import Counted, Found

_OF_FACTS = ("all", "sum")  # functions whose elements are facts
_LIST = "all(tape[i] < 7 for i in range(2, 9) while tape[i] != 0)"


class CallParser(TermParser):
    def called(self, function: Token) -> Fact | Counted:
        name = function.text
        if name not in FUNCTIONS:
            self.no_function(function)
        self.take()
        outer, self.index, lists, start = self.index, None, self.lists, self.here
        first = self.fact() if name in _OF_FACTS else self.sum()
        if self.here.text == "for" or name in _OF_FACTS:
            if self.lists > lists:
                self.wrong("one list cannot go along inside of another", function.span)
            fact = self.along(function, start, first)
            self.index = outer
            return fact
        self.index = self.index or outer
        terms = self.need_terms(start, first)
        while self.accept(",") and self.here.text != ")":
            terms += self.need_terms(self.here, self.sum())
        self.need(")", "',' or ')'")
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

    def along(self, function: Token, start: Token, first: Found) -> Fact | Counted:
        """Behind an element: which numbers i goes through, and how far."""
        name = function.text
        element: Fact | Sum
        if name in _OF_FACTS:
            element = self.need_fact(start, first)
        else:
            element = self.need_sum(start, first)
        if not self.accept("for"):
            self.expected("'for'", f"write it as {_LIST}")
        if not self.accept(INDEX):
            self.expected(f"'{INDEX}', which is what goes along a list", f"such as {_LIST}")
        self.need("in")
        numbers = self.range()
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
        return Counted(fact) if isinstance(fact, Count) else fact

    def range(self) -> range:
        token = self.here
        self.need("range")
        self.need("(")
        ends = [self.whole_number()]
        while len(ends) < 3 and self.accept(","):
            ends.append(self.whole_number())
        self.need(")", "',' or ')'")
        if ends[2:] == [0]:
            self.wrong("expected a step that is not 0", token.span)
        numbers = range(*ends)
        if not 0 < len(numbers) <= MOST_CELLS:
            many = f"has more than {MOST_CELLS} numbers" if numbers else "has no numbers"
            self.wrong(f"this range {many}", token.span)
        return numbers
