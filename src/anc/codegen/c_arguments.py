"""Argument checks of emitted C functions: few branches, and one comparison for many elements of a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anc.codegen.printer import INDENT, indented
from anc.codegen.signature import Parameter, facts_about, values_of
from anc.proof.facts import Fact

FEW = 16  # elements that are checked without a loop


class CArgumentChecks:
    """Lines that return if arguments do not fit into their cells; `left` are facts that they do not check.

    Nothing is computed with a number that may not fit. Facts about single cells become part of the checks.
    """

    def __init__(self, facts: Sequence[Fact], M: int, otherwise: str) -> None:
        self.left, self.M = list(facts), M
        self.otherwise = [f"{INDENT}return {otherwise};", "}"]
        self.lengths: list[str] = []  # tests of lists' lengths, before elements are read
        self.wrong: list[str] = []  # tests without side effects, of which none may be true
        self.loops: list[str] = []

    def add(self, p: Parameter) -> None:
        if p.size is None:
            self.wrong += self.outside(p.name, p.cell)
            return
        lengths = [p.size] if p.length is None else self.values(p.length)
        if p.length is not None and len(lengths) == 1 and lengths[0] <= p.size:
            self.forget(p.length)
            self.lengths += [f"if ({p.length_name} != {lengths[0]}) {{", *self.otherwise]
            p = replace(p, size=lengths[0], length=None)
        if p.length is None and (p.size or 0) <= FEW:
            self.few(p)
        else:
            self.many(p, p.size or 0)

    def lines(self) -> list[str]:
        if not self.wrong:
            return [*self.lengths, *self.loops]
        first, *others = self.wrong
        test = first if not others else " | ".join(f"({each})" for each in self.wrong)
        return [*self.lengths, f"if ({test}) {{", *self.otherwise, *self.loops]

    def few(self, p: Parameter) -> None:
        """All that are known, or below the same power of two, are compared at once."""
        different: list[str] = []
        small: dict[int, list[str]] = {}
        for place, cell in enumerate(p.cells):
            name = f"{p.name}[{place}]"
            good = self.values(cell)
            if len(good) == 1:
                self.forget(cell)
                different.append(f"({name} ^ {good[0]})" if good[0] else name)
            elif good == list(range(len(good))) and len(good).bit_count() == 1:
                self.forget(cell)
                small.setdefault(len(good), []).append(name)
            else:
                self.wrong += self.outside(name, cell)
        if different:
            self.wrong.append(
                f"({' | '.join(different)}) != 0" if different[1:] else f"{different[0]} != 0"
            )
        for count, names in small.items():
            self.wrong.append(f"(uint32_t)({' | '.join(names)}) >= {count}")

    def many(self, p: Parameter, size: int) -> None:
        if p.length is not None:
            name = p.length_name
            good = [n for n in self.values(p.length) if n <= size]
            if good and good[-1] - good[0] < len(good):
                self.forget(p.length)
                test = f"{name} < {good[0]} || {name} > {good[-1]}"
            else:
                test = f"{name} < 0 || {name} > {min(size, self.M - 1)}"
            self.loops += [f"if ({test}) {{", *self.otherwise]
        count = str(size) if p.length is None else p.length_name
        each = [f"if ({p.name}[i] < 0 || {p.name}[i] >= {self.M}) {{", *self.otherwise]
        if size:
            self.loops += [f"for (int i = 0; i < {count}; i++) {{", *indented(each), "}"]

    def values(self, cell: int) -> list[int]:
        return values_of(cell, facts_about(cell, self.left), self.M)

    def forget(self, cell: int) -> None:
        about = facts_about(cell, self.left)
        self.left = [fact for fact in self.left if fact not in about]

    def outside(self, name: str, cell: int) -> list[str]:
        """The tests that a number does not fit."""
        good = self.values(cell)
        if not good or good[-1] - good[0] >= len(good):
            return [f"{name} < 0 || {name} >= {self.M}"]
        self.forget(cell)
        if len(good) == 1:
            return [f"{name} != {good[0]}"]
        return [f"{name} < {good[0]} || {name} > {good[-1]}"]
