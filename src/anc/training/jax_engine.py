"""The reference engine: the same training as the fused engine, in JAX, on any device.

One compiled call does K iterations: a forward pass that stores the states until the population's last case has
halted, a backward pass over these states, and the update. Both passes are `while_loop`s, so nothing is computed after
the last halting step.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from anc.isa import InstructionSet
from anc.machine import soft
from anc.machine.encoded import Cases
from anc.machine.weights import Weights
from anc.training import loss
from anc.training.interface import (
    Report,
    SoftResults,
    TrainingObjective,
    TrainingState,
    Work,
    check_limits,
    checked_cases,
)

name = "jax"


class _Scalars(NamedTuple):
    """Settings of each member, (S,) each."""

    factors: loss.LossWeights
    rate: Any
    clip: Any
    betas: Any  # of Adam, and its epsilon: (3,)


class Limits(NamedTuple):
    """When a run ends, how the stop probability is differentiated, and the error of a memory."""

    max_steps: int
    threshold: float
    cut: bool
    aim: loss.Aim = loss.ANSWERS

    @classmethod
    def of(cls, objective: TrainingObjective) -> Limits:
        cut = objective.stop_gradient == "cut"
        aim = loss.ANSWERS if objective.aim is None else objective.aim
        return cls(objective.max_steps, objective.threshold, cut, aim)


# -- loss and gradient -----------------------------------------------------------------------


@partial(jax.jit, static_argnames="limits")
def loss_and_gradient(
    members: Weights, batch: Cases, factors: loss.LossWeights, limits: Limits
) -> tuple[Array, Array, Weights]:
    """Loss terms (S, B, 5), steps (S, B) and the gradient (S, ...) summed over each member's batch (S, B, M).

    The five numbers are correctness, halting, confidence, efficiency (unweighted) and the weighted total.
    """
    max_steps, threshold, cut, aim = limits
    dtype = members.op.dtype
    targets = jax.nn.one_hot(jnp.asarray(batch.outputs), members.M, dtype=dtype)
    masks = (batch.masks != 0).astype(dtype)
    wanted = loss.LossTarget(targets, masks, jnp.asarray(batch.inputs, jnp.int32))

    def begin(members: Weights) -> soft.State:
        each_case = jax.vmap(soft.initial_state, in_axes=(None, 0))
        return jax.vmap(each_case)(members, jnp.asarray(batch.inputs))

    def advance(members: Weights, state: soft.State) -> tuple[soft.State, Array]:
        """One step of all running cases: the next states and the costs (S, B)."""

        def case(weights, state, wanted, factors):
            is_running = state.stop <= threshold
            after = soft.step(weights, state, cut)
            cost = loss.step_cost(factors, state, after, wanted, aim)
            kept = jax.tree.map(lambda new, old: jnp.where(is_running, new, old), after, state)
            return kept, jnp.where(is_running, cost, 0.0)

        each_case = jax.vmap(case, in_axes=(None, 0, 0, None))
        return jax.vmap(each_case)(members, state, wanted, factors)

    def finish(state: soft.State) -> Array:
        one = partial(loss.final_cost, threshold=threshold, aim=aim)
        return jax.vmap(jax.vmap(one, in_axes=(None, 0, 0)))(factors, state, wanted)

    first, begin_backward = jax.vjp(begin, members)
    store = jax.tree.map(lambda a: jnp.zeros((max_steps + 1, *a.shape), a.dtype), first)
    store = jax.tree.map(lambda s, a: s.at[0].set(a), store, first)

    def is_on(carry) -> Array:
        t, state, _ = carry
        return (t < max_steps) & jnp.any(state.stop <= threshold)

    def forward(carry):
        t, state, store = carry
        state, _ = advance(members, state)
        store = jax.tree.map(
            lambda s, a: lax.dynamic_update_index_in_dim(s, a, t + 1, 0), store, state
        )
        return t + 1, state, store

    T, final, store = lax.while_loop(is_on, forward, (jnp.int32(0), first, store))

    def backward(carry):
        t, d_state, d_members = carry
        state = jax.tree.map(lambda s: lax.dynamic_index_in_dim(s, t, 0, False), store)
        (_, cost), pull_back = jax.vjp(advance, members, state)
        more, d_state = pull_back((d_state, jnp.ones_like(cost)))
        return t - 1, d_state, jax.tree.map(jnp.add, d_members, more)

    d_final = jax.grad(lambda state: finish(state).sum())(final)
    nothing = jax.tree.map(jnp.zeros_like, members)
    _, d_first, d_members = lax.while_loop(
        lambda carry: carry[0] >= 0, backward, (T - 1, d_final, nothing)
    )
    gradient = jax.tree.map(jnp.add, d_members, begin_backward(d_first)[0])
    terms, steps = _terms(store, final, wanted, factors, T, threshold, aim)
    return terms, steps, gradient


def _terms(store, final, wanted, factors, T, threshold, aim) -> tuple[Array, Array]:
    """The loss terms and steps, read from the stored states."""
    times = jnp.arange(store.stop.shape[0] - 1)
    before, after = store.stop[:-1], store.stop[1:]  # (T_max, S, B)
    executed = (before <= threshold) & (times < T)[:, None, None]
    each_case = jax.vmap(jax.vmap(aim.error))
    spent = 1 + jnp.where(executed, loss.efficiency(after), 0).sum(0)
    doubt = jnp.zeros_like(spent)
    if aim.at_each_step:
        error = jax.vmap(each_case, in_axes=(0, None))(store.memory[1:], wanted)
        doubt = jnp.where(executed, loss.confidence(before, after, error), 0).sum(0)
    wrong = each_case(final.memory, wanted)
    late = loss.halting(final.stop, threshold)
    four = jnp.stack([wrong, late, doubt, spent], -1)
    each = jnp.stack(jnp.broadcast_arrays(*factors), -1)[:, None, :]
    return jnp.concatenate([four, (four * each).sum(-1, keepdims=True)], -1), executed.sum(0)


# -- training --------------------------------------------------------------------------------


class _Moving(NamedTuple):
    """What an iteration changes, as arrays of NumPy or JAX."""

    flat: Any
    moment1: Any
    moment2: Any
    applied: Any
    skipped: Any


class _Plan(NamedTuple):
    """The static options of a training, constants of the compiled code."""

    M: int
    R: int
    instructions: InstructionSet
    limits: Limits
    optimiser: str
    is_noisy: bool
    is_pulled: bool
    is_partial: bool


@partial(jax.jit, static_argnames="plan")
def _train(moving: _Moving, work: Work, scalars: _Scalars, iteration: Array, *, plan: _Plan):
    named = partial(Weights.of_flat, M=plan.M, R=plan.R, instructions=plan.instructions)

    def iterate(moving: _Moving, given):
        chosen, (rate_scale, noise, pull_w, pull_p, efficiency_scale), number = given
        batch = jax.tree.map(lambda part: part[chosen], work.cases)
        now = named(moving.flat)
        factors = scalars.factors
        factors = factors._replace(efficiency=factors.efficiency * efficiency_scale)
        terms, steps, found = loss_and_gradient(now, batch, factors, plan.limits)
        gradient = jnp.concatenate([part.reshape(*moving.flat.shape[:1], -1) for part in found], 1)
        if plan.is_pulled:
            gradient += _pull(named, moving.flat, work.reference, pull_w, pull_p)
        if plan.is_noisy:
            shape = moving.flat.shape[1:]
            keys = jax.vmap(lambda k: jax.random.fold_in(jax.random.key(k), number))(work.keys)
            gradient += noise * jax.vmap(lambda key: jax.random.normal(key, shape))(keys)
        if plan.is_partial:
            gradient = jnp.where(work.trainable, gradient, 0)
        moving = _update(moving, gradient, scalars, rate_scale, plan.optimiser)
        return moving, (terms.mean(1), steps.mean(1))

    numbers = iteration + jnp.arange(work.indices.shape[0])
    given = (work.indices, tuple(work.schedule), numbers)
    moving, (terms, steps) = lax.scan(iterate, moving, given)
    return moving, terms.mean(0), steps.mean(0)


def _pull(
    named: Callable[[Any], Weights],
    flat: Array,
    reference: Any,
    on_weights: Array,
    on_probabilities: Array,
) -> Array:
    """The gradient of appendix D's pull towards reference weights, on logits and on probabilities."""

    def distance(flat: Any, reference: Any) -> Array:
        total = on_weights * ((flat - reference) ** 2).sum()
        pair = map(named, (flat, reference))
        for ours, theirs in zip(*pair, strict=True):
            apart = jax.nn.softmax(ours) - jax.nn.softmax(theirs)
            total += on_probabilities * (apart**2).sum()
        return total

    return jax.vmap(jax.grad(distance))(flat, reference)


def _update(
    moving: _Moving, gradient: Array, scalars: _Scalars, rate_scale: Array, optimiser: str
) -> _Moving:
    """Skip gradients that are not finite, clip, then apply SGD or Adam."""
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
        b1, b2, eps = scalars.betas
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


def train(state: TrainingState, work: Work, objective: TrainingObjective) -> Report:
    """Train all members for K iterations; see the fused engine's `train`."""
    dtype = state.weights.dtype
    rows = objective.per_member(len(state.weights)).astype(dtype)
    places = (state.weights, state.moment1, state.moment2, state.applied, state.skipped)
    betas = np.array([objective.b1, objective.b2, objective.eps], dtype)
    given = (
        _Moving(*places),
        work._replace(schedule=work.schedule.astype(dtype), keys=work.keys.astype(np.uint32)),
        _Scalars(loss.LossWeights(*rows[:4]), rows[4], rows[5], betas),
        np.int32(state.iteration),
    )
    is_noisy, is_pulled = bool(np.any(work.schedule[1])), bool(np.any(work.schedule[2:4]))
    how = Limits.of(objective), objective.optimiser, is_noisy, is_pulled, work.is_partial
    plan = _Plan(state.M, state.R, state.instructions, *how)
    moving, terms, steps = _train(*jax.tree.map(jnp.asarray, given), plan=plan)
    for place, value in zip(places, moving, strict=True):
        place[...] = np.asarray(value)
    state.iteration += len(work.indices)
    return _report(terms, steps)


def _report(terms: Array, steps: Array) -> Report:
    wrong, late, doubt, spent, total = np.asarray(terms).T
    return Report(wrong, late, doubt, spent, total, np.asarray(steps))


def gradient(
    weights: Weights, cases: Cases, objective: TrainingObjective, dtype: str = "float32"
) -> tuple[Report, Weights]:
    """Losses and gradients of every member on all the cases, without an update."""
    members = jax.tree.map(lambda part: jnp.asarray(part, dtype), weights.nameless())
    S = len(weights.start)
    rows = objective.per_member(S).astype(dtype)
    terms, steps, found = loss_and_gradient(
        members,
        Cases(*(np.broadcast_to(part, (S, *part.shape)) for part in cases)),
        loss.LossWeights(*map(jnp.asarray, rows[:4])),
        Limits.of(objective),
    )
    return _report(terms.mean(1), steps.mean(1)), found.map(np.asarray)


@partial(jax.jit, static_argnames=("max_steps", "threshold"))
def _evaluate(members: Weights, cases: Cases, *, max_steps: int, threshold: float):
    def case(weights, tape, target, mask):
        final = soft.run(weights, tape, max_steps, threshold)
        memory = final.state.memory
        of_target = jnp.take_along_axis(memory, target[:, None], -1)[:, 0]
        certainty = jnp.where(mask, of_target, 1.0).min()
        right = jnp.where(mask, memory.argmax(-1) == target, True).all()
        return final.steps, final.state.stop, certainty, right

    each_case = jax.vmap(case, in_axes=(None, 0, 0, 0))
    each_member = jax.vmap(each_case, in_axes=(0, None, None, None))
    return each_member(members, cases.inputs, cases.outputs, cases.masks != 0)


def evaluate(
    weights: Weights, cases: Cases, max_steps: int, threshold: float = soft.THRESHOLD
) -> SoftResults:
    """Run every member softly on every case."""
    check_limits(max_steps, threshold)
    members = weights.nameless().map(lambda part: jnp.asarray(part, jnp.float32))
    pool = jax.tree.map(jnp.asarray, checked_cases(cases, weights.M))
    found = _evaluate(members, pool, max_steps=max_steps, threshold=threshold)
    steps, stop, certainty, right = map(np.asarray, found)
    return SoftResults(steps, stop, stop > threshold, certainty, right)
