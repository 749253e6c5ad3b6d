"""The compiled entry points: train groups of members for many iterations; evaluate members on many cases.

A group is up to eight members. Its runs (every sample of every member, in this order) are executed eight at a time, one
per lane. Samples of one member halt at about the same time, and a few members suffice to fill the lanes. A member's
gradient is summed sample by sample, so it is bitwise independent of lanes and of other members.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from anc.machine.compiled import compiled, inner
from anc.training.fused.access import advance, get, load, pointer, put, store
from anc.training.fused.choices import lines_gradient, softmax
from anc.training.fused.loss import begin, charge_end, initial_gradient, initial_state
from anc.training.fused.memory import memory_of, written
from anc.training.fused.step import backward, forward
from anc.training.fused.update import (
    GRADIENT_ONLY,
    add_noise,
    leave_alone,
    pull_to_reference,
    update,
)
from anc.training.fused.vectors import LANES, zeros


class PopulationArrays(NamedTuple):
    """The state and settings of each member."""

    weights: np.ndarray  # (S, n), and so are the next two
    moment1: np.ndarray
    moment2: np.ndarray
    applied: np.ndarray  # (S,)
    skipped: np.ndarray  # (S,)
    settings: np.ndarray  # (6, S)


class SharedOptions(NamedTuple):
    """Options that all members share, in addition to their `Work`."""

    is_partial: bool  # some parameters may not change
    first_iteration: int
    max_steps: int
    threshold: float
    full: bool  # the gradient of the stop probability is not cut
    pulls: bool  # some iteration pulls towards the reference
    clips: bool  # some member clips its gradient
    mode: int
    b1: float
    b2: float
    eps: float


class TrainingOutput(NamedTuple):
    """The output of training."""

    sums: np.ndarray  # (S, 6): the loss terms, their weighted sum, and the steps
    gradient: np.ndarray  # (S, n), written only without an update


@inner
def _pack(s, q, block, rows, parameters, first, last):
    """Copy the parameters of the members from ``first`` on into a pack's lanes; spare lanes repeat the last one."""
    for row in range(len(rows)):
        parameter, length, at = rows[row, 0], rows[row, 1], rows[row, 2]
        for c in range(length):
            for lane in range(LANES):
                x = parameters[min(first + lane, last), parameter + c]
                put(q, block + at + c, lane, x)


@inner
def _unpack(s, q, block, rows, parameters, first, last):
    """Copy a pack's lanes back to the members."""
    for row in range(len(rows)):
        parameter, length, at = rows[row, 0], rows[row, 1], rows[row, 2]
        for c in range(length):
            for lane in range(last - first + 1):
                parameters[first + lane, parameter + c] = get(q, block + at + c, lane)


@inner
def _fill_lanes(s, q, rows, population, first, last, scratch):
    """Fill each member's lane with its parameters, settings and counts."""
    _pack(s, q, s.weights, rows, population.weights, first, last)
    _pack(s, q, s.moment1, rows, population.moment1, first, last)
    _pack(s, q, s.moment2, rows, population.moment2, first, last)
    for lane in range(LANES):
        member = min(first + lane, last)
        put(q, s.taken, lane, 1.0 if first + lane <= last else 0.0)
        for setting in range(6):  # the settings lie one after the other
            put(q, s.correctness + setting, lane, population.settings[setting, member])
        scratch.applied[lane] = population.applied[member]
        scratch.skipped[lane] = 0


@inner
def _fill_reference(s, q, rows, reference, first, last):
    """Fill each member's lane with the reference weights of the pulls."""
    _pack(s, q, s.reference, rows, reference, first, last)
    for row in range(len(rows)):
        length, at = rows[row, 1], rows[row, 2]
        softmax(s, q, s.reference + at, q, s.reference_softmax + at, length)


@inner
def _take_turn(s, q, chosen, first_member, count, first_run, efficiency_scale, scratch):
    """Assign the next eight runs to lanes: their case, and their member's weights and loss factors.

    A lane without a run repeats the last one with weight zero. Returns the weights by lane.
    """
    B = chosen.shape[1]
    for lane in range(LANES):
        run = min(first_run + lane, count * B - 1)
        member = run // B
        scratch.members[lane] = member
        scratch.cases[lane] = chosen[first_member + member, run % B]
        put(q, s.present, lane, 1.0 if first_run + lane < count * B else 0.0)
        for term in range(4):
            factor = get(q, s.correctness + term, member)
            put(q, s.factors + term, lane, factor * efficiency_scale if term == 3 else factor)
    if B == 1:
        return advance(q, s.weights)
    for k in range(s.pack):
        for lane in range(LANES):
            put(q, s.turn + k, lane, get(q, s.weights + k, scratch.members[lane]))
    return advance(q, s.turn)


@inner
def _run_and_differentiate(s, meanings, q, weights, cases, plan, scratch):
    """Run every lane's sample forward and backward: the terms of its loss, and its gradient."""
    slots = advance(q, s.work)
    memories = advance(slots, (plan.max_steps + 1) * s.slot)
    initial_state(s, q, weights)
    begin(s, q, slots, memories, cases, scratch.cases)
    steps = 0
    running = True
    while running and steps < plan.max_steps:
        now, m = advance(slots, steps * s.slot), memory_of(s, q, memories, steps)
        steps += 1
        after, m_after = advance(now, s.slot), memory_of(s, q, memories, steps)
        running = forward(s, meanings, q, weights, now, m, after, m_after, plan.threshold)
    last, m_last = advance(slots, steps * s.slot), memory_of(s, q, memories, steps)
    charge_end(s, q, last, m_last, plan.threshold)
    for t in range(steps - 1, -1, -1):
        now, m = advance(slots, t * s.slot), memory_of(s, q, memories, t)
        after, m_after = advance(now, s.slot), memory_of(s, q, memories, t + 1)
        if t % 2 == 1:
            written(s, advance(now, -s.slot), memory_of(s, q, memories, t - 1), m)
        backward(s, meanings, q, weights, now, m, after, m_after, plan.full)
    lines_gradient(s, q, slots, steps)
    initial_gradient(s, q)


@inner
def _add_samples(s, q, B, first_run, runs):
    """Add the samples' gradients to those of their members, one sample after the other."""
    if B == 1:
        for k in range(s.pack):
            more = load(s.vector, q, s.sample + k)
            store(q, s.gradient + k, load(s.vector, q, s.gradient + k) + more)
        return
    for k in range(s.pack):
        run = first_run
        while run < min(first_run + LANES, runs):
            member = run // B
            end = min((member + 1) * B, first_run + LANES, runs)
            x = get(q, s.gradient + k, member)
            for lane in range(run - first_run, end - first_run):
                x += get(q, s.sample + k, lane)
            put(q, s.gradient + k, member, x)
            run = end


@inner
def _report(s, q, sums, first_member, scratch):
    """Add the samples' loss terms and steps to the sums of their members."""
    for lane in range(LANES):
        if get(q, s.present, lane) > 0.0:
            member = first_member + scratch.members[lane]
            for term in range(4):
                value = float(get(q, s.terms + term, lane))
                sums[member, term] += value
                sums[member, 4] += get(q, s.factors + term, lane) * value
            sums[member, 5] += get(q, s.steps, lane)


@compiled
def train_members(s, meanings, rows, scratch, population, work, plan, found, first, end):
    """Train the members from ``first`` to ``end``, group by group, for all the iterations of the plan."""
    q = pointer(scratch.floats)
    K, _, B = work.indices.shape
    for first_member in range(first, end, LANES):
        last_member = min(first_member + LANES, end) - 1
        count = last_member - first_member + 1
        _fill_lanes(s, q, rows, population, first_member, last_member, scratch)
        if plan.pulls:
            _fill_reference(s, q, rows, work.reference, first_member, last_member)
        for k in range(K):
            deviation, efficiency_scale = work.schedule[1, k], work.schedule[4, k]
            for at in range(s.gradient, s.gradient + s.pack):
                store(q, at, zeros(s.vector))
            for run in range(0, count * B, LANES):
                weights = _take_turn(
                    s, q, work.indices[k], first_member, count, run, efficiency_scale, scratch
                )
                _run_and_differentiate(s, meanings, q, weights, work.cases, plan, scratch)
                _add_samples(s, q, B, run, count * B)
                _report(s, q, found.sums, first_member, scratch)
            pull_to_reference(s, q, rows, work.schedule[2, k], work.schedule[3, k])
            if deviation != 0.0:
                for lane in range(count):
                    key = work.keys[first_member + lane]
                    add_noise(s, q, rows, deviation, key, plan.first_iteration + k, lane)
            if plan.is_partial:
                leave_alone(s, q, rows, work.trainable)
            if plan.mode != GRADIENT_ONLY:
                update(s, q, plan, work.schedule[0, k], scratch)
        _give_back(s, q, rows, population, plan.mode, found, first_member, last_member, scratch)


@inner
def _give_back(s, q, rows, population, mode, found, first, last, scratch):
    """Copy the lanes' results to their members."""
    if mode == GRADIENT_ONLY:
        _unpack(s, q, s.gradient, rows, found.gradient, first, last)
        return
    _unpack(s, q, s.weights, rows, population.weights, first, last)
    _unpack(s, q, s.moment1, rows, population.moment1, first, last)
    _unpack(s, q, s.moment2, rows, population.moment2, first, last)
    for member in range(first, last + 1):
        population.applied[member] = scratch.applied[member - first]
        population.skipped[member] += scratch.skipped[member - first]


@inner
def _judge(s, m, lane, target, mask):
    """Over the cells that count: the target's least probability, and whether the target is always the likeliest."""
    least = 1.0
    all_right = True
    for i in range(s.M):
        if mask[i] != 0:
            row = i * s.M
            likeliest = 0
            for v in range(1, s.M):
                if get(m, row + v, lane) > get(m, row + likeliest, lane):
                    likeliest = v
            least = min(least, get(m, row + target[i], lane))
            all_right = all_right and likeliest == target[i]
    return least, all_right


@compiled
def evaluate_members(
    s, meanings, rows, scratch, weights, cases, max_steps, threshold, results, first, end
):
    """Run the members from ``first`` to ``end`` on all cases, without gradients, eight cases side by side."""
    C = cases.inputs.shape[0]
    q = pointer(scratch.floats)
    packed, slots = advance(q, s.weights), advance(q, s.work)
    memories = advance(slots, 2 * s.slot)
    for member in range(first, end):
        _pack(s, q, s.weights, rows, weights, member, member)
        initial_state(s, q, packed)
        for case in range(0, C, LANES):
            for lane in range(LANES):
                scratch.cases[lane] = min(case + lane, C - 1)
                put(q, s.present, lane, 1.0 if case + lane < C else 0.0)
            begin(s, q, slots, memories, cases, scratch.cases)
            put(q, s.cells, 0, 0)  # no cell counts: the loss is not needed
            last, m_last = slots, memories
            steps = 0
            running = True
            while running and steps < max_steps:
                now, m = advance(slots, steps % 2 * s.slot), memory_of(s, q, memories, steps % 2)
                steps += 1
                last, m_last = (
                    advance(slots, steps % 2 * s.slot),
                    memory_of(s, q, memories, steps % 2),
                )
                running = forward(s, meanings, q, packed, now, m, last, m_last, threshold)
            for lane in range(min(LANES, C - case)):
                at = case + lane
                least, right = _judge(s, m_last, lane, cases.outputs[at], cases.masks[at])
                results.steps[member, at] = int(get(q, s.steps, lane))
                results.stop[member, at] = get(last, s.p, lane)
                results.certainty[member, at] = least
                results.right[member, at] = right
