"""Structured control flow: a graph of blocks becomes `while`, `if`, `break` and `continue`.

A block with several predecessors is placed after the statement of its dominator, or after the loop if
only the dominator is inside. A block with one predecessor is placed in that branch. A jump that cannot be
expressed this way duplicates a short piece of code; if that is too long, the whole program becomes a
dispatch loop. A loop with several exits gets a single one, with a variable that selects where to continue.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from anc.codegen.blocks import EXIT, Block, Blocks
from anc.codegen.dispatching import dispatched
from anc.codegen.expressions import Condition, Name, Number, Test, negated
from anc.codegen.names import identifier
from anc.codegen.statements import (
    Assign,
    Break,
    Continue,
    If,
    Loop,
    PastEnd,
    Return,
    Statement,
    Statements,
    every,
    leaves,
    reachable,
)
from anc.compiler.dataflow import walk
from anc.compiler.graph import END

_COPIED = 6  # blocks in a piece of code that may be duplicated
_DEEPEST = 15  # nested statements; Python has a limit, and so have readers
_NOTED = 2  # loops with an exit variable; with more, a dispatch loop is easier to read
_TRIES = 100  # attempts to place a block after a loop
_GROWTH = 3  # the largest factor by which the number of blocks may grow


class Unstructured(Exception):
    """The control flow cannot be structured without much duplication."""

    def __init__(self, loops: list[int]) -> None:
        self.loops = loops  # around a jump that cannot be expressed, innermost first


@dataclass(frozen=True)
class ReducibleFlow:
    """The control flow of a reducible graph: every loop is entered at its header.

    `place` is the position in a reverse postorder, in which only back edges go backwards.
    """

    place: dict[int, int]
    dominator: dict[int, int]  # the immediate dominator
    entries: dict[int, int]  # the number of forward edges to a block
    loops: dict[int, frozenset[int]]  # the blocks of each loop, by header

    def loop_around(self, block: int) -> int | None:
        """The header of the innermost loop around a block."""
        around = [first for first, body in self.loops.items() if block in body]
        return max(around, key=self.place.__getitem__, default=None)


@dataclass(frozen=True)
class Around:
    """The blocks reached at the end of the statements, by `continue` and by `break`."""

    end: int
    again: int | None = None
    behind: int | None = None


def structured(blocks: Blocks) -> Statements:
    """The statements of a program."""
    simpler, noted = blocks, set[int]()
    shape = None if blocks.lines is not None else _flow(blocks)
    while shape is not None:
        try:
            written = _Structure(simpler, shape).sequence(blocks.start, Around(EXIT))
            found = reachable(written)
            if _levels(found) > _DEEPEST or _has_copies(found, blocks):
                break
            return found
        except RecursionError:
            break
        except Unstructured as problem:
            several = (
                loop
                for loop in problem.loops
                if loop not in noted and _leaves_for_several(simpler, shape.loops[loop])
            )
            loop = next(several, None)
            if loop is None or len(noted) == _NOTED:
                break
            noted.add(loop)
            simpler = _with_one_exit(simpler, shape.loops[loop])
            shape = _flow(simpler)
    return (dispatched(blocks),)


def _has_copies(statements: Statements, blocks: Blocks) -> bool:
    """Whether a forward dispatch is shorter than the structured statements."""
    if not blocks.switches:
        return False
    lines = dispatched(blocks)
    return lines.forward and len(list(every((lines,)))) + len(lines.cases) < len(
        list(every(statements))
    )


def _levels(statements: Statements) -> int:
    """The nesting depth of statements; an `elif` is as deep as its `if`."""
    deepest = 0
    for each in statements:
        if isinstance(each, Loop):
            deepest = max(deepest, 1 + _levels(each.body))
        while isinstance(each, If):
            deepest = max(deepest, 1 + _levels(each.then))
            if len(each.otherwise) != 1:
                deepest = max(deepest, 1 + _levels(each.otherwise))
                break
            (each,) = each.otherwise
    return deepest


class _Structure:
    def __init__(self, blocks: Blocks, shape: ReducibleFlow) -> None:
        self.blocks, self.flow = blocks.blocks, shape
        self.tries = _TRIES
        self.left = _GROWTH * len(self.blocks) + _COPIED
        self.behind: dict[int, list[int]] = {}  # the blocks placed after a block's branch
        self.behind_loop: dict[int, list[int]] = {}
        self.active: list[int] = []  # the enclosing loops
        for number in shape.place:
            if shape.entries[number] > 1:
                self._put(number)

    def _put(self, number: int) -> None:
        """Place a block with several predecessors: after a branch, or after a loop."""
        dominator = self.flow.dominator[number]
        left = [
            first
            for first, body in self.flow.loops.items()
            if dominator in body and number not in body
        ]
        if left:
            outermost = min(left, key=self.flow.place.__getitem__)
            self.behind_loop.setdefault(outermost, []).append(number)
        else:
            self.behind.setdefault(dominator, []).append(number)

    def sequence(self, number: int, around: Around) -> list[Statement]:
        """The statements from a block up to the end of its surroundings."""
        if number in self.flow.loops and number not in self.active:
            return self.loop(number, around)
        self.left -= 1
        if self.left < 0:
            raise self.problem()
        block = self.blocks[number]
        found: list[Statement] = list(block.statements)
        meetings = self.behind.get(number, [])
        inner = replace(around, end=meetings[0]) if meetings else around
        if block.condition is None:
            found += self.go(block.ways[0], inner)
        else:
            then, otherwise = (self.go(way, inner) for way in block.ways)
            found += _branch(block.condition, then, otherwise)
        return found + self.one_after_another(meetings, around)

    def one_after_another(self, meetings: list[int], around: Around) -> list[Statement]:
        found: list[Statement] = []
        for meeting, end in zip(meetings, [*meetings[1:], around.end], strict=False):
            found += self.sequence(meeting, replace(around, end=end))
        return found

    def loop(self, first: int, around: Around) -> list[Statement]:
        """A loop and the block after it; if there are several, the first that can be structured."""
        if first in self.behind_loop:
            after = self.behind_loop[first]
            return self.loop_body(first, after[0]) + self.one_after_another(after, around)
        ways = dict.fromkeys((*(way for way in self.exits(first) if way != END), around.end))
        *others, last = sorted(ways, key=self.preference(first, around))
        active, left = list(self.active), self.left
        for behind in others if self.tries > 0 else ():
            self.tries -= 1
            try:
                return self.loop_body(first, behind) + self.go(behind, around)
            except Unstructured:
                self.active, self.left = list(active), left
        return self.loop_body(first, last) + self.go(last, around)

    def preference(self, first: int, around: Around) -> Callable[[int], int]:
        """The preferred blocks after a loop: with one predecessor, then the one that follows anyway."""
        place, exits = self.flow.place, self.exits(first)

        def rank(way: int) -> int:
            if way >= 0 and place[way] > place[first] and self.flow.entries[way] == 1:
                return 0
            return 2 if way != around.end else 1 if way in exits else 3

        return rank

    def loop_body(self, first: int, behind: int) -> list[Statement]:
        self.active.append(first)
        body = self.sequence(first, Around(first, first, behind))
        self.active.pop()
        return [_loop(body)]

    def problem(self) -> Unstructured:
        return Unstructured(self.active[::-1])

    def exits(self, first: int) -> list[int]:
        """The successors outside of a loop, of the blocks that are in no inner loop."""
        body = self.flow.loops[first]
        order = sorted(body, key=self.flow.place.__getitem__)
        own = [number for number in order if self.flow.loop_around(number) == first]
        return [way for number in own for way in self.blocks[number].ways if way not in body]

    def go(self, to: int, around: Around) -> list[Statement]:
        """The statement that jumps to a block, or the block's statements."""
        if to == around.end:
            return []
        if to == around.again:
            return [Continue()]
        if to == around.behind:
            return [Break()]
        if to == EXIT:
            return [Return()]
        if to == END:
            return [PastEnd()]
        if self.flow.entries[to] > 1 or to in self.active:
            self.check_copy(to, around)
        return self.sequence(to, around)

    def check_copy(self, to: int, around: Around) -> None:
        """Raise unless the code from a block on is short enough to be duplicated."""
        stops = {around.end, around.again, around.behind, EXIT, END}
        found: set[int] = set()
        waiting = [to]
        while waiting:
            number = waiting.pop()
            if number in found or number in stops:
                continue
            found.add(number)
            if number in self.flow.loops or len(found) > _COPIED:
                raise self.problem()
            waiting += self.blocks[number].ways


def _branch(
    condition: Condition, then: list[Statement], otherwise: list[Statement]
) -> list[Statement]:
    """An `if` with no more `else` than it needs."""
    if not then and not otherwise:
        return []
    if not then or (leaves(otherwise) and (not leaves(then) or len(otherwise) < len(then))):
        condition, then, otherwise = negated(condition), otherwise, then
    if leaves(then) or not otherwise:
        return [If(condition, tuple(then)), *otherwise]
    return [If(condition, tuple(then), tuple(otherwise))]


def _loop(body: list[Statement]) -> Loop:
    """A loop; if its body begins with a conditional break, that is its condition."""
    if body and body[-1] == Continue():
        body = body[:-1]
    match body:
        case [If(condition, (Break(),), ()), *rest]:
            return Loop(negated(condition), tuple(rest))
    return Loop(None, tuple(body))


# -- control flow --------------------------------------------------------------------------


def _flow(blocks: Blocks) -> ReducibleFlow | None:
    """The control flow of a program; None if it is irreducible."""
    way = walk(blocks.edges(), blocks.start)
    loops = {first: frozenset(body) for first, body in way.bodies.items() if body is not None}
    if len(loops) < len(way.bodies):
        return None
    place = {number: i for i, number in enumerate(way.order)}
    dominator = {blocks.start: blocks.start}
    for number in way.order[1:]:
        nearest, *others = way.previous[number]
        for other in others:
            while nearest != other:
                if place[nearest] > place[other]:
                    nearest = dominator[nearest]
                else:
                    other = dominator[other]
        dominator[number] = nearest
    entries = {number: len(way.previous[number]) for number in way.order}
    return ReducibleFlow(place, dominator, entries | {blocks.start: 1}, loops)


def _with_one_exit(blocks: Blocks, body: frozenset[int]) -> Blocks:
    """The same program with a single exit from the loop with these blocks."""
    found = dict(blocks.blocks)
    name = identifier("way", _names(blocks))
    new = max(found) + 1
    leaving: dict[int, int] = {}  # the new block for each place outside
    for number in sorted(body):
        ways = []
        for way in found[number].ways:
            if way >= 0 and way not in body:
                way = leaving.setdefault(way, new + len(leaving))
            ways.append(way)
        found[number] = replace(found[number], ways=tuple(ways))
    *others, last = leaving
    behind = new + len(leaving)
    for count, way in enumerate(leaving):
        note = Assign(name, Number(count % blocks.M))
        found[leaving[way]] = Block([note], (behind,))
    for count, way in enumerate(others):
        after = last if way == others[-1] else behind + 1
        found[behind] = Block([], (way, after), Test(Name(name), "==", Number(count % blocks.M)))
        behind += 1
    return replace(blocks, blocks=found)


def _leaves_for_several(blocks: Blocks, body: frozenset[int]) -> bool:
    """Whether a loop has several exits that M numbers can distinguish."""
    ways = {way for number in body for way in blocks.blocks[number].ways}
    return 1 < len({way for way in ways - body if way >= 0}) <= blocks.M


def _names(blocks: Blocks) -> set[str]:
    assigned = (
        s.name for b in blocks.blocks.values() for s in b.statements if isinstance(s, Assign)
    )
    return {*blocks.first_values, *assigned, *(n for b in blocks.blocks.values() for n in b.read)}
