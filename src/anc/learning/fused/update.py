"""One optimiser step on the packed parameters of the members of a group."""

from __future__ import annotations

import math

from anc.learning.fused.compilation import inner
from anc.learning.fused.members import fold_largest, fold_sum, per_member
from anc.learning.fused.noise import normal_pair, stream_of
from anc.learning.fused.vectors import (
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
    zeros,
)

GRADIENT_ONLY, SGD, ADAM = 0, 1, 2


@inner
def pull_to_reference(s, q, table, weights_strength, probabilities_strength):
    """Add the gradients of the two penalties of appendix D."""
    V = s.block
    if weights_strength != 0.0:
        twice = splat(V, 2.0 * weights_strength)
        for k in range(0, s.pack_floats, s.block_floats):
            change = load(V, q, s.weights + k) - load(V, q, s.reference + k)
            store(q, s.gradient + k, fma(twice, change, load(V, q, s.gradient + k)))
    if probabilities_strength != 0.0:
        for row in range(table.shape[0]):
            s.pull_row(s, q, table[row, 2], table[row, 1], probabilities_strength)


@inner
def add_noise(s, q, table, deviation, key, iteration, lane):
    """Add Gaussian noise to one member's gradient; the number depends on key, iteration and parameter."""
    stream = stream_of(key, iteration)
    odd = 0.0
    for row in range(table.shape[0]):
        first, length, offset = table[row, 0], table[row, 1], table[row, 2]
        for c in range(length):
            parameter = first + c
            if parameter % 2 == 0:
                value, odd = normal_pair(stream, parameter // 2)
            else:
                value = odd
            at = s.gradient + offset + c * s.G + lane
            put(q, at, get(q, at) + deviation * value)


@inner
def check_and_clip(s, q, clips):
    """Note per member whether its gradient is finite, and the factor that clips its norm."""
    V = s.block
    probe = zeros(V)
    top = zeros(V)
    for k in range(0, s.pack_floats, s.block_floats):
        g = load(V, q, s.gradient + k)
        probe = fma(g, zeros(V), probe)  # 0 · inf and 0 · NaN are NaN
        top = larger(top, magnitude(g))
    one = splat(V, 1.0)
    applies = equals(fold_sum(s, probe), zeros(V)) * per_member(s, q, s.present)
    factor = one
    if clips:
        # The norm is measured in units of the largest entry: squares of large gradients overflow.
        top = fold_largest(s, top)
        unit = choose(top, one / top, zeros(V))
        square = zeros(V)
        for k in range(0, s.pack_floats, s.block_floats):
            g = load(V, q, s.gradient + k) * unit
            square = fma(g, g, square)
        norm = top * square_root(fold_sum(s, square))
        clip = per_member(s, q, s.clip)
        too_long = exceeds(norm, clip) * exceeds(clip, zeros(V))
        factor = choose(too_long, clip / norm, one)
    return applies, factor


@inner
def apply_sgd(s, q, applies, factor, rate_scale):
    """w ← w − rate · g."""
    V = s.block
    step = per_member(s, q, s.learning_rate) * splat(V, rate_scale) * factor
    for k in range(0, s.pack_floats, s.block_floats):
        w = load(V, q, s.weights + k)
        moved = fnma(step, load(V, q, s.gradient + k), w)
        store(q, s.weights + k, choose(applies, moved, w))


@inner
def apply_adam(s, q, applies, factor, b1, b2, eps):
    """Adam; ``rate`` holds rate/(1 − b1^t) and ``moment2_scale`` holds 1/sqrt(1 − b2^t) per member."""
    V = s.block
    rate = per_member(s, q, s.rate)
    moment2_scale = per_member(s, q, s.moment2_scale)
    keep1, take1 = splat(V, b1), splat(V, 1.0 - b1)
    keep2, take2 = splat(V, b2), splat(V, 1.0 - b2)
    small = splat(V, eps)
    for k in range(0, s.pack_floats, s.block_floats):
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
def update(s, q, clips, mode, rate_scale, b1, b2, eps, applied, skipped):
    """Check, clip and apply the gradient of every member of the group, and count what was done."""
    applies, factor = check_and_clip(s, q, clips)
    store(q, s.applies, applies)
    for lane in range(s.G):
        if get(q, s.applies + lane) > 0.0:
            applied[lane] += 1
        else:
            skipped[lane] += 1
    if mode == SGD:
        apply_sgd(s, q, applies, factor, rate_scale)
    elif mode == ADAM:
        for lane in range(s.G):
            count = max(applied[lane], 1)
            rate = get(q, s.learning_rate + lane) * rate_scale / (1.0 - b1 ** float(count))
            put(q, s.rate + lane, rate)
            put(q, s.moment2_scale + lane, 1.0 / math.sqrt(1.0 - b2 ** float(count)))
        apply_adam(s, q, applies, factor, b1, b2, eps)
