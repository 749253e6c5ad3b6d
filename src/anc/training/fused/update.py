"""One optimiser step on the packed parameters of the members of a group."""

from __future__ import annotations

import math

from anc.machine.compiled import inner
from anc.training.fused.noise import normal_pair, stream_of
from anc.training.fused.vectors import (
    LANES,
    choose,
    equals,
    exceeds,
    fma,
    fnma,
    get,
    larger,
    load,
    magnitude,
    put,
    splat,
    square_root,
    store,
    total,
    zeros,
)

GRADIENT_ONLY, SGD, ADAM = 0, 1, 2


@inner
def add_noise(s, q, rows, deviation, key, iteration, lane):
    """Add Gaussian noise to one lane's gradient; the number depends on key, iteration and parameter."""
    stream = stream_of(key, iteration)
    odd = 0.0
    for row in range(len(rows)):
        first, length, at = rows[row, 0], rows[row, 1], rows[row, 2]
        for c in range(length):
            parameter = first + c
            if parameter % 2 == 0:
                value, odd = normal_pair(stream, parameter // 2)
            else:
                value = odd
            now = get(q, s.gradient + at + c, lane)
            put(q, s.gradient + at + c, lane, now + deviation * value)


@inner
def leave_alone(s, q, rows, trainable):
    """Take away the gradient of parameters that may not change: nothing then moves them."""
    for row in range(len(rows)):
        first, length, at = rows[row, 0], rows[row, 1], rows[row, 2]
        for c in range(length):
            if not trainable[first + c]:
                store(q, s.gradient + at + c, zeros(s.vector))


@inner
def _check_and_clip(s, q, clips):
    """Per member: whether its gradient is finite, and the factor that clips its norm."""
    V = s.vector
    probe = zeros(s.tile)
    for k in range(0, s.pack, s.T):
        probe = fma(load(s.tile, q, s.gradient + k), zeros(V), probe)  # 0 · inf and 0 · NaN are NaN
    one = splat(V, 1.0)
    applies = equals(total(probe), zeros(V)) * load(V, q, s.taken)
    factor = one
    if clips:
        # The norm is measured in units of the largest entry: squares of large gradients overflow.
        top = zeros(V)
        for k in range(s.pack):
            top = larger(top, magnitude(load(V, q, s.gradient + k)))
        unit = choose(top, one / top, zeros(V))
        square = zeros(V)
        for k in range(s.pack):
            g = load(V, q, s.gradient + k) * unit
            square = fma(g, g, square)
        norm = top * square_root(square)
        clip = load(V, q, s.clip)
        too_long = exceeds(norm, clip) * exceeds(clip, zeros(V))
        factor = choose(too_long, clip / norm, one)
    return applies, factor


@inner
def _apply_sgd(s, q, applies, factor, rate_scale):
    """w ← w − rate · g."""
    V = s.vector
    step = load(V, q, s.rate) * splat(V, rate_scale) * factor
    for k in range(s.pack):
        w = load(V, q, s.weights + k)
        moved = fnma(step, load(V, q, s.gradient + k), w)
        store(q, s.weights + k, choose(applies, moved, w))


@inner
def _apply_adam(s, q, applies, factor, plan):
    """Adam; ``rate`` holds rate/(1 − b1^t) and ``moment2_scale`` holds 1/sqrt(1 − b2^t) per member."""
    V = s.vector
    rate = load(V, q, s.step_rate)
    moment2_scale = load(V, q, s.moment2_scale)
    keep1, take1 = splat(V, plan.b1), splat(V, 1.0 - plan.b1)
    keep2, take2 = splat(V, plan.b2), splat(V, 1.0 - plan.b2)
    small = splat(V, plan.eps)
    for k in range(s.pack):
        g = load(V, q, s.gradient + k) * factor
        w = load(V, q, s.weights + k)
        old1 = load(V, q, s.moment1 + k)
        old2 = load(V, q, s.moment2 + k)
        new1 = fma(keep1, old1, take1 * g)
        new2 = fma(keep2, old2, take2 * g * g)
        step = rate * new1 / fma(square_root(new2), moment2_scale, small)
        store(q, s.weights + k, choose(applies, w - step, w))
        store(q, s.moment1 + k, choose(applies, new1, old1))
        store(q, s.moment2 + k, choose(applies, new2, old2))


@inner
def update(s, q, plan, rate_scale, scratch):
    """Check, clip and apply the gradient of every member of the group, and count what was done."""
    applies, factor = _check_and_clip(s, q, plan.clips)
    store(q, s.step_rate, applies)
    for lane in range(LANES):
        if get(q, s.step_rate, lane) > 0.0:
            scratch.applied[lane] += 1
        else:
            scratch.skipped[lane] += 1
    if plan.mode == SGD:
        _apply_sgd(s, q, applies, factor, rate_scale)
    elif plan.mode == ADAM:
        for lane in range(LANES):
            count = float(max(scratch.applied[lane], 1))
            rate = get(q, s.rate, lane) * rate_scale / (1.0 - plan.b1**count)
            put(q, s.step_rate, lane, rate)
            put(q, s.moment2_scale, lane, 1.0 / math.sqrt(1.0 - plan.b2**count))
        _apply_adam(s, q, applies, factor, plan)
