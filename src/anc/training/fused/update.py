"""The optimiser step on the packed parameters of a group: pulls, noise, clipping, SGD or Adam.

Gaussian noise is a pure function of (member's key, iteration, parameter). Because no generator state is carried
along, a training that is interrupted and resumed draws the same numbers.
"""

from __future__ import annotations

import math

import numpy as np

from anc.machine.compiled import inner
from anc.training.fused.access import get, load, put, store
from anc.training.fused.choices import softmax
from anc.training.fused.vectors import (
    LANES,
    choose,
    equals,
    exceeds,
    fma,
    fnma,
    larger,
    magnitude,
    splat,
    square_root,
    total,
    zeros,
)

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@inner
def scramble(x):
    """A mixing bijection of 64-bit numbers: each input bit flips about half of the output bits."""
    x = (x ^ (x >> _S30)) * _MIX1
    x = (x ^ (x >> _S27)) * _MIX2
    return x ^ (x >> _S31)


@inner
def stream_of(key, iteration):
    """The random stream of a member in an iteration."""
    return scramble(scramble(key + _GOLDEN) + np.uint64(iteration) * _GOLDEN)


@inner
def normal_pair(stream, pair):
    """Two independent standard normal numbers (Box-Muller) for the parameters 2·pair and 2·pair + 1."""
    bits = scramble(stream + (np.uint64(pair) + np.uint64(1)) * _GOLDEN)
    u = (np.float64(bits >> _S32) + 0.5) * 2.0**-32
    v = (np.float64(bits & _LOW) + 0.5) * 2.0**-32
    radius = math.sqrt(-2.0 * math.log(u))
    return radius * math.cos(2.0 * math.pi * v), radius * math.sin(2.0 * math.pi * v)


@inner
def pull_to_reference(s, q, rows, on_weights, on_probabilities):
    """Add the gradients of appendix D's penalties on the logits and on the probabilities."""
    V = s.vector
    if on_weights != 0.0:
        twice = splat(V, 2.0 * on_weights)
        for k in range(s.pack):
            change = load(V, q, s.weights + k) - load(V, q, s.reference + k)
            store(q, s.gradient + k, fma(twice, change, load(V, q, s.gradient + k)))
    if on_probabilities != 0.0:
        for row in range(len(rows)):
            _pull_row(s, q, rows[row, 2], rows[row, 1], on_probabilities)


@inner
def _pull_row(s, q, at, length, strength):
    """Add the gradient of c Σ (y - y_ref)² for one softmax row: 2 c y (d - Σ y d), d = y - y_ref."""
    V = s.vector
    softmax(s, q, s.weights + at, q, s.row_a, length)
    mean = zeros(V)
    for k in range(length):
        y = load(V, q, s.row_a + k)
        d = y - load(V, q, s.reference_softmax + at + k)
        mean = fma(y, d, mean)
        store(q, s.row_b + k, d)
    twice = splat(V, 2.0 * strength)
    for k in range(length):
        change = load(V, q, s.row_a + k) * (load(V, q, s.row_b + k) - mean)
        store(q, s.gradient + at + k, fma(twice, change, load(V, q, s.gradient + at + k)))


GRADIENT_ONLY, SGD, ADAM = 0, 1, 2


@inner
def add_noise(s, q, rows, deviation, key, iteration, lane):
    """Add Gaussian noise to one lane's gradient, depending on key, iteration and parameter."""
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
    """Set the gradient of parameters that are not trainable to zero, so that nothing moves them."""
    for row in range(len(rows)):
        first, length, at = rows[row, 0], rows[row, 1], rows[row, 2]
        for c in range(length):
            if not trainable[first + c]:
                store(q, s.gradient + at + c, zeros(s.vector))


@inner
def _check_and_clip(s, q, clips):
    """For each member, whether its gradient is finite, and the factor that clips its norm."""
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
    """Check, clip and apply the gradient of every member of the group; count applied and skipped updates."""
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
