"""Enumeration of short programs, shortest first: straight lines, and one decision.

The walk is over a few example cases; what it finds is run on all cases, and a case that it fails on
joins the examples (counter-example guided).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from anc import isa
from anc.compiler import compile_source
from anc.language.source import Source
from anc.machine.batch import ADD, CaseArrays, encode, evaluate_many
from anc.program import Program
from anc.search.branch import NOTHING, walk_branches
from anc.search.goals import Examples, Goal, Instruction, goals
from anc.search.straight import EXHAUSTED, FOUND, walk

EXAMPLES = 24
NODES = 2_000_000  # between two looks at the clock
KeepGoing = Callable[[], bool]
Step = Callable[[Examples, int, float, KeepGoing, Sequence[int] | None], str | None]


class Interrupted(Exception):
    """The caller wants no more."""


@dataclass(frozen=True)
class Enumerated:
    """A program that is right on all cases, and how it was found."""

    program: Program
    method: str


def enumerate_programs(
    cases: CaseArrays,
    below: float,
    keep_going: KeepGoing = lambda: True,
    constants: Sequence[int] = (1, 2),
    max_depth: int = 6,
) -> Iterator[Enumerated]:
    """Right programs with fewer mean steps than `below`, each better than the one before.

    Shortest first; all is looked through with the few given `constants`, then with all numbers. It
    ends when everything up to `max_depth` computing instructions has been seen.
    """
    chosen = list(range(min(EXAMPLES, len(cases))))
    best = below
    try:
        for numbers in (constants, None):
            for method, step, depth in _agenda(max_depth):
                while True:
                    text = step(examples_of(cases, chosen), depth, best, keep_going, numbers)
                    if text is None:
                        break
                    program = compile_source(Source(text), memory=cases.M).program
                    failed, mean = _check(program, cases)
                    if failed is not None:
                        chosen = [failed, *chosen]
                        continue
                    if mean < best - 1e-9:
                        best = mean
                        yield Enumerated(program, method)
                    break
    except Interrupted:
        return


def _agenda(max_depth: int) -> Iterator[tuple[str, Step, int]]:
    """Straight lines and decisions, by their number of instructions."""
    for depth in range(max_depth + 1):
        yield "straight line", _straight, depth
        if depth > 1:
            yield "one decision", _decision, depth - 1


def _check(program: Program, cases: CaseArrays) -> tuple[int | None, float]:
    """The first case that a program fails on (or None), and its mean steps."""
    encoded = encode(program)
    found = evaluate_many([encoded], cases, program.L)
    if found.right[0]:
        return None, float(found.cost[0])
    for c in range(len(cases)):
        if not evaluate_many([encoded], cases.choose([c]), program.L).right[0]:
            return c, np.inf
    raise AssertionError("a program is wrong on all cases together but right on each")


def examples_of(cases: CaseArrays, chosen: Sequence[int]) -> Examples:
    """Some of the cases as whole tapes."""
    some = cases.choose(chosen)
    outputs = some.inputs.astype(np.int64)
    counted = np.zeros(outputs.shape, bool)
    rows = np.repeat(np.arange(len(some)), np.diff(some.first_cell))
    outputs[rows, some.cells] = some.wanted
    counted[rows, some.cells] = True
    return Examples(some.inputs.astype(np.int64), outputs, counted, some.counts)


def _useful_cells(examples: Examples) -> np.ndarray:
    """Cells worth READing at a fixed address: those that vary."""
    vary = (examples.inputs != examples.inputs[:1]).any(axis=0)
    return np.flatnonzero(vary).astype(np.int64)


def _constants(examples: Examples, constants: Sequence[int] | None) -> np.ndarray:
    numbers = range(examples.M) if constants is None else constants
    return np.array([c for c in numbers if 0 < c < examples.M], np.int64)


def _straight(
    examples: Examples,
    depth: int,
    best: float,
    keep_going: KeepGoing,
    constants: Sequence[int] | None,
) -> str | None:
    """The text of a straight line with `depth` computing instructions beside its addresses."""
    for goal in goals(examples):
        steps = goal.steps + depth
        if steps >= best or steps > examples.M:
            continue
        found = _solve(goal, examples, depth, keep_going, constants)
        if found is not None:
            code, sources = found
            writes = list(zip(goal.addresses, sources, strict=True))
            return "\n".join([*_text(code, examples.M), *_writes(writes), "STOP()"])
    return None


def _solve(
    goal: Goal,
    examples: Examples,
    depth: int,
    keep_going: KeepGoing,
    constants: Sequence[int] | None,
) -> tuple[list[Instruction], list[int]] | None:
    base, K = len(goal.code), examples.K
    vectors = np.zeros((base + depth + 1, K), np.int16)
    code = np.zeros((base + depth + 1, 3), np.int64)
    for n, (op, a, b) in enumerate(goal.code):
        code[n] = (op, a, b)
        left_operand = vectors[a] if a >= 0 else np.full(K, -1 - a)
        if op == ADD:
            vectors[n] = (left_operand + (-1 - b)) % examples.M
        else:
            vectors[n] = examples.inputs[np.arange(K), left_operand]
    open_targets = np.array(
        [
            _source(target, care, vectors[:base]) is None
            for target, care in zip(goal.targets, goal.care, strict=True)
        ],
        np.int64,
    )
    n = base
    if open_targets.any():
        if depth == 0:
            return None
        if depth < len(np.unique(goal.targets[open_targets == 1], axis=0)) and goal.care.all():
            return None
        place = np.full((base + depth + 2, 2), 0, np.int64)
        place[base] = (-1, 0)
        left = np.zeros((depth + 1, len(open_targets)), np.int64)
        left[0] = open_targets
        arguments = (
            examples.inputs.astype(np.int16), _useful_cells(examples),
            _constants(examples, constants), goal.targets.astype(np.int16), goal.care,
        )  # fmt: skip
        while True:
            reason = walk(base, depth, vectors, code, place, left, *arguments, NODES)
            if reason == EXHAUSTED:
                return None
            if reason == FOUND:
                n = base + int(place[-1, 0]) + 1
                break
            if not keep_going():
                raise Interrupted
    elif depth > 0:
        return None
    sources = [
        _source(target, care, vectors[:n])
        for target, care in zip(goal.targets, goal.care, strict=True)
    ]
    assert all(source is not None for source in sources)
    return [tuple(row) for row in code[:n].tolist()], [s for s in sources if s is not None]


def _source(target: np.ndarray, care: np.ndarray, vectors: np.ndarray) -> int | None:
    """Where a target's value is: the number of a vector, -1 - constant, or nowhere."""
    wanted = target[care]
    if len(wanted) == 0 or (wanted == wanted[0]).all():
        return -1 - int(wanted[0] if len(wanted) else 0)
    for n, vector in enumerate(vectors):
        if (vector[care] == wanted).all():
            return n
    return None


def _decision(
    examples: Examples,
    depth: int,
    best: float,
    keep_going: KeepGoing,
    constants: Sequence[int] | None,
) -> str | None:
    """The text of the cheapest program with `depth` instructions, a JEZ and WRITEs on both sides."""
    cells = np.flatnonzero(examples.change.any(axis=0))
    changes = examples.change.sum(axis=1) @ examples.counts / examples.counts.sum()
    if depth + 2 + changes >= best or depth + 2 > examples.M or len(cells) > 6:
        return None
    K = examples.K
    vectors = np.zeros((depth + 1, K), np.int16)
    code = np.zeros((depth + 1, 3), np.int64)
    place = np.zeros((depth + 2, 2), np.int64)
    place[0] = (-1, 0)
    bound = np.array([best])
    best_code, best_writes = code.copy(), np.zeros((2, len(cells)), np.int64)
    arguments = (
        examples.inputs.astype(np.int16), _useful_cells(examples), _constants(examples, constants),
        examples.outputs[:, cells].T.astype(np.int16).copy(), examples.counted[:, cells].T.copy(),
        examples.change[:, cells].T.copy(), examples.counts, bound, best_code, best_writes,
    )  # fmt: skip
    while walk_branches(depth, vectors, code, place, *arguments, NODES) != EXHAUSTED:
        if not keep_going():
            raise Interrupted
    if bound[0] >= best:
        return None
    lines = _text([tuple(row) for row in best_code[:depth].tolist()], examples.M)
    sides = []
    for which in (0, 1):
        chosen = zip(cells.tolist(), best_writes[which].tolist(), strict=True)
        sides.append([*_writes([(-1 - cell, s) for cell, s in chosen if s != NOTHING]), "STOP()"])
    if sides[1] == sides[0][-len(sides[1]) :]:  # one side is the end of the other
        sides = [sides[0][: len(sides[0]) - len(sides[1])], sides[1]]
    program = [*lines, f"JEZ(v{depth - 1}, l_zero)", *sides[0], f"l_zero: {sides[1][0]}"]
    program += sides[1][1:]
    return "\n".join(program) if len(program) - depth <= examples.M else None


def _text(code: Sequence[Instruction], M: int) -> list[str]:
    """Declarations and lines of computing instructions; instruction n gives variable vn."""
    lines = [f"var v{n}" for n in range(len(code))]
    for n, (op, a, b) in enumerate(code):
        name = isa.NAMES[op]
        operands = [_operand(a)]
        if name == "ADD" and b in (-2, -M):
            name = "INC" if b == -2 else "DEC"
        elif isa.INSTRUCTIONS[op].operands == 2:
            operands.append(_operand(b))
        lines.append(f"v{n} = {name}({', '.join(operands)})")
    return lines


def _writes(writes: Sequence[tuple[int, int]]) -> list[str]:
    return [f"WRITE({_operand(address)}, {_operand(source)})" for address, source in writes]


def _operand(number: int) -> str:
    return f"v{number}" if number >= 0 else str(-1 - number)
