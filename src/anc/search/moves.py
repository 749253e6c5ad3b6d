"""Moves: small random changes of an encoded program, one function each.

Every move has the same arguments and keeps the program well formed:

- `lines` (M, 4), `values` (R + 1) and `head` = (L, start): the program, changed in place;
- `size` = (M, R, largest L): its limits; register R is the one that stays 0 (an unused operand);
- `guide`: cumulative proposal probabilities, see `anc.search.guides`;
- `rng`: the state of the random numbers.

It returns whether it could do anything. `propose` draws a move and applies it.
"""

from __future__ import annotations

import numpy as np

from anc import isa
from anc.machine.batch import JEZ, compiled

MOVES = (
    "operation",
    "operand",
    "output",
    "initial register",
    "first line",
    "insert",
    "delete",
    "move",
    "swap",
    "retarget",
    "line",
)
WEIGHTS = (3.0, 5.0, 3.0, 4.0, 0.4, 1.5, 1.5, 1.0, 1.0, 1.0, 2.0)
N = isa.N
OPERANDS = np.array([row.operands for row in isa.INSTRUCTIONS], np.int64)
OP, FIRST, SECOND, OUT = 0, 1, 2, 3
L_, START = 0, 1


@compiled
def random_bits(rng):
    """The next 64 random bits (splitmix64)."""
    rng[0] += np.uint64(0x9E3779B97F4A7C15)
    z = rng[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@compiled
def below(rng, n):
    """A random number from 0 to n - 1 (n far below 2**32)."""
    return np.int64(((random_bits(rng) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@compiled
def fraction(rng):
    """A random number from 0 up to 1."""
    return np.float64(random_bits(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@compiled
def drawn(cumulative, rng):
    """A number drawn from cumulative probabilities."""
    u = fraction(rng) * cumulative[-1]
    for i in range(cumulative.shape[0] - 1):
        if u < cumulative[i]:
            return i
    return cumulative.shape[0] - 1


@compiled
def some_op(line, size, guide, rng):
    """An operation for a line: as the guide says, where there is one."""
    if guide[0].shape[0] > 0 and below(rng, 2) == 0:
        return drawn(guide[0][line % guide[0].shape[0]], rng)
    return below(rng, N)


@compiled
def some_register(place, line, size, guide, rng):
    """A register for a place (first, second, out) of a line."""
    table = guide[place]
    if table.shape[0] > 0 and below(rng, 2) == 0:
        return min(drawn(table[line % table.shape[0]], rng), size[1] - 1)
    return below(rng, size[1])


@compiled
def some_value(register, lines, values, head, size, guide, rng):
    """An initial value for a register: any, one nearby, or another register's."""
    M, R = size[0], size[1]
    table = guide[4]
    if register < table.shape[0] and below(rng, 2) == 0:
        return drawn(table[register], rng) % M
    kind = below(rng, 4)
    old = np.int64(values[register])
    if kind == 0:
        return (old + 1) % M if below(rng, 2) == 0 else (old + M - 1) % M
    if kind == 1:
        return np.int64(values[below(rng, R)])
    return below(rng, M)


@compiled
def fit_operands(lines, line, size, guide, rng):
    """Operands that the operation does not take become unused, missing ones are drawn."""
    R = size[1]
    taken = OPERANDS[lines[line, OP]]
    for place in range(FIRST, OUT):
        if place > taken:
            lines[line, place] = R
        elif lines[line, place] == R:
            lines[line, place] = some_register(place, line, size, guide, rng)


@compiled
def change_operation(lines, values, head, size, guide, rng):
    line = below(rng, head[L_])
    op = some_op(line, size, guide, rng)
    if op == lines[line, OP]:
        return False
    lines[line, OP] = op
    fit_operands(lines, line, size, guide, rng)
    return True


@compiled
def change_operand(lines, values, head, size, guide, rng):
    line = below(rng, head[L_])
    taken = OPERANDS[lines[line, OP]]
    if taken == 0:
        return False
    place = FIRST + below(rng, taken)
    register = some_register(place, line, size, guide, rng)
    if register == lines[line, place]:
        return False
    lines[line, place] = register
    return True


@compiled
def change_output(lines, values, head, size, guide, rng):
    line = below(rng, head[L_])
    register = some_register(OUT, line, size, guide, rng)
    if register == lines[line, OUT]:
        return False
    lines[line, OUT] = register
    return True


@compiled
def change_initial_register(lines, values, head, size, guide, rng):
    register = below(rng, size[1])
    value = some_value(register, lines, values, head, size, guide, rng)
    if value == values[register]:
        return False
    values[register] = value
    return True


@compiled
def change_first_line(lines, values, head, size, guide, rng):
    line = below(rng, head[L_])
    if line == head[START]:
        return False
    head[START] = line
    return True


@compiled
def draw_line(lines, line, size, guide, rng):
    """A whole new line."""
    lines[line, OP] = some_op(line, size, guide, rng)
    for place in range(FIRST, OUT):
        lines[line, place] = size[1]
    lines[line, OUT] = some_register(OUT, line, size, guide, rng)
    fit_operands(lines, line, size, guide, rng)


@compiled
def change_line(lines, values, head, size, guide, rng):
    draw_line(lines, below(rng, head[L_]), size, guide, rng)
    return True


@compiled
def shift_targets(lines, values, head, size, line, by):
    """Let registers that are only jump targets follow the lines behind a place."""
    R = size[1]
    for register in range(R):
        if values[register] < line:
            continue
        target = False
        other = False
        for i in range(head[L_]):
            if lines[i, OUT] == register or lines[i, FIRST] == register:
                other = True
            elif lines[i, SECOND] == register:
                if lines[i, OP] == JEZ:
                    target = True
                else:
                    other = True
        if target and not other:
            value = np.int64(values[register]) + by
            if 0 <= value < size[0]:
                values[register] = value


@compiled
def insert_line(lines, values, head, size, guide, rng):
    L = head[L_]
    if size[2] <= L:
        return False
    line = below(rng, L + 1)
    if below(rng, 4) > 0:
        shift_targets(lines, values, head, size, line, 1)
    for i in range(L, line, -1):
        for place in range(4):
            lines[i, place] = lines[i - 1, place]
    head[L_] = L + 1
    if head[START] >= line and (head[START] > line or below(rng, 2) == 0):
        head[START] += 1
    if L > 0 and below(rng, 3) == 0:
        source = below(rng, L + 1)
        for place in range(4):
            lines[line, place] = lines[source, place]
        if source == line:
            draw_line(lines, line, size, guide, rng)
    else:
        draw_line(lines, line, size, guide, rng)
    return True


@compiled
def delete_line(lines, values, head, size, guide, rng):
    L = head[L_]
    if L <= 1:
        return False
    line = below(rng, L)
    for i in range(line, L - 1):
        for place in range(4):
            lines[i, place] = lines[i + 1, place]
    head[L_] = L - 1
    if head[START] > line or head[START] == L - 1:
        head[START] -= 1
    if below(rng, 4) > 0:
        shift_targets(lines, values, head, size, line + 1, -1)
    return True


@compiled
def move_line(lines, values, head, size, guide, rng):
    L = head[L_]
    source, target = below(rng, L), below(rng, L)
    if source == target:
        return False
    by = 1 if target > source else -1
    i = source
    while i != target:
        for place in range(4):
            kept = lines[i, place]
            lines[i, place] = lines[i + by, place]
            lines[i + by, place] = kept
        i += by
    return True


@compiled
def swap_lines(lines, values, head, size, guide, rng):
    L = head[L_]
    one, two = below(rng, L), below(rng, L)
    if one == two:
        return False
    for place in range(4):
        kept = lines[one, place]
        lines[one, place] = lines[two, place]
        lines[two, place] = kept
    return True


@compiled
def retarget_jump(lines, values, head, size, guide, rng):
    """Give one jump another target: a new value of its register, or a register of its own."""
    L, R = head[L_], size[1]
    line = below(rng, L)
    for _ in range(L):
        if lines[line, OP] == JEZ:
            break
        line = (line + 1) % L
    if lines[line, OP] != JEZ:
        return False
    register = np.int64(lines[line, SECOND])
    if below(rng, 2) == 0:
        register = below(rng, R)
        lines[line, SECOND] = register
    values[register] = below(rng, L)
    return True


@compiled
def propose(lines, values, head, size, guide, rng, chances):
    """Draw a move by its cumulative chance and apply it; returns its number and whether it did."""
    move = drawn(chances, rng)
    done = False
    if move == 0:
        done = change_operation(lines, values, head, size, guide, rng)
    elif move == 1:
        done = change_operand(lines, values, head, size, guide, rng)
    elif move == 2:
        done = change_output(lines, values, head, size, guide, rng)
    elif move == 3:
        done = change_initial_register(lines, values, head, size, guide, rng)
    elif move == 4:
        done = change_first_line(lines, values, head, size, guide, rng)
    elif move == 5:
        done = insert_line(lines, values, head, size, guide, rng)
    elif move == 6:
        done = delete_line(lines, values, head, size, guide, rng)
    elif move == 7:
        done = move_line(lines, values, head, size, guide, rng)
    elif move == 8:
        done = swap_lines(lines, values, head, size, guide, rng)
    elif move == 9:
        done = retarget_jump(lines, values, head, size, guide, rng)
    elif move == 10:
        done = change_line(lines, values, head, size, guide, rng)
    return move, done
