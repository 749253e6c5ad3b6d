"""What the tapes hold when both programs are at a place: the input, and what each made of it.

There are three tapes: the input, that of the generic program and that of the adapted one. Of the latter
two it is known in which cells they are equal to the input or to each other (`Alike`). Every cell that
is looked at gets a variable; equal addresses have equal variables, and what the facts say of each
cell of the input holds for whatever cell an address means.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
import z3  # type: ignore[import-untyped]

from anc.proof.induction.list_prefix import List
from anc.proof.induction.words import Truth, Word, Words, implied
from anc.proof.presolve import Inputs

INPUT, GENERIC, ADAPTED = "input", "generic", "adapted"


@dataclass(frozen=True)
class Alike:
    """In which cells two tapes are surely equal, each as M truth values."""

    generic_input: np.ndarray
    adapted_input: np.ndarray
    both: np.ndarray  # those of the generic and of the adapted program

    @staticmethod
    def everywhere(M: int) -> Alike:
        everything = np.ones(M, np.bool_)
        return Alike(everything, everything, everything)

    def pairs(self) -> list[tuple[str, str, str, np.ndarray]]:
        """(name, a tape, another, where they are equal)"""
        return [
            ("generic_input", GENERIC, INPUT, self.generic_input),
            ("adapted_input", ADAPTED, INPUT, self.adapted_input),
            ("both", GENERIC, ADAPTED, self.both),
        ]

    def without(self, name: str, cells: np.ndarray) -> Alike:
        """The same, but two tapes need not be equal in some cells."""
        return replace(self, **{name: getattr(self, name) & ~cells})


class Contents:
    """The cells of all three tapes at a place, as variables; `known` is what holds of them."""

    def __init__(
        self, words: Words, inputs: Inputs, alike: Alike, passed: Sequence[tuple[List, Word]]
    ) -> None:
        self.words, self.inputs, self.alike, self.passed = words, inputs, alike, passed
        self.known: list[Any] = []
        self._numbers = count()
        self._read: dict[tuple[str, Any], tuple[Word, Word]] = {}  # (address, content)
        self._ordered: dict[
            List, list[Word]
        ] = {}  # what points into lists of which two elements tell
        for each, pointer in passed:
            if each.kinds:
                self._ordered.setdefault(each, []).append(pointer)
        self._elements: dict[List, list[tuple[Word, Word, Truth]]] = {}  # and that it goes on there
        groups: dict[bytes, list[int]] = {}
        for cell in range(words.M):
            groups.setdefault(inputs.domain(cell).tobytes(), []).append(cell)
        self._domains = [
            (np.isin(np.arange(words.M), cells), np.frombuffer(domain, np.bool_))
            for domain, cells in groups.items()
        ]

    def read(self, tape: str, address: Word) -> Word:
        """What a cell of a tape holds."""
        same = self._same(tape, address)
        if same is not None:
            return self.read(same, address)
        key = tape, address if isinstance(address, int) else address.get_id()
        found = self._read.get(key)
        if found is None:
            found = self._read[key] = address, self._new(tape, address)
        return found[1]

    def inputs_read(self) -> list[tuple[Word, Word]]:
        """(address, content) of all cells of the input that were looked at."""
        return [found for (tape, _), found in self._read.items() if tape == INPUT]

    def _same(self, tape: str, address: Word) -> str | None:
        """Another tape that holds the same at this address, surely."""
        for _, one, other, cells in self.alike.pairs():
            first, last = (other, one) if one == GENERIC and other == ADAPTED else (one, other)
            if tape == first and self.words.within(address, cells) is True:
                return last
        return None

    def _new(self, tape: str, address: Word) -> Word:
        words = self.words
        if tape == INPUT and isinstance(address, int):
            domain = self.inputs.domain(address)
            if np.count_nonzero(domain) == 1:
                return int(domain.argmax())
        content = words.variable(f"{tape} {next(self._numbers)}")
        known = [words.is_word(content)]
        for (other_tape, _), (there, value) in list(self._read.items()):
            if other_tape == tape:
                same = words.equal(address, there)
                known.append(implied(same, words.equal(content, value)))
        if tape == INPUT:
            for cells, domain in self._domains:
                known.append(implied(words.within(address, cells), words.within(content, domain)))
            for each, pointer in self.passed:
                known += each.known(words, address, content, pointer)
            known += self._of_two(address, content)
        for _, one, other, cells in self.alike.pairs():
            partner = other if tape == one else one if (tape, other) == (ADAPTED, tape) else None
            if partner in (None, ADAPTED):
                continue  # the adapted program's tape looks at the generic one's, not the other way round
            assert partner is not None
            here = words.within(address, cells)
            if here is not False:
                known.append(implied(here, words.equal(content, self.read(partner, address))))
        proper = [condition for condition in known if condition is not True]
        if proper:
            self.known.append(z3.And(proper))
        return content

    def _of_two(self, address: Word, content: Word) -> Iterator[Truth]:
        """What lists say of a cell of the input beside those that were looked at before."""
        for each, pointers in self._ordered.items():
            goes_on = each.goes_on(self.words, address, content, pointers)
            before = self._elements.setdefault(each, [])
            for there, value, went_on in before:
                new, old = (address, content), (there, value)
                yield from each.known_of_two(self.words, old, new, goes_on)
                yield from each.known_of_two(self.words, new, old, went_on)
            before.append((address, content, goes_on))
