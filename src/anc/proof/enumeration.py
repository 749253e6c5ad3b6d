"""Proof by enumeration of all tapes that satisfy the precondition and that the runs can distinguish.

Both programs run on numbers, many tapes in parallel. A cell has no value until a run first reads it; the tape
is then copied once for each value that the precondition admits. Tapes that differ only in cells that are
never read are therefore enumerated once. Some values may be too many (a fact over several cells excludes a
value only when all of its cells are known). This is harmless: a failing run counts only if a whole tape that
satisfies the precondition leads to it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from itertools import count
from random import Random

import numpy as np

from anc.proof.claim import Cells, Inquiry
from anc.proof.facts import Fact, conjuncts
from anc.proof.sampler import Tapes
from anc.proof.tape_batch import UNREAD, Block, Places, Stepper, Waiting, together
from anc.proof.verdict import Undecided, Verdict
from anc.support.clock import Clock

GENERIC, ADAPTED, COMPARE = range(3)
_PATIENCE = 0.4  # seconds after which the whole enumeration must look short
_SHORT = 3.5  # seconds of a short enumeration
_IN_VAIN = 60  # failing runs without a tape after which the facts are too entangled
_LOOKS = 64  # steps between two readings of the clock
_STEP = 15  # evaluations that a step of a block costs, and each of its tapes in addition
_OF_ONE = 0.02
_COPY = 15  # evaluations that new values in a cell cost, and each cell and number compared
_CELL = 0.0005
_BLOCK = 16_384  # tapes that run in parallel
_NARROW = 64 * 16_384  # cells of all of them: fewer tapes if memories are large


class Enumeration:
    """The enumeration of all tapes of a claim."""

    def __init__(self, inquiry: Inquiry, random: Random) -> None:
        self.inquiry, self.claim = inquiry, inquiry.claim
        self.tapes, self.random, self.M = self.claim.tapes, random, self.claim.M
        programs = self.claim.generic, self.claim.adapted
        self.places = Places(programs, self.tapes.inputs.facts, self.M)
        self.programs = [Stepper(p, self.places, self.claim.max_steps) for p in programs]
        self.mask = np.asarray(self.claim.mask, np.bool_)[self.places.cells]
        self.fitting = Fitting(self.tapes, self.places)
        self.leaves = self.compared = 0  # tapes enumerated; those on which both programs stop
        self.cut = 0  # tapes of a partial claim on which the generic program may stop after all
        self.done = 0.0  # the share of everything that has been enumerated
        self.halfway = 0.0  # the same for the generic program alone
        self.in_vain = 0  # failing runs that no tape leads to
        self.hopeless = False
        width = len(self.places.cells)
        self.block_size = max(256, min(_BLOCK, _NARROW // max(1, width)))
        dtype = np.int16 if self.M < 2**15 else np.int32
        nothing = np.full((1, width), UNREAD, dtype)  # the only tape at first: no cell is known
        self.stack: list[Block | Waiting] = [self._beginning(GENERIC, nothing, nothing, np.ones(1))]

    def _beginning(
        self, phase: int, known: np.ndarray, wanted: np.ndarray, share: np.ndarray
    ) -> Block:
        """Tapes on which the program of a phase has not started."""
        code, n = self.programs[phase], len(known)
        here = np.full(n, code.program.start)
        registers = np.repeat(code.registers[None], n, axis=0)
        return Block(phase, np.zeros(n, int), here, registers, known.copy(), known, wanted, share)

    def advance(self, clock: Clock) -> Cells | None:
        """Continue with some of the tapes; returns a tape that settles the claim, if one does."""
        self.clock = clock
        item = self.stack.pop()
        block = self.more_of(item) if isinstance(item, Waiting) else item
        return self.run(block) if block is not None and len(block) else None

    @property
    def part_done(self) -> float:
        """The approximate share that has been enumerated."""
        return (self.done + max(self.done, self.halfway)) / 2

    def run(self, block: Block) -> Cells | None:
        """Run tapes until each stops or reads a new cell; returns a tape that settles the claim, if one does."""
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
        """After the generic program the adapted one runs; after both they are compared."""
        if block.phase == ADAPTED:
            return replace(block, phase=COMPARE)
        self.halfway += float(block.share.sum())
        return self._beginning(ADAPTED, block.known, block.tape, block.share)

    def compare(self, block: Block) -> Cells | None:
        """Compare the cells that count; cells that a run left unread may need values first."""
        differ = (block.wanted != block.tape) & self.mask
        unsure = differ & ((block.wanted == UNREAD) | (block.tape == UNREAD))
        sure = (differ & ~unsure).any(axis=1)
        open_ones = unsure.any(axis=1) & ~sure
        if open_ones.any():
            some = block.take(open_ones)
            self.split(some, self.places.cells[unsure[open_ones].argmax(axis=1)])
        over = block.take(~open_ones)
        self.leaves += len(over)
        self.compared += len(over)
        self.done += float(over.share.sum())
        return self.judge(block.take(sure))

    def unstopped(self, block: Block) -> Cells | None:
        """Handle tapes on which a program does not stop."""
        self.leaves += len(block)
        self.done += float(block.share.sum())
        if block.phase == GENERIC and self.claim.partial:
            self.cut += self.unfinished(block.take(block.here < self.claim.generic.L))
            return None
        return self.judge(block)

    def unfinished(self, block: Block) -> int:
        """The number of these tapes on which the program may stop: no state is seen to repeat.

        Each state is compared with an earlier one, which is replaced as the run becomes longer (Brent's algorithm).
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
        """A tape that leads to a failing run and settles the claim, if there is one."""
        for known in failing.known:
            columns = np.flatnonzero(known != UNREAD)
            cells = dict(
                zip(self.places.cells[columns].tolist(), known[columns].tolist(), strict=True)
            )
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
        """Schedule each tape with each value that its cell can have."""
        for cell in np.unique(cells).tolist():
            self.stack.append(
                Waiting(block.take(cells == cell), cell, np.asarray(self.tapes.domains[cell]))
            )

    def more_of(self, waiting: Waiting) -> Block | None:
        """Some of the tapes that wait for a cell, with values in it; the others keep waiting."""
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
        """Some of the tapes, once for each consistent value of a cell."""
        rows = np.arange(begin, min(end, len(part)))
        copies = np.repeat(rows, len(values))
        known = part.known[copies]
        column = self.places.of[cell]
        known[:, column] = np.tile(values, len(rows))
        looked_at = self.M + self.fitting.looked_at(cell)
        self.clock.did(_COPY + _CELL * len(known) * looked_at)
        fits = self.fitting.fits(known, cell)
        counts = np.bincount(copies[fits], minlength=len(part))
        self.done += float(part.share[rows][counts[rows] == 0].sum())
        kept = part.take(copies[fits])
        kept.known = known[fits]
        kept.share = kept.share / counts[copies[fits]]
        for tape in (kept.tape, kept.wanted):
            unwritten = tape[:, column] == UNREAD
            tape[unwritten, column] = kept.known[unwritten, column]
        return kept


class Fitting:
    """Decides which partial tapes can still satisfy the precondition."""

    def __init__(self, tapes: Tapes, places: Places) -> None:
        self.tapes, self.M, self.places = tapes, tapes.M, places
        facts = conjuncts(tapes.inputs.joint)
        self.joint = [fact for fact in facts if not fact.pointers]
        self.following = [fact for fact in facts if fact.pointers]

    def looked_at(self, cell: int) -> int:
        """The approximate number of cells and numbers that `fits` compares per tape."""
        facts = [fact for fact in self.joint if cell in fact.cells] + self.following
        return sum(len(fact.cells) for fact in facts)

    def settled(self, fact: Fact, known: np.ndarray) -> np.ndarray:
        """The tapes on which all cells of a fact with pointers are known."""
        sure = (known[:, self.places.of[sorted(fact.cells)]] != UNREAD).all(axis=1)
        rows = np.arange(len(known))
        for pointer in fact.pointers:
            address = pointer.address.column(np.maximum(known, 0).astype(np.int64)) % self.M
            sure &= known[rows, address] != UNREAD
        return sure

    def fits(self, known: np.ndarray, cell: int) -> np.ndarray:
        """Whether each tape, with a new value in this cell, can still satisfy the precondition."""
        fits, of = np.ones(len(known), np.bool_), self.places.of
        for other, more in self.tapes.inputs.tied_to(cell):
            there = known[:, of[other]] != UNREAD
            fits &= ~there | (known[:, of[cell]] == known[:, of[other]] + more)
        for fact in self.joint:
            if cell in fact.cells:
                whole = fits & (known[:, of[list(fact.cells)]] != UNREAD).all(axis=1)
                if whole.any():
                    fits[whole] = self.places.truths(fact, known[whole])
        for fact in self.following:
            fits &= ~self.settled(fact, known) | fact.truths(np.maximum(known, 0).astype(np.int64))
        return fits


class Exhaustive:
    """An exhaustive check of a claim, which can be interrupted and resumed."""

    def __init__(self, inquiry: Inquiry, random: Random) -> None:
        self.inquiry, self.random = inquiry, random

    @cached_property
    def enumeration(self) -> Enumeration:
        return Enumeration(self.inquiry, self.random)

    def run(self, clock: Clock) -> Verdict | None:
        """The verdict; None if the time is over, or if facts exclude too many tapes only as a whole."""
        return self._run(clock, math.inf, math.inf)

    def run_if_short(self, clock: Clock) -> Verdict | None:
        """The same, but it gives up soon unless the whole enumeration looks short."""
        return self._run(clock, min(_PATIENCE, clock.left / 4), min(_SHORT, clock.left / 2))

    def _run(self, clock: Clock, patience: float, at_most: float) -> Verdict | None:
        found, begin = self.enumeration, clock.seconds
        longest = clock.part(min(clock.left, max(patience, at_most)))
        while found.stack and not found.hopeless:
            spent = clock.seconds - begin
            if longest.over or (spent > patience and spent >= at_most * found.part_done):
                return None
            tape = found.advance(longest)
            if tape is not None:
                return self.inquiry.settled_by(tape, "exhaustive", found.leaves)
        if found.hopeless:
            return None
        return self.inquiry.ended("exhaustive", found.leaves, found.compared, found.cut)
