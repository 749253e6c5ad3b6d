"""Mutated samples: tapes one or two changes away from a sample, on which unproved programs are tried.

Held-out cases show a rare mistake only if there are many of them. A mutation changes a cell, exchanges cells of two
samples, or inserts, removes, repeats or swaps elements of a list. It is used if everything holds that holds on all
samples (constants, ranges, orders, lengths and orders of lists), and if the generic program stops on it: no fact
tells it from a sample. Where it fails, a program that is right on all samples is right by chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from anc.adaptation.evidence import MAX_STEPS, Dropped, Samples, Why
from anc.data.tasks.cases import Case
from anc.machine.batch import judge, run_all
from anc.machine.encoded import Cases
from anc.program import Program
from anc.proof.facts import Fact, Implies
from anc.proof.preconditions.lists import Listed, at_hand, lists_of
from anc.proof.preconditions.perturbations import suspects
from anc.proof.preconditions.support import holding
from anc.search import Found

_BASES = 200  # samples that are mutated
_EDITED = 30  # mutations of the lists of each
_CHANGED = 24  # samples of which single cells are changed
_MOST = 4_000  # mutated samples that are kept
_TRACED = 12  # samples that show where lists are
_TOLD = 3  # failing ones that become cases of the search at once


class Mutations:
    """The mutated samples, made when they are first needed; none if they are not `enabled`."""

    def __init__(self, program: Program, samples: Samples, enabled: bool = True) -> None:
        self.program, self.samples, self.enabled = program, samples, enabled
        self.tried: dict[Program, np.ndarray] = {}  # on which of them programs are wrong

    @cached_property
    def cases(self) -> list[Case]:
        return [*self._made()] if self.enabled else []

    def wrong(self, program: Program) -> list[Case]:
        """A few mutated samples on which a program is wrong."""
        return [self.cases[row] for row in np.flatnonzero(self._judged(program))[:_TOLD]]

    def refused(self, found: Found) -> Dropped | None:
        """The rejection of an unproved program that is wrong on a mutated sample."""
        wrong = self._judged(found.program)
        if not wrong.any():
            return None
        reason = (
            f"right on all samples, but wrong on {wrong.sum():,} of {len(wrong):,} mutated samples that no"
            " fact tells from them"
        )
        return Dropped(found, Why.WRONG, reason, self.cases[int(np.argmax(wrong))].input)

    @property
    def note(self) -> str:
        """What was tried, in words."""
        if not self.tried or not self.cases:
            return ""
        return (
            f"unproved answers were tried on {len(self.cases):,} mutated samples: one or two changes away from a"
            " sample, and like them in all that holds on every sample"
        )

    def _judged(self, program: Program) -> np.ndarray:
        if not self.cases:
            return np.zeros(0, np.bool_)
        if program not in self.tried:
            self.tried[program] = judge(program, Cases.of(self.cases), MAX_STEPS)[0]
        return self.tried[program]

    def _made(self) -> Iterator[Case]:
        """The mutated samples as cases; cells that count in a case with as much output count."""
        random = np.random.default_rng(0)
        inputs, M = self.samples.inputs, self.samples.M
        lists = lists_of(self.program, inputs[:_TRACED])
        bases = inputs[random.permutation(len(inputs))[:_BASES]]
        edited = [_edited(base, lists, bases, random) for base in np.repeat(bases, _EDITED, axis=0)]
        values = sorted({value or 0 for value in self.program.registers})
        changed = suspects(bases[:_CHANGED], M, values, random)
        tapes = np.unique(np.concatenate([np.array(edited, np.int64), changed]), axis=0)
        tapes = tapes[holding(self._facts(lists), tapes)]
        tapes = tapes[random.permutation(len(tapes))[:_MOST]]
        runs = run_all(self.program, tapes, MAX_STEPS)
        masks = sorted({case.mask for case in self.samples.cases}, key=sum)
        counted = np.array(masks, np.bool_)
        for tape, after in zip(tapes[runs.stopped], runs.tapes[runs.stopped], strict=True):
            written = (after != tape) & counted[-1]
            fitting = np.flatnonzero(~(written & ~counted).any(axis=1))
            if len(fitting):
                yield Case(tuple(tape.tolist()), tuple(after.tolist()), masks[fitting[0]])

    def _facts(self, lists: list[Listed]) -> list[Fact]:
        """What holds on all samples; implications hold by chance too often."""
        ends = [listed.ends(self.samples.inputs) for listed in lists]
        simple = [fact for fact in self.samples.facts if not isinstance(fact, Implies)]
        more = at_hand(lists, self.samples.inputs)
        return [*simple, *more, *(end for end in ends if end is not None)]


def _edited(
    base: np.ndarray, lists: list[Listed], others: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """A sample with one or two edits of its lists."""
    tape = base.copy()
    for _ in range(random.integers(1, 3) if lists else 0):
        listed = lists[random.integers(len(lists))]
        other = others[random.integers(len(others))]
        mine, donor = _elements(tape, listed), _elements(other, listed)
        if not mine or not donor:
            continue
        place, from_place = int(random.integers(len(mine))), int(random.integers(len(donor)))
        match random.integers(6):
            case 0:
                mine[place] = donor[from_place]
            case 1:
                mine.insert(place, donor[from_place])
            case 2:
                mine.pop(place)
            case 3:
                end = int(random.integers(len(mine)))
                mine[place], mine[end] = mine[end], mine[place]
            case 4:
                mine.insert(place, mine[place])
            case _:
                mine = mine[:place] + donor[from_place:]
        _put(tape, listed, mine, len(_elements(tape, listed)))
    return tape


def _elements(tape: np.ndarray, listed: Listed) -> list[int]:
    """The elements of a list before its sentinel."""
    return tape[listed.start :: listed.step][listed.alive(tape[None])[0]].tolist()


def _put(tape: np.ndarray, listed: Listed, elements: list[int], before: int) -> None:
    """Write other elements and the sentinel behind them; cells of the longer list become 0."""
    cells = range(listed.start, len(tape), listed.step)
    if len(elements) >= len(cells) or before >= len(cells):
        return
    tape[[*cells[: before + 1]]] = 0
    tape[[*cells[: len(elements) + 1]]] = [*elements, listed.sentinel]
