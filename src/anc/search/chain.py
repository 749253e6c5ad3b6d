"""One annealing chain over encoded programs, compiled with numba.

A chain walks by `anc.search.moves`. Its cost on a few cases is their mean cost plus a penalty for
every cell that is wrong, so that half-right programs lead on to right ones. The bound of acceptance
is drawn *before* a candidate runs: the machine gives up on the candidate as soon as it passes it.
Whatever is right on the few cases and cheaper than before is checked on all cases.
"""

from __future__ import annotations

import math

import numpy as np

from anc.machine.batch import compiled, evaluate
from anc.search.moves import fraction, propose

NEVER = 1e30  # a penalty that nothing makes up for


@compiled
def size_cost(lines, head, R, per_line, per_register):
    """The part of the cost that does not depend on the cases."""
    cost = per_line * head[0]
    if per_register > 0.0:
        for register in range(R):
            used = False
            for i in range(head[0]):
                if lines[i, 1] == register or lines[i, 2] == register or lines[i, 3] == register:
                    used = True
                    break
            if used:
                cost += per_register
    return cost


@compiled
def copy_program(lines, values, head, to_lines, to_values, to_head):
    for i in range(head[0]):
        for place in range(4):
            to_lines[i, place] = lines[i, place]
    for r in range(values.shape[0]):
        to_values[r] = values[r]
    to_head[0] = head[0]
    to_head[1] = head[1]


@compiled
def anneal_chain(
    program,
    state,
    found,
    size,
    guide,
    rng,
    chances,
    few,
    everything,
    limits,
    weights,
    schedule,
    table,
    tried,
    accepted,
):
    """Go on with a chain for some evaluations.

    program   (lines, values, head) of the chain's present program
    state     [cost of it, evaluations done in this round, a case that a candidate failed on, or -1]
    found     (lines, values, head, cost, cost on few) of the best right program of each length
    few, everything  (inputs, counts, cells, wanted, first_cell, total count)
    limits    (max_steps, evaluations to do, per_line, per_register, wrong, unstopped)
    schedule  (first temperature, last temperature, evaluations in this round)
    """
    lines, values, head = program
    best_lines, best_values, best_head, best_cost, best_few = found
    M, R = size[0], size[1]
    max_steps, todo, per_line, per_register, wrong, unstopped = limits
    hot, cold, whole = schedule
    inputs, counts, cells, wanted, first_cell, total = few
    registers = np.empty(R + 1, values.dtype)
    tape = np.empty(M + 1, values.dtype)
    new_lines, new_values, new_head = lines.copy(), values.copy(), head.copy()
    temperature = hot
    for step in range(todo):
        if step % 64 == 0:
            temperature = hot * (cold / hot) ** (state[1] / whole)
        if step > 0 or state[1] > 0:
            copy_program(lines, values, head, new_lines, new_values, new_head)
            move, done = propose(new_lines, new_values, new_head, size, guide, rng, chances)
            tried[move] += 1
            state[1] += 1
            if not done:
                continue
            bound = state[0] - temperature * math.log(fraction(rng) + 1e-300)
        else:  # the start of a round: what the start itself costs
            move = -1
            state[1] += 1
            bound = np.inf
        fixed = size_cost(new_lines, new_head, R, per_line, per_register)
        cost, _, _, _, first_bad = evaluate(
            new_lines,
            new_head[0],
            new_values,
            new_head[1],
            inputs,
            counts,
            cells,
            wanted,
            first_cell,
            max_steps,
            weights,
            wrong,
            unstopped,
            (bound - fixed) * total,
            table,
            registers,
            tape,
        )
        cost = cost / total + fixed
        if cost > bound:
            continue
        state[0] = cost
        copy_program(new_lines, new_values, new_head, lines, values, head)
        if move >= 0:
            accepted[move] += 1
        L = head[0]
        if first_bad < 0 and cost < best_few[L] - 1e-9:
            cost_all, _, _, _, first_bad = evaluate(
                lines,
                L,
                values,
                head[1],
                everything[0],
                everything[1],
                everything[2],
                everything[3],
                everything[4],
                max_steps,
                weights,
                NEVER,
                NEVER,
                NEVER / 2,
                table,
                registers,
                tape,
            )
            if first_bad >= 0:
                state[2] = first_bad
            else:
                best_few[L] = cost
                cost_all = cost_all / everything[5] + fixed
                if cost_all < best_cost[L] - 1e-9:
                    best_cost[L] = cost_all
                    copy_program(lines, values, head, best_lines[L], best_values[L], best_head[L])
