"""The compiled entry points: train a group of members for many iterations, evaluate one member on many cases."""

from __future__ import annotations

import anc.learning.fused.paths  # noqa: F401  (registers the functions of both arrangements)
from anc.learning.fused.compilation import entry_point, inner
from anc.learning.fused.update import (
    GRADIENT_ONLY,
    add_noise,
    pull_to_reference,
    update,
)
from anc.learning.fused.vectors import advance, get, pointer, put, store, zeros


@inner
def pack(s, q, block, table, parameters, member, lane):
    """Copy one member's parameters into its lane of a packed block."""
    for row in range(table.shape[0]):
        first, length, offset = table[row, 0], table[row, 1], table[row, 2]
        for c in range(length):
            put(q, block + offset + c * s.G + lane, parameters[member, first + c])


@inner
def unpack(s, q, block, table, parameters, member, lane):
    """Copy one member's lane of a packed block back."""
    for row in range(table.shape[0]):
        first, length, offset = table[row, 0], table[row, 1], table[row, 2]
        for c in range(length):
            parameters[member, first + c] = get(q, block + offset + c * s.G + lane)


@inner
def clear(s, q, offset, count):
    """Zero a piece of the work area (whole blocks)."""
    zero = zeros(s.block)
    for k in range(0, count, s.block_floats):
        store(q, offset + k, zero)


@entry_point
def train_group(
    s,
    first_member,
    scratch,
    integers,
    table,
    weights,
    moment1,
    moment2,
    applied,
    skipped,
    reference,
    settings,
    schedule,
    keys,
    first_iteration,
    inputs,
    targets,
    masks,
    indices,
    max_steps,
    threshold,
    full,
    mode,
    b1,
    b2,
    eps,
    report,
    gradient,
):
    """Train the group of members that starts at ``first_member`` for all the iterations of ``indices`` (K, S, B)."""
    K, S, B = indices.shape
    q = pointer(scratch)
    trajectory = advance(q, s.work_floats)
    masked, cases = integers[0], integers[1]
    group_applied, group_skipped = integers[2], integers[3]
    for lane in range(s.G):
        group_applied[lane] = 0
        group_skipped[lane] = 0
    count = min(s.G, S - first_member)
    pulls = False
    for k in range(K):
        pulls = pulls or schedule[2, k] != 0.0 or schedule[3, k] != 0.0
    clips = False
    clear(s, q, 0, 6 * s.pack_floats)
    for lane in range(s.G):
        put(q, s.present + lane, 1.0 if lane < count else 0.0)
        for setting in range(6):
            # The settings lie one after the other in the work area.
            distance = setting * (s.halting - s.correctness)
            put(q, s.correctness + distance + lane, 0.0)
    for lane in range(count):
        member = first_member + lane
        pack(s, q, s.weights, table, weights, member, lane)
        pack(s, q, s.moment1, table, moment1, member, lane)
        pack(s, q, s.moment2, table, moment2, member, lane)
        if pulls:
            pack(s, q, s.reference, table, reference, member, lane)
        for setting in range(6):
            distance = setting * (s.halting - s.correctness)
            put(q, s.correctness + distance + lane, settings[setting, member])
        clips = clips or settings[5, member] > 0.0
        group_applied[lane] = applied[member]
    if pulls:
        for row in range(table.shape[0]):
            length, offset = table[row, 1], table[row, 2]
            s.softmax_of(s, q, s.reference + offset, s.reference_softmax + offset, length)

    for k in range(K):
        rate_scale, deviation = schedule[0, k], schedule[1, k]
        efficiency_scale = schedule[4, k]
        clear(s, q, s.gradient, s.pack_floats)
        clear(s, q, s.d_r0, s.d_ir0 - s.d_r0)
        clear(s, q, s.d_ir0, s.target - s.d_ir0)
        s.initial_state(s, q)
        for sample in range(B):
            for lane in range(s.G):
                cases[lane] = indices[k, first_member + min(lane, count - 1), sample]
                put(q, s.steps + lane, 0.0)
            masked_count = s.begin(s, q, trajectory, masked, inputs, targets, masks, cases)
            steps = 0
            running = True
            while running and steps < max_steps:
                now = advance(trajectory, steps * s.slot_floats)
                after = advance(now, s.slot_floats)
                running = s.forward(s, q, now, after, threshold, masked, masked_count)
                steps += 1
            last = advance(trajectory, steps * s.slot_floats)
            s.begin_adjoint(s, q, last, threshold, efficiency_scale, masked, masked_count)
            for back in range(steps):
                now = advance(trajectory, (steps - 1 - back) * s.slot_floats)
                after = advance(now, s.slot_floats)
                s.backward(s, q, now, after, full, efficiency_scale, masked, masked_count)
            s.keep_initial_adjoint(s, q)
            for lane in range(count):
                member = first_member + lane
                correct = get(q, s.terms + lane)
                halt = get(q, s.terms + s.G + lane)
                confident = get(q, s.terms + 2 * s.G + lane)
                efficient = get(q, s.terms + 3 * s.G + lane)
                report[member, 0] += correct
                report[member, 1] += halt
                report[member, 2] += confident
                report[member, 3] += efficient
                report[member, 4] += (
                    settings[0, member] * correct
                    + settings[1, member] * halt
                    + settings[2, member] * confident
                    + settings[3, member] * efficiency_scale * efficient
                )
                report[member, 5] += get(q, s.steps + lane)
        s.initial_gradient(s, q)
        pull_to_reference(s, q, table, schedule[2, k], schedule[3, k])
        if deviation != 0.0:
            for lane in range(count):
                key = keys[first_member + lane]
                add_noise(s, q, table, deviation, key, first_iteration + k, lane)
        if mode != GRADIENT_ONLY:
            update(s, q, clips, mode, rate_scale, b1, b2, eps, group_applied, group_skipped)

    for lane in range(count):
        member = first_member + lane
        if mode == GRADIENT_ONLY:
            unpack(s, q, s.gradient, table, gradient, member, lane)
        else:
            unpack(s, q, s.weights, table, weights, member, lane)
            unpack(s, q, s.moment1, table, moment1, member, lane)
            unpack(s, q, s.moment2, table, moment2, member, lane)
            applied[member] = group_applied[lane]
            skipped[member] += group_skipped[lane]


@inner
def judge(s, last, lane, target, mask):
    """Over the cells that count: the least probability of the target value, and whether it is always the likeliest."""
    least = 1.0
    all_right = True
    for i in range(s.M):
        if mask[i] != 0:
            row = s.m + i * s.row + lane
            likeliest = 0
            for v in range(1, s.M):
                if get(last, row + v * s.G) > get(last, row + likeliest * s.G):
                    likeliest = v
            least = min(least, get(last, row + target[i] * s.G))
            all_right = all_right and likeliest == target[i]
    return least, all_right


@entry_point
def evaluate_members(
    s,
    first_member,
    end_member,
    scratch,
    integers,
    table,
    weights,
    inputs,
    targets,
    masks,
    max_steps,
    threshold,
    steps_taken,
    stop,
    certainty,
    right,
):
    """Run some members on all cases, forwards only; G cases at a time side by side where there are lanes."""
    P = inputs.shape[0]
    q = pointer(scratch)
    trajectory = advance(q, s.work_floats)
    masked, cases = integers[0], integers[1]
    for member in range(first_member, end_member):
        for lane in range(s.G):
            pack(s, q, s.weights, table, weights, member, lane)
        s.initial_state(s, q)
        for first in range(0, P, s.G):
            count = min(s.G, P - first)
            for lane in range(s.G):
                cases[lane] = first + min(lane, count - 1)
                put(q, s.present + lane, 1.0 if lane < count else 0.0)
                put(q, s.steps + lane, 0.0)
            masked_count = s.begin(s, q, trajectory, masked, inputs, targets, masks, cases)
            steps = 0
            running = True
            while running and steps < max_steps:
                now = advance(trajectory, (steps % 2) * s.slot_floats)
                after = advance(trajectory, ((steps + 1) % 2) * s.slot_floats)
                running = s.forward(s, q, now, after, threshold, masked, masked_count)
                steps += 1
            last = advance(trajectory, (steps % 2) * s.slot_floats)
            for lane in range(count):
                case = first + lane
                steps_taken[member, case] = int(get(q, s.steps + lane))
                stop[member, case] = get(last, s.p + lane)
                least, all_right = judge(s, last, lane, targets[case], masks[case])
                certainty[member, case] = least
                right[member, case] = all_right
