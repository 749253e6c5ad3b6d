"""Symbolic execution from one cut point to the next, on words of the solver.

There are three tapes: the input, the generic program's and the adapted program's. `Alike` has the cells in
which two of them are equal. Every cell that is read gets a variable; equal addresses have equal variables,
and the variable of an input cell satisfies what the facts say about every cell that its address may mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
import z3  # type: ignore[import-untyped]

from anc.isa import Effect
from anc.program import Program
from anc.proof.induction.list_prefix import List
from anc.proof.presolve import Inputs
from anc.proof.semantics import Truth, Word, Words, execute, implied, negated
from anc.proof.verdict import Undecided

Possible = Callable[[tuple[Truth, ...]], bool]  # whether conditions can hold together
_FEW_APART = 4  # cells in which the tapes of the two programs differ
INPUT, GENERIC, ADAPTED = "input", "generic", "adapted"
_BEFORE = {
    INPUT: (),
    GENERIC: (INPUT,),
    ADAPTED: (INPUT, GENERIC),
}  # the tapes that a tape is compared with


Alike = Mapping[tuple[str, str], np.ndarray]  # cells in which two tapes are surely equal
PAIRS = ((GENERIC, INPUT), (ADAPTED, INPUT), (GENERIC, ADAPTED))


class Contents:
    """The cells of all three tapes at a cut point, as variables; `known` are the conditions on them."""

    def __init__(self, words: Words, inputs: Inputs, alike: Alike) -> None:
        self.words, self.inputs, self.alike = words, inputs, alike
        self.passed: Sequence[tuple[List, Word]] = ()
        self.known: list[Any] = []
        self._numbers = count()
        self._read: dict[tuple[str, Any], tuple[Word, Word]] = {}  # (address, content)
        # pointers into lists with facts about two elements
        self._ordered: dict[List, list[Word]] = {}
        self._elements: dict[List, list[tuple[Word, Word, Truth]]] = {}
        groups: dict[bytes, list[int]] = {}
        for cell in range(words.M):
            groups.setdefault(inputs.domain(cell).tobytes(), []).append(cell)
        self._domains = [
            (np.isin(np.arange(words.M), cells), np.frombuffer(domain, np.bool_))
            for domain, cells in groups.items()
        ]

    def knowing(self, passed: Sequence[tuple[List, Word]]) -> None:
        """Use pointers into lists, for the cells that are read from now on."""
        self.passed = passed
        for each, pointer in passed:
            if each.kinds:
                self._ordered.setdefault(each, []).append(pointer)

    def read(self, tape: str, address: Word) -> Word:
        """The content of a cell of a tape."""
        same = self._same(tape, address)
        if same is not None:
            return self.read(same, address)
        key = tape, address if isinstance(address, int) else address.get_id()
        found = self._read.get(key)
        if found is None:
            content = self._but_for_few(tape, address)
            content = self._new(tape, address) if content is None else content
            found = self._read[key] = address, content
        return found[1]

    def _but_for_few(self, tape: str, address: Word) -> Word | None:
        """A cell of the adapted program's tape that is equal to the generic one's but for a few cells."""
        if tape != ADAPTED or isinstance(address, int):
            return None
        apart = np.flatnonzero(~self._equal(ADAPTED, GENERIC)).tolist()
        if len(apart) > _FEW_APART:
            return None
        content = self.read(GENERIC, address)
        for cell in apart:
            here = self.words.equal(address, cell)
            content = self.words.choice(here, self.read(ADAPTED, cell), content)
        return content

    def holds(self, tape: str, cell: int, content: Word) -> None:
        """Use a word that is known to be the content of a cell."""
        same = self.words.equal(self.read(tape, cell), content)
        if same is not True:
            self.known.append(z3.BoolVal(same, self.words.ctx) if same is False else same)
        self._read[tape, cell] = cell, content

    def inputs_read(self) -> list[tuple[Word, Word]]:
        """(address, content) of all cells of the input that were read."""
        return [found for (tape, _), found in self._read.items() if tape == INPUT]

    def _same(self, tape: str, address: Word) -> str | None:
        """Another tape that surely has the same content at this address."""
        for other in _BEFORE[tape]:
            if self.words.within(address, self._equal(tape, other)) is True:
                return other
        return None

    def _equal(self, tape: str, other: str) -> np.ndarray:
        """The cells in which a tape is equal to one before it."""
        return self.alike[(tape, other) if other == INPUT else (other, tape)]

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
        for other in _BEFORE[tape]:
            here = words.within(address, self._equal(tape, other))
            if here is not False:
                known.append(implied(here, words.equal(content, self.read(other, address))))
        proper = [condition for condition in known if condition is not True]
        if proper:
            self.known.append(z3.And(proper))
        return content

    def _of_two(self, address: Word, content: Word) -> Iterator[Truth]:
        """The conditions of lists on a cell of the input and each cell that was read before."""
        for each, pointers in self._ordered.items():
            goes_on = each.goes_on(self.words, address, content, pointers)
            before = self._elements.setdefault(each, [])
            for there, value, went_on in before:
                new, old = (address, content), (there, value)
                yield from each.known_of_two(self.words, old, new, goes_on)
                yield from each.known_of_two(self.words, new, old, went_on)
            before.append((address, content, goes_on))


class Doubt(Undecided):
    """The proof fails under some conditions, for which there may be a counter-example."""

    def __init__(self, reason: str, conditions: Sequence[Truth]) -> None:
        super().__init__(reason)
        self.conditions = conditions


@dataclass(frozen=True)
class Piece:
    """A symbolic state of one program since the last cut point, with its path conditions."""

    tape: str
    line: int
    registers: tuple[Word, ...]
    stores: tuple[tuple[Word, Word], ...] = ()  # (address, content), the last one last
    conditions: tuple[Truth, ...] = ()
    steps: int = 0
    stopped: bool = False  # `line` is then the one after the last
    lost: bool = False  # it left the program without STOP

    def content(self, address: Word, contents: Contents) -> Word:
        """The content of a cell of its tape."""
        words = contents.words
        found = None
        undecided = []
        for there, value in reversed(self.stores):
            same = words.equal(address, there)
            if same is True:
                found = value
                break
            if same is not False:
                undecided.append((same, value))
        if found is None:
            found = contents.read(self.tape, address)
        for same, value in reversed(undecided):
            found = words.choice(same, value, found)
        return found


def _is_stated(truth: Truth, conditions: tuple[Truth, ...]) -> bool:
    """Whether a condition is one of some others."""
    return not isinstance(truth, bool) and any(truth.eq(known) for known in conditions)


class WordMachine:
    """The symbolic machine of one program on words."""

    def __init__(self, program: Program, words: Words, contents: Contents) -> None:
        self.program, self.words, self.contents = program, words, contents

    def step(self, piece: Piece, possible: Possible) -> list[Piece]:
        """The successors of a piece; there are two if a jump is undecided."""
        registers, stores = list(piece.registers), [*piece.stores]
        effect, first, second = execute(
            self.program,
            piece.line,
            registers,
            self.words,
            lambda address: piece.content(address, self.contents),
            lambda address, value: stores.append((address, value)),
        )
        done = replace(
            piece, registers=tuple(registers), stores=tuple(stores), steps=piece.steps + 1
        )
        if effect is Effect.STOP:
            return [replace(done, stopped=True, line=self.program.L)]
        ahead = self._at(done, (piece.line + 1) % self.words.M)
        if effect is not Effect.JUMP:
            return [ahead]
        ways: list[tuple[Truth, Word | None]] = []
        zero = self.words.equal(first, 0)
        for holds, there in ((negated(zero), None), (zero, second)):
            if holds is True or _is_stated(holds, done.conditions):
                ways = [(True, there)]
                break
            if holds is not False and possible((*done.conditions, holds)):
                ways.append((holds, there))
            elif not ways and there is None:  # then the run jumps
                ways = [(True, second)]
                break
        found = []
        for holds, there in ways:
            conditions = done.conditions if holds is True else (*done.conditions, holds)
            if there is None:
                found.append(replace(ahead, conditions=conditions))
            elif isinstance(there, int):
                found.append(replace(self._at(done, there), conditions=conditions))
            else:
                raise Undecided("the target of a jump is computed")
        return found

    def _at(self, piece: Piece, line: int) -> Piece:
        return replace(piece, line=line, lost=line >= self.program.L)

    def until(
        self, piece: Piece, arrived: Callable[[Piece], bool], possible: Possible, most: int
    ) -> Iterator[Piece]:
        """All pieces that arrive, stop or are lost; raises Doubt if one takes too many steps."""
        waiting = [piece]
        while waiting:
            piece = waiting.pop()
            if arrived(piece) or piece.stopped or piece.lost:
                yield piece
            elif piece.steps >= most:
                raise Doubt("a piece of a run is too long", piece.conditions)
            else:
                waiting += self.step(piece, possible)
