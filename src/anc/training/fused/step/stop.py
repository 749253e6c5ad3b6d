"""The stop probability: p' = p + e_STOP (1 - p); a member halts when it passes the threshold."""

from __future__ import annotations

from anc.machine.compiled import inner
from anc.training.fused.step.chosen import add_chosen_adjoint, chosen
from anc.training.fused.vectors import (
    LANES,
    choose,
    exceeds,
    fma,
    fnma,
    get,
    load,
    splat,
    store,
    zeros,
)


@inner
def stop(s, q, now, after, threshold):
    """The stop probability after the step, who is still running, and whether anybody is."""
    V = s.vector
    active = load(V, now, s.active)
    p = load(V, now, s.p)
    p = fma(chosen(s, now, s.STOP), splat(V, 1.0) - p, p)
    store(after, s.p, p)
    store(after, s.active, choose(exceeds(p, splat(V, threshold)), zeros(V), active))
    store(q, s.steps, load(V, q, s.steps) + active)
    running = False
    for lane in range(LANES):
        running = running or get(after, s.active, lane) > 0.0
    return running


@inner
def stop_adjoint(s, q, now, full, gap, charge):
    """Replace the adjoint of p; the loss adds ``gap`` to that of p' and takes ``gap + charge`` from p's.

    Unless ``full``, the factor 1 - p counts as a constant, as in the published experiments.
    """
    V = s.vector
    d_p = load(V, q, s.d_p) + gap
    add_chosen_adjoint(s, q, s.STOP, d_p * (splat(V, 1.0) - load(V, now, s.p)))
    if full:
        d_p = fnma(d_p, chosen(s, now, s.STOP), d_p)
    store(q, s.d_p, d_p - gap - charge)
