"""What a text may say before it is a fact: several terms, a remainder, a count."""

from __future__ import annotations

from dataclasses import dataclass

from anc.verify.facts import Count, Fact, Remainder, Sum
from anc.verify.facts.count import counted_text


@dataclass(frozen=True)
class Division:
    """A remainder before it is compared."""

    dividend: Sum
    divisor: Sum

    def __str__(self) -> str:
        return str(Remainder(self.dividend, self.divisor, "==", 0)).removesuffix(" == 0")


@dataclass(frozen=True)
class Cells:
    """Several terms, in parentheses or as a slice."""

    terms: tuple[Sum, ...]


@dataclass(frozen=True)
class Counted:
    """How many elements there are, before that is compared."""

    fact: Count  # in which it is compared with something

    def __str__(self) -> str:
        return counted_text(self.fact)


Uncompared = Division | Counted  # what can only be compared with a number
Found = Fact | Sum | Uncompared | Cells


KINDS = {Sum: "number", Division: "remainder", Counted: "count"}
