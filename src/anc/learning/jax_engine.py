"""The reference engine: the same training as the fused one, in JAX, on any device.

One compiled call does K iterations: a forward pass that stores the states until the last case of the
population has halted, a backward pass that walks back through them, and the update. The forward and
backward loops are `while_loop`s, so nothing is computed after the last halting step.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from anc.learning import loss
from anc.learning.interface import (
    Cases,
    Evaluation,
    Objective,
    Population,
    Report,
    Schedule,
    TrainingState,
    parameter_count,
    parameter_shapes,
)
from anc.machine import soft

name = "jax"


class _Batch(NamedTuple):
    """The cases that the members see in one iteration: (S, B, M) numbers and 0/1 masks."""

    inputs: Array
    targets: Array
    masks: Array


class _Scalars(NamedTuple):
    """Settings of each member, (S,) each."""

    weights: loss.LossWeights
    rate: Array
    clip: Array


def _as_logits(flat: Array, M: int, R: int) -> soft.Logits:
    """The flat parameters (n,) of one member by name."""
    parts, at = [], 0
    for shape in parameter_shapes(M, R):
        size = int(np.prod(shape))
        parts.append(flat[at : at + size].reshape(shape))
        at += size
    return soft.Logits(*parts)


# -- loss and gradient -----------------------------------------------------------------------


@partial(jax.jit, static_argnames=("M", "R", "max_steps", "threshold", "cut"))
def loss_and_gradient(
    flat: Array,
    batch: _Batch,
    weights: loss.LossWeights,
    *,
    M: int,
    R: int,
    max_steps: int,
    threshold: float,
    cut: bool,
) -> tuple[Array, Array, Array]:
    """Loss terms (S, B, 5), steps (S, B) and the gradient (S, n) summed over each member's batch.

    The five numbers are correctness, halting, confidence, efficiency (unweighted) and the weighted total.
    """
    goals = loss.Goal(jax.nn.one_hot(batch.targets, M, dtype=flat.dtype), batch.masks)

    def begin(flat: Array) -> soft.State:
        def member(flat: Array, tapes: Array) -> soft.State:
            logits = _as_logits(flat, M, R)
            return jax.vmap(soft.initial_state, in_axes=(None, 0))(logits, tapes)

        return jax.vmap(member)(flat, batch.inputs)

    def advance(flat: Array, state: soft.State) -> tuple[soft.State, Array]:
        """One step of all cases that still run: the next states and the costs (S, B)."""

        def case(logits, state, goal, weights):
            is_running = state.stop <= threshold
            after = soft.step(logits, state, cut)
            cost = loss.step_cost(weights, state, after, goal)
            kept = jax.tree.map(lambda new, old: jnp.where(is_running, new, old), after, state)
            return kept, jnp.where(is_running, cost, 0.0)

        def member(flat, state, goal, weights):
            logits = _as_logits(flat, M, R)
            return jax.vmap(case, in_axes=(None, 0, 0, None))(logits, state, goal, weights)

        return jax.vmap(member)(flat, state, goals, weights)

    def finish(state: soft.State) -> Array:
        one = partial(loss.final_cost, threshold=threshold)
        return jax.vmap(jax.vmap(one, in_axes=(None, 0, 0)))(weights, state, goals)

    first, begin_backward = jax.vjp(begin, flat)
    store = jax.tree.map(lambda a: jnp.zeros((max_steps + 1, *a.shape), a.dtype), first)
    store = jax.tree.map(lambda s, a: s.at[0].set(a), store, first)

    def is_on(carry) -> Array:
        t, state, _ = carry
        return (t < max_steps) & jnp.any(state.stop <= threshold)

    def forward(carry):
        t, state, store = carry
        state, _ = advance(flat, state)
        store = jax.tree.map(
            lambda s, a: lax.dynamic_update_index_in_dim(s, a, t + 1, 0), store, state
        )
        return t + 1, state, store

    T, final, store = lax.while_loop(is_on, forward, (jnp.int32(0), first, store))

    def backward(carry):
        t, d_state, d_flat = carry
        state = jax.tree.map(lambda s: lax.dynamic_index_in_dim(s, t, 0, False), store)
        (_, cost), pull_back = jax.vjp(advance, flat, state)
        more, d_state = pull_back((d_state, jnp.ones_like(cost)))
        return t - 1, d_state, d_flat + more

    d_final = jax.grad(lambda state: finish(state).sum())(final)
    _, d_first, d_flat = lax.while_loop(
        lambda carry: carry[0] >= 0, backward, (T - 1, d_final, jnp.zeros_like(flat))
    )
    d_flat = d_flat + begin_backward(d_first)[0]
    terms, steps = _terms(store, final, goals, weights, T, threshold)
    return terms, steps, d_flat


def _terms(store, final, goals, weights, T, threshold) -> tuple[Array, Array]:
    """The loss terms and steps, read from the stored states."""
    times = jnp.arange(store.stop.shape[0] - 1)
    before, after = store.stop[:-1], store.stop[1:]  # (T_max, S, B)
    executed = (before <= threshold) & (times < T)[:, None, None]
    error = (goals.mask[..., None] * (store.memory[1:] - goals.target) ** 2).sum((-1, -2))
    spent = 1 + jnp.where(executed, loss.efficiency(after), 0).sum(0)
    doubt = jnp.where(executed, loss.confidence(before, after, error), 0).sum(0)
    wrong = jax.vmap(jax.vmap(loss.correctness))(final.memory, goals)
    late = loss.halting(final.stop, threshold)
    four = jnp.stack([wrong, late, doubt, spent], -1)
    factors = jnp.stack(jnp.broadcast_arrays(*weights), -1)[:, None, :]
    return jnp.concatenate([four, (four * factors).sum(-1, keepdims=True)], -1), executed.sum(0)


# -- training --------------------------------------------------------------------------------


class _Moving(NamedTuple):
    """What an iteration changes."""

    flat: Array
    moment1: Array
    moment2: Array
    applied: Array
    skipped: Array


@partial(
    jax.jit,
    static_argnames=("M", "R", "max_steps", "threshold", "cut", "optimiser", "noisy", "pulled"),
)
def _train(
    moving: _Moving,
    pool: _Batch,
    indices: Array,
    schedule: Array,
    scalars: _Scalars,
    keys: Array,
    iteration: Array,
    reference: Array,
    betas: Array,
    *,
    M: int,
    R: int,
    max_steps: int,
    threshold: float,
    cut: bool,
    optimiser: str,
    noisy: bool,
    pulled: bool,
):
    def iterate(moving: _Moving, given):
        chosen, (rate_scale, noise, pull_w, pull_p, efficiency_scale), number = given
        batch = _Batch(*(part[chosen] for part in pool))
        weights = scalars.weights._replace(efficiency=scalars.weights.efficiency * efficiency_scale)
        terms, steps, gradient = loss_and_gradient(
            moving.flat,
            batch,
            weights,
            M=M,
            R=R,
            max_steps=max_steps,
            threshold=threshold,
            cut=cut,
        )
        if pulled:
            gradient += _pull(moving.flat, reference, pull_w, pull_p, M, R)
        if noisy:
            member_keys = jax.vmap(lambda k: jax.random.fold_in(jax.random.key(k), number))(keys)
            shape = moving.flat.shape[1:]
            gradient += noise * jax.vmap(lambda k: jax.random.normal(k, shape))(member_keys)
        moving = _update(moving, gradient, scalars, rate_scale, betas, optimiser)
        return moving, (terms.mean(1), steps.mean(1))

    numbers = iteration + jnp.arange(indices.shape[0])
    moving, (terms, steps) = lax.scan(iterate, moving, (indices, tuple(schedule), numbers))
    return moving, terms.mean(0), steps.mean(0)


def _pull(flat: Array, reference: Array, on_weights: Array, on_probabilities: Array, M, R) -> Array:
    """Appendix D: the gradient of the pull towards reference weights, on logits and on probabilities."""

    def distance(flat: Array, reference: Array) -> Array:
        total = on_weights * ((flat - reference) ** 2).sum()
        for ours, theirs in zip(_as_logits(flat, M, R), _as_logits(reference, M, R), strict=True):
            apart = jax.nn.softmax(ours) - jax.nn.softmax(theirs)
            total += on_probabilities * (apart**2).sum()
        return total

    return jax.vmap(jax.grad(distance))(flat, reference)


def _update(
    moving: _Moving, gradient: Array, scalars: _Scalars, rate_scale: Array, betas: Array, optimiser
) -> _Moving:
    """Skip what is not finite, clip, then SGD or Adam."""
    is_good = jnp.isfinite(gradient).all(-1)
    gradient = jnp.where(is_good[:, None], gradient, 0)
    norm = jnp.sqrt((gradient**2).sum(-1))
    is_long = (scalars.clip > 0) & (norm > scalars.clip)
    gradient *= jnp.where(is_long, scalars.clip / jnp.where(is_long, norm, 1), 1)[:, None]
    applied = moving.applied + is_good
    rate = (scalars.rate * rate_scale)[:, None]
    if optimiser == "sgd":
        moment1, moment2 = moving.moment1, moving.moment2
        change = rate * gradient
    else:
        b1, b2, eps = betas
        moment1 = b1 * moving.moment1 + (1 - b1) * gradient
        moment2 = b2 * moving.moment2 + (1 - b2) * gradient**2
        count = jnp.maximum(applied, 1)[:, None].astype(gradient.dtype)
        mean, spread = moment1 / (1 - b1**count), moment2 / (1 - b2**count)
        change = rate * mean / (jnp.sqrt(spread) + eps)

    def keep(new: Array, old: Array) -> Array:
        return jnp.where(is_good[:, None], new, old)

    return _Moving(
        keep(moving.flat - change, moving.flat),
        keep(moment1, moving.moment1),
        keep(moment2, moving.moment2),
        applied,
        moving.skipped + ~is_good,
    )


def train(
    state: TrainingState,
    cases: Cases,
    indices: np.ndarray,
    objective: Objective,
    schedule: Schedule | None = None,
    *,
    keys: np.ndarray | None = None,
    reference: Population | None = None,
) -> Report:
    """Train all members for K iterations, as the fused engine's `train` does."""
    S = state.weights.shape[0]
    K = len(indices)
    dtype = state.weights.dtype
    scheduled = (schedule or Schedule()).per_iteration(K).astype(dtype)
    rows = objective.per_member(S).astype(dtype)
    scalars = _Scalars(loss.LossWeights(*rows[:4]), rows[4], rows[5])
    places = (state.weights, state.moment1, state.moment2, state.applied, state.skipped)
    moving, terms, steps = _train(
        _Moving(*map(jnp.asarray, places)),
        _Batch(*map(jnp.asarray, cases.arrays())),
        jnp.asarray(indices),
        jnp.asarray(scheduled),
        jax.tree.map(jnp.asarray, scalars),
        jnp.zeros(S, jnp.uint32) if keys is None else jnp.asarray(keys.astype(np.uint32)),
        jnp.int32(state.iteration),
        jnp.asarray(state.weights if reference is None else reference.flat(dtype)),
        jnp.asarray([objective.b1, objective.b2, objective.eps], dtype),
        M=state.M,
        R=state.R,
        max_steps=objective.max_steps,
        threshold=objective.threshold,
        cut=objective.stop_gradient == "cut",
        optimiser=objective.optimiser,
        noisy=bool(np.any(scheduled[1])),
        pulled=bool(np.any(scheduled[2:4])),
    )
    for place, value in zip(places, moving, strict=True):
        place[...] = np.asarray(value)
    state.iteration += K
    return _report(terms, steps)


def _report(terms: Array, steps: Array) -> Report:
    wrong, late, doubt, spent, total = np.asarray(terms).T
    return Report(wrong, late, doubt, spent, total, np.asarray(steps))


def gradient(
    population: Population, cases: Cases, objective: Objective, dtype: str = "float32"
) -> tuple[Report, Population]:
    """Losses and gradients of every member on all the cases, without an update."""
    flat = population.flat(dtype)
    S, (R, M) = len(flat), population.registers.shape[1:]
    arrays = [np.broadcast_to(part, (S, *part.shape)) for part in cases.arrays()]
    rows = objective.per_member(S).astype(dtype)
    terms, steps, found = loss_and_gradient(
        jnp.asarray(flat),
        _Batch(jnp.asarray(arrays[0]), jnp.asarray(arrays[1]), jnp.asarray(arrays[2], dtype)),
        loss.LossWeights(*map(jnp.asarray, rows[:4])),
        M=M,
        R=R,
        max_steps=objective.max_steps,
        threshold=objective.threshold,
        cut=objective.stop_gradient == "cut",
    )
    return _report(terms.mean(1), steps.mean(1)), Population.from_flat(np.asarray(found), M, R)


@partial(jax.jit, static_argnames=("M", "R", "max_steps", "threshold"))
def _evaluate(flat, inputs, targets, masks, *, M: int, R: int, max_steps: int, threshold: float):
    def case(logits, tape, target, mask):
        final = soft.run(logits, tape, max_steps, threshold)
        memory = final.state.memory
        of_target = jnp.take_along_axis(memory, target[:, None], -1)[:, 0]
        certainty = jnp.where(mask, of_target, 1.0).min()
        right = jnp.where(mask, memory.argmax(-1) == target, True).all()
        return final.steps, final.state.stop, certainty, right

    def member(flat):
        logits = _as_logits(flat, M, R)
        return jax.vmap(case, in_axes=(None, 0, 0, 0))(logits, inputs, targets, masks)

    return jax.vmap(member)(flat)


def evaluate(
    population: Population, cases: Cases, max_steps: int, threshold: float = soft.THRESHOLD
) -> Evaluation:
    """Run every member softly on every case."""
    inputs, targets, masks = cases.arrays()
    R, M = population.registers.shape[1:]
    assert parameter_count(M, R) == population.flat().shape[1]
    steps, stop, certainty, right = _evaluate(
        jnp.asarray(population.flat()),
        inputs,
        targets,
        masks.astype(bool),
        M=M,
        R=R,
        max_steps=max_steps,
        threshold=threshold,
    )
    stop = np.asarray(stop)
    return Evaluation(
        np.asarray(steps), stop, stop > threshold, np.asarray(certainty), np.asarray(right)
    )
