"""Moves: small random changes of an encoded program, one function each.

All moves have the same arguments and keep the program well formed:

- `program`: an `Encoded` with room for M lines, changed in place; its last register stays 0;
- `guide`: the proposal distributions, see `anc.search.chain`;
- `rng`: the state of the random number generator.

A move returns whether it changed the program. `@move` registers it with its weight; `propose` draws a registered
move and applies it. In a sketch only holes change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anc.isa import InstructionSet
from anc.machine.compiled import lean, lean_inner, one_of
from anc.search.single_instructions import beyond_paper

OP, FIRST, SECOND, OUT = 0, 1, 2, 3
VALUE = 3  # the field of a hole that is a register's initial value; an output is never a hole
L_, START = 0, 1

MOVES: list[Any] = []  # compiled: (program, guide, rng) -> whether it changed the program
WEIGHTS: list[float] = []  # relative frequencies of the moves
BEYOND_PAPER: list[bool] = []  # moves for sets with more instructions than the paper's


def move(weight: float, has_more: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function and register it as a move, of all sets or of those with more than the paper's rows."""

    def register(function: Callable[..., Any]) -> Any:
        MOVES.append(lean(function))
        WEIGHTS.append(weight)
        BEYOND_PAPER.append(has_more)
        return MOVES[-1]

    return register


def chances(instructions: InstructionSet) -> np.ndarray:
    """The cumulative weights of the moves for programs of a set."""
    has_more = bool(beyond_paper(instructions))
    pairs = zip(WEIGHTS, BEYOND_PAPER, strict=True)
    return np.cumsum([weight if has_more or not beyond else 0.0 for weight, beyond in pairs])


@lean_inner
def random_bits(rng):
    """The next 64 random bits (splitmix64)."""
    rng[0] += np.uint64(0x9E3779B97F4A7C15)
    z = rng[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@lean_inner
def below(rng, n):
    """A random number from 0 to n - 1 (n far below 2**32)."""
    return np.int64(((random_bits(rng) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@lean_inner
def fraction(rng):
    """A random number in [0, 1)."""
    return np.float64(random_bits(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@lean_inner
def drawn(cumulative, rng):
    """Draw an index from cumulative probabilities."""
    u = fraction(rng) * cumulative[-1]
    for i in range(cumulative.shape[0] - 1):
        if u < cumulative[i]:
            return i
    return cumulative.shape[0] - 1


@lean_inner
def some_op(line, guide, rng):
    """Draw an operation for a line, half of the time from the guide if there is one."""
    table = guide.tables[0]
    if table.shape[0] > 0 and below(rng, 2) == 0:
        return drawn(table[line % table.shape[0]], rng)
    return below(rng, guide.operands.shape[0])


@lean_inner
def some_register(place, line, program, guide, rng):
    """Draw a register for a place (first, second, out) of a line."""
    R = program.values.shape[0] - 1
    table = guide.tables[place]
    if table.shape[0] > 0 and below(rng, 2) == 0:
        return min(drawn(table[line % table.shape[0]], rng), R - 1)
    return below(rng, R)


@lean_inner
def memory(program, guide):
    """M; if the guide does not say it, programs have room for M lines."""
    return guide.M if guide.M > 0 else program.lines.shape[0]


@lean_inner
def some_value(register, program, guide, rng):
    """Draw an initial value for a register: uniformly, from its neighbours, or from another register."""
    M, R = memory(program, guide), program.values.shape[0] - 1
    table = guide.tables[4]
    if register < table.shape[0] and below(rng, 2) == 0:
        return drawn(table[register], rng) % M
    kind = below(rng, 4)
    old = np.int64(program.values[register])
    if kind == 0:
        return (old + 1) % M if below(rng, 2) == 0 else (old + M - 1) % M
    if kind == 1:
        return np.int64(program.values[below(rng, R)])
    return below(rng, M)


@lean_inner
def fit_operands(program, line, guide, rng):
    """Clear operands that the operation does not take, and draw those that are missing."""
    lines, R = program.lines, program.values.shape[0] - 1
    taken = guide.operands[lines[line, OP]]
    for place in range(FIRST, OUT):
        if place > taken:
            lines[line, place] = R
        elif lines[line, place] == R:
            lines[line, place] = some_register(place, line, program, guide, rng)


@lean_inner
def put(numbers, place, number):
    """Store a number; whether it differs from the old one."""
    if numbers[place] == number:
        return False
    numbers[place] = number
    return True


@move(weight=3.0)
def change_operation(program, guide, rng):
    lines, head = program.lines, program.head
    line = below(rng, head[L_])
    if not put(lines[line], OP, some_op(line, guide, rng)):
        return False
    fit_operands(program, line, guide, rng)
    return True


@move(weight=5.0)
def change_operand(program, guide, rng):
    lines, head = program.lines, program.head
    line = below(rng, head[L_])
    taken = guide.operands[lines[line, OP]]
    if taken == 0:
        return False
    place = FIRST + below(rng, taken)
    return put(lines[line], place, some_register(place, line, program, guide, rng))


@move(weight=3.0)
def change_output(program, guide, rng):
    line = below(rng, program.head[L_])
    return put(program.lines[line], OUT, some_register(OUT, line, program, guide, rng))


@move(weight=4.0)
def change_initial_register(program, guide, rng):
    register = below(rng, program.values.shape[0] - 1)
    return put(program.values, register, some_value(register, program, guide, rng))


@move(weight=0.4)
def change_first_line(program, guide, rng):
    return put(program.head, START, below(rng, program.head[L_]))


@lean_inner
def draw_line(program, line, guide, rng):
    """Draw all fields of a line."""
    lines, R = program.lines, program.values.shape[0] - 1
    lines[line, OP] = some_op(line, guide, rng)
    for place in range(FIRST, OUT):
        lines[line, place] = R
    lines[line, OUT] = some_register(OUT, line, program, guide, rng)
    fit_operands(program, line, guide, rng)


@lean_inner
def shift_targets(program, line, by, guide):
    """Adjust registers that are only jump targets when the lines from `line` on move."""
    lines, values = program.lines, program.values
    for register in range(values.shape[0] - 1):
        if values[register] < line:
            continue
        target = False
        other = False
        for i in range(program.head[L_]):
            if lines[i, OUT] == register or lines[i, FIRST] == register:
                other = True
            elif lines[i, SECOND] == register:
                if lines[i, OP] == guide.jump:
                    target = True
                else:
                    other = True
        if target and not other:
            value = np.int64(values[register]) + by
            if 0 <= value < lines.shape[0]:
                values[register] = value


@lean_inner
def copy_line(lines, source, target):
    for place in range(4):
        lines[target, place] = lines[source, place]


@lean_inner
def exchange_lines(program, rng, step_by_step):
    """Exchange two random lines directly, or move one line to the place of the other."""
    lines, L = program.lines, program.head[L_]
    source, target = below(rng, L), below(rng, L)
    if source == target:
        return False
    by = target - source
    if step_by_step:
        by = 1 if target > source else -1
    for i in range(source, target, by):
        for place in range(4):
            lines[i, place], lines[i + by, place] = lines[i + by, place], lines[i, place]
    return True


@move(weight=1.5)
def insert_line(program, guide, rng):
    lines, head = program.lines, program.head
    L = head[L_]
    if lines.shape[0] <= L:
        return False
    line = below(rng, L + 1)
    if below(rng, 4) > 0:
        shift_targets(program, line, 1, guide)
    for i in range(L, line, -1):
        copy_line(lines, i - 1, i)
    head[L_] = L + 1
    if head[START] >= line and (head[START] > line or below(rng, 2) == 0):
        head[START] += 1
    source = below(rng, L + 1) if below(rng, 3) == 0 else line
    copy_line(lines, source, line)
    if source == line:
        draw_line(program, line, guide, rng)
    return True


@move(weight=1.5)
def delete_line(program, guide, rng):
    lines, head = program.lines, program.head
    L = head[L_]
    if L <= 1:
        return False
    line = below(rng, L)
    for i in range(line, L - 1):
        copy_line(lines, i + 1, i)
    head[L_] = L - 1
    if head[START] > line or head[START] == L - 1:
        head[START] -= 1
    if below(rng, 4) > 0:
        shift_targets(program, line + 1, -1, guide)
    return True


@move(weight=1.0)
def move_line(program, guide, rng):
    return exchange_lines(program, rng, True)


@move(weight=1.0)
def swap_lines(program, guide, rng):
    return exchange_lines(program, rng, False)


@move(weight=1.0)
def retarget_jump(program, guide, rng):
    """Change the target of one jump: the value of its register, or the register."""
    lines, values = program.lines, program.values
    L, R = program.head[L_], values.shape[0] - 1
    line = below(rng, L)
    for _ in range(L):
        if lines[line, OP] == guide.jump:
            break
        line = (line + 1) % L
    if lines[line, OP] != guide.jump:
        return False
    register = np.int64(lines[line, SECOND])
    if below(rng, 2) == 0:
        register = below(rng, R)
        lines[line, SECOND] = register
    values[register] = below(rng, L)
    return True


@move(weight=2.0)
def change_line(program, guide, rng):
    draw_line(program, below(rng, program.head[L_]), guide, rng)
    return True


@move(weight=2.0, has_more=True)
def put_number(program, guide, rng):
    """Give a line a number as its second operand, such as a divisor, a factor or a mask."""
    lines, R = program.lines, program.values.shape[0] - 1
    line, register = below(rng, program.head[L_]), below(rng, R)
    if guide.operands[lines[line, OP]] < 2 or lines[line, OP] == guide.jump:
        return False
    for i in range(program.head[L_]):  # the number must be no other line's
        if lines[i, OUT] == register or (i != line and lines[i, FIRST] == register):
            return False
        if i != line and lines[i, SECOND] == register:
            return False
    M, kind = memory(program, guide), below(rng, 4)
    number = 1 + below(rng, 16)
    if kind == 0:
        number = np.int64(1) << below(rng, 16)
    elif kind == 1:
        number = (np.int64(1) << below(rng, 16)) - 1
    elif kind == 2:
        number = some_value(register, program, guide, rng)
    changed = put(lines[line], SECOND, register)
    return put(program.values, register, number % M) or changed


_apply = one_of(MOVES)


@lean_inner
def put_choice(program, holes, hole, index):
    """Fill a hole of an encoded program with one of its choices."""
    number = holes.choices[hole, index]
    if holes.field[hole] == VALUE:
        program.values[holes.at[hole]] = number
    else:
        program.lines[holes.at[hole], holes.field[hole]] = number


@lean_inner
def change_hole(program, holes, rng):
    """Fill one hole of a sketch with another of its choices."""
    hole = below(rng, holes.sizes.shape[0])
    size, at = holes.sizes[hole], holes.at[hole]
    if size == 1:
        return False
    is_value = holes.field[hole] == VALUE
    number = program.values[at] if is_value else program.lines[at, holes.field[hole]]
    index = np.int64(0)
    while holes.choices[hole, index] != number:
        index += 1
    put_choice(program, holes, hole, (index + 1 + below(rng, size - 1)) % size)
    return True


@lean_inner
def _changed(program, guide, holes, rng, chances):
    if holes is None:
        return _apply(drawn(chances, rng), program, guide, rng)
    return change_hole(program, holes, rng)


@lean_inner
def propose(program, guide, rng, chances):
    """Draw a move by its cumulative weight and apply it, or change a hole; whether the program changed."""
    return _changed(program, guide, guide.holes, rng, chances)
