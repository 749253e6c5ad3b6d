"""A walk over every tape that satisfies the precondition, as far as the runs can tell.

Both programs run on numbers, many tapes side by side. A cell has no value until a run first reads it;
there the tape is copied once for each value that the precondition leaves it. Tapes that differ only
in cells that nobody reads are therefore walked once. The values tried may be a few too many (facts
over several cells cut a value off only when all of their cells are known), which is harmless: where
the programs fail, a whole tape that satisfies the precondition is looked for before anything is said.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import count
from random import Random

import numpy as np

from anc.proof.claim import Cells, Inquiry
from anc.proof.facts import Fact, conjuncts
from anc.proof.sampler import Tapes
from anc.proof.tape_batch import UNREAD, Block, Stepper, Waiting, together
from anc.proof.verdict import Undecided, Verdict
from anc.support.clock import Clock

GENERIC, ADAPTED, COMPARE = range(3)
_IN_VAIN = 60  # failing ends without a tape after which facts are too entangled to be walked
_LOOKS = 64  # steps between two looks at the clock
_STEP = 15  # evaluations that a step of a block is worth, and what each of its tapes adds
_OF_ONE = 0.02
_COPY = 15  # ... that tapes with new values in a cell are worth, and each cell and number looked at
_CELL = 0.0005
_BLOCK = 16_384  # tapes that run side by side
_NARROW = 64 * 16_384  # cells of them all: fewer tapes where memories are large


class Walk:
    """A walk over all tapes of a claim, or over a part of them."""

    def __init__(self, inquiry: Inquiry, random: Random) -> None:
        self.inquiry, self.claim = inquiry, inquiry.claim
        self.tapes, self.random, self.M = self.claim.tapes, random, self.claim.M
        programs = self.claim.generic, self.claim.adapted
        self.programs = [Stepper(p, self.M, self.claim.max_steps) for p in programs]
        self.mask = np.asarray(self.claim.mask, np.bool_)
        self.fitting = Fitting(self.tapes)
        self.leaves = self.compared = 0  # walked to the end; those where both programs stopped
        self.cut = 0  # of a partial claim, where the generic program may stop after all
        self.done = 0.0  # the part of everything that has been walked
        self.halfway = 0.0  # ... by the generic program
        self.in_vain = 0  # failing ends that no tape gets to
        self.hopeless = False
        self.block_size = max(256, min(_BLOCK, _NARROW // self.M))
        dtype = np.int16 if self.M < 2**15 else np.int32
        nothing = np.full((1, self.M), UNREAD, dtype)  # the one tape of which no cell is known
        self.stack: list[Block | Waiting] = [self._beginning(GENERIC, nothing, nothing, np.ones(1))]

    def _beginning(
        self, phase: int, known: np.ndarray, wanted: np.ndarray, share: np.ndarray
    ) -> Block:
        """Tapes on which the program of a phase has not made a step."""
        code, n = self.programs[phase], len(known)
        here = np.full(n, code.program.start)
        registers = np.repeat(code.registers[None], n, axis=0)
        return Block(phase, np.zeros(n, int), here, registers, known.copy(), known, wanted, share)

    def go_on(self, clock: Clock) -> Cells | None:
        """Go on with some of the tapes; a tape that settles the claim, if one does."""
        self.clock = clock
        item = self.stack.pop()
        block = self.more_of(item) if isinstance(item, Waiting) else item
        return self.walk(block) if block is not None and len(block) else None

    @property
    def part_done(self) -> float:
        """About how much of everything has been walked."""
        return (self.done + max(self.done, self.halfway)) / 2

    def walk(self, block: Block) -> Cells | None:
        """Go on with tapes until each stops or reads a new cell; a tape that settles the claim, if one does."""
        if block.phase == COMPARE:
            return self.compare(block)
        cells = np.full(len(block), UNREAD)  # the cell that a tape waits for
        stopped, lost = np.zeros((2, len(block)), np.bool_)
        active = np.arange(len(block))
        for number in count(1):
            self.clock.did(_STEP + _OF_ONE * len(active))
            active = self.programs[block.phase].step(block, active, cells, stopped, lost)
            if not len(active):
                break
            if number % _LOOKS == 0 and self.clock.over:
                self.stack.append(block.take(active))
                break
        if stopped.any():
            self.stack.append(self.next_phase(block.take(stopped)))
        waits = cells != UNREAD
        if waits.any():
            self.split(block.take(waits), cells[waits])
        return self.unstopped(block.take(lost)) if lost.any() else None

    def next_phase(self, block: Block) -> Block:
        """The generic program has stopped: the adapted one begins; or both have: they are compared."""
        if block.phase == ADAPTED:
            return replace(block, phase=COMPARE)
        self.halfway += float(block.share.sum())
        return self._beginning(ADAPTED, block.known, block.tape, block.share)

    def compare(self, block: Block) -> Cells | None:
        """Whether the cells that count agree; cells that one run left unread may need values."""
        differ = (block.wanted != block.tape) & self.mask
        unsure = differ & ((block.wanted == UNREAD) | (block.tape == UNREAD))
        sure = (differ & ~unsure).any(axis=1)
        open_ones = unsure.any(axis=1) & ~sure
        if open_ones.any():
            some = block.take(open_ones)
            self.split(some, unsure[open_ones].argmax(axis=1))
        over = block.take(~open_ones)
        self.leaves += len(over)
        self.compared += len(over)
        self.done += float(over.share.sum())
        return self.judge(block.take(sure))

    def unstopped(self, block: Block) -> Cells | None:
        """What follows where a program does not stop."""
        self.leaves += len(block)
        self.done += float(block.share.sum())
        if block.phase == GENERIC and self.claim.partial:
            self.cut += self.unfinished(block.take(block.here < self.claim.generic.L))
            return None
        return self.judge(block)

    def unfinished(self, block: Block) -> int:
        """On how many of these tapes the program at hand may stop, as it does not come round to where it was.

        Each state is compared with one before it, a later one as the way from it becomes longer.
        """
        endless, stopped, lost = np.zeros((3, len(block)), np.bool_)
        cells = np.full(len(block), UNREAD)
        active, before = np.arange(len(block)), block.take(np.arange(len(block)))
        for number in range(1, self.claim.patience + 1):
            if not len(active) or self.clock.over:
                break
            block.steps[:] = 0
            self.clock.did(_STEP + _OF_ONE * len(active))
            active = self.programs[block.phase].step(block, active, cells, stopped, lost)
            same = block.here[active] == before.here[active]
            same &= (block.registers[active] == before.registers[active]).all(axis=1)
            same &= (block.tape[active] == before.tape[active]).all(axis=1)
            endless[active[same]] = True
            active = active[~same]
            if number & (number - 1) == 0:
                before = block.take(np.arange(len(block)))
        left = lost & (block.here >= self.programs[block.phase].program.L)
        return int((~(endless | left)).sum())

    def judge(self, failing: Block) -> Cells | None:
        """A tape that gets to a failing end and settles the claim, if there is one."""
        for known in failing.known:
            cells = {int(c): int(known[c]) for c in np.flatnonzero(known != UNREAD)}
            try:
                tape = self.tapes.find(self.random, self.clock, cells)
            except Undecided:
                self.hopeless = True
                return None
            settles = tape and self.inquiry.settled_by(tape, "exhaustive", self.leaves)
            if settles is not None:
                return tape
            self.in_vain += tape is None
            if self.clock.over or self.in_vain > _IN_VAIN:
                self.hopeless = True
                return None
        return None

    # -- values for cells ----------------------------------------------------------

    def split(self, block: Block, cells: np.ndarray) -> None:
        """Go on later with each value that the cell of each tape can have."""
        for cell in np.unique(cells).tolist():
            self.stack.append(
                Waiting(block.take(cells == cell), cell, np.asarray(self.tapes.domains[cell]))
            )

    def more_of(self, waiting: Waiting) -> Block | None:
        """Some of the tapes that wait for a cell, with values in it; the others go on waiting."""
        made: list[Block] = []
        size = max(1, self.block_size // max(1, len(waiting.values)))
        while waiting.begin < len(waiting.block) and sum(map(len, made)) < self.block_size / 2:
            end = waiting.begin + size
            made.append(
                self.copied(waiting.block, waiting.begin, end, waiting.cell, waiting.values)
            )
            waiting.begin = end
            if self.clock.over:
                break
        if waiting.begin < len(waiting.block):
            self.stack.append(waiting)
        return together(made) if made else None

    def copied(self, part: Block, begin: int, end: int, cell: int, values: np.ndarray) -> Block:
        """Some of the tapes, once for each value of a cell that fits."""
        rows = np.arange(begin, min(end, len(part)))
        copies = np.repeat(rows, len(values))
        known = part.known[copies]
        known[:, cell] = np.tile(values, len(rows))
        looked_at = self.M + self.fitting.looked_at(cell)
        self.clock.did(_COPY + _CELL * len(known) * looked_at)
        fits = self.fitting.fits(known, cell)
        counts = np.bincount(copies[fits], minlength=len(part))
        self.done += float(part.share[rows][counts[rows] == 0].sum())
        kept = part.take(copies[fits])
        kept.known = known[fits]
        kept.share = kept.share / counts[copies[fits]]
        for tape in (kept.tape, kept.wanted):
            unwritten = tape[:, cell] == UNREAD
            tape[unwritten, cell] = kept.known[unwritten, cell]
        return kept


class Fitting:
    """The values that leave tapes a chance to satisfy facts."""

    def __init__(self, tapes: Tapes) -> None:
        self.tapes, self.M = tapes, tapes.M
        facts = conjuncts(tapes.inputs.joint)
        self.joint = [fact for fact in facts if not fact.pointers]
        self.following = [fact for fact in facts if fact.pointers]

    def looked_at(self, cell: int) -> int:
        """How many cells and numbers `fits` looks at on each tape, about."""
        facts = [fact for fact in self.joint if cell in fact.cells] + self.following
        return sum(len(fact.cells) for fact in facts)

    def settled(self, fact: Fact, known: np.ndarray) -> np.ndarray:
        """For facts that follow pointers: on which tapes all the cells are known that they speak of."""
        sure = (known[:, sorted(fact.cells)] != UNREAD).all(axis=1)
        rows = np.arange(len(known))
        for pointer in fact.pointers:
            address = pointer.address.column(np.maximum(known, 0).astype(np.int64)) % self.M
            sure &= known[rows, address] != UNREAD
        return sure

    def fits(self, known: np.ndarray, cell: int) -> np.ndarray:
        """Whether each tape, with a new value in this cell, can still satisfy the precondition."""
        fits = np.ones(len(known), np.bool_)
        for other, more in self.tapes.inputs.tied_to(cell):
            there = known[:, other] != UNREAD
            fits &= ~there | (known[:, cell] == known[:, other] + more)
        for fact in self.joint:
            if cell in fact.cells:
                places = list(fact.cells)
                whole = fits & (known[:, places] != UNREAD).all(axis=1)
                if whole.any():
                    fits[whole] = fact.truths(known[whole].astype(np.int64))
        for fact in self.following:
            fits &= ~self.settled(fact, known) | fact.truths(np.maximum(known, 0).astype(np.int64))
        return fits


class Exhaustive:
    """One exhaustive check of a claim."""

    def __init__(self, inquiry: Inquiry, random: Random) -> None:
        self.inquiry, self.walk = inquiry, Walk(inquiry, random)
        self.spent = 0.0  # seconds

    def run(self, patience: float, at_most: float) -> Verdict | None:
        """The verdict, or None while there is none; a later call goes on where this one gave up.

        It gives up at the deadline, after `patience` seconds unless all of it can be expected to
        take `at_most` seconds, and where the facts exclude too many tapes only as a whole.
        """
        clock, walk = self.inquiry.clock, self.walk
        longest = clock.part(min(clock.left, max(patience, at_most)))
        begin = clock.seconds - self.spent
        while walk.stack and not walk.hopeless and not self._gives_up(longest, patience, at_most):
            tape = walk.go_on(longest)
            self.spent = clock.seconds - begin
            if tape is not None:
                return self.inquiry.settled_by(tape, "exhaustive", walk.leaves)
        if walk.stack or walk.hopeless:
            return None
        return self.inquiry.ended("exhaustive", walk.leaves, walk.compared, walk.cut)

    def _gives_up(self, longest: Clock, patience: float, at_most: float) -> bool:
        """Whether there is no time left, or more to do than there should be."""
        return longest.over or (self.spent > patience and self._expected() >= at_most)

    def _expected(self) -> float:
        """The seconds that all of it takes at the pace so far."""
        part = self.walk.part_done
        return self.spent / part if part > 0 else math.inf
