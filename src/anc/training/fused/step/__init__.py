"""One soft step of eight members side by side, and its adjoint, part by part."""

from __future__ import annotations

from anc.machine.compiled import inner
from anc.training.fused.loss import charge_step, squared_error
from anc.training.fused.step.controller import choices, choices_adjoint, lines_gradient
from anc.training.fused.step.derived import derived, derived_adjoint
from anc.training.fused.step.line import jump_adjoint, line, line_adjoint
from anc.training.fused.step.memory import memory, memory_adjoint, memory_of, written
from anc.training.fused.step.operands import operands, operands_adjoint
from anc.training.fused.step.order import order, order_adjoint
from anc.training.fused.step.registers import registers, registers_adjoint
from anc.training.fused.step.stop import stop, stop_adjoint
from anc.training.fused.step.sums import sums, sums_adjoint
from anc.training.fused.vectors import store, zeros


@inner
def forward(s, meanings, q, weights, now, m, after, m_after, threshold):
    """Execute one step from slot ``now`` with memory ``m`` to the next; tell whether a member is still running."""
    choices(s, weights, now)
    operands(s, now)
    sums(s, q, now)
    order(s, now)
    derived(s, meanings, now)
    memory(s, q, now, m, m_after)
    registers(s, now, after)
    line(s, now, after)
    store(after, s.gap, squared_error(s, q, m_after))
    return stop(s, q, now, after, threshold)


@inner
def backward(s, meanings, q, weights, now, m, after, m_after, full):
    """Turn the adjoints of the state ``after`` into those of ``now``; leave those of the logits in ``now``."""
    for k in range(s.N):
        store(q, s.d_e + k, zeros(s.vector))
    gap, charge = charge_step(s, q, now, after, m_after)
    stop_adjoint(s, q, now, full, gap, charge)
    d_jump = line_adjoint(s, q, now)
    registers_adjoint(s, q, now)
    memory_adjoint(s, q, now, m)
    jump_adjoint(s, q, now, d_jump)
    derived_adjoint(s, meanings, q, now)
    order_adjoint(s, q, now)
    sums_adjoint(s, q, now)
    operands_adjoint(s, q, now)
    choices_adjoint(s, q, weights, now)
