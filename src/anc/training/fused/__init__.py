"""The fused training engine: whole training runs of a population inside one compiled call.

``train`` moves a :class:`TrainingState` in place by K iterations (soft run, exact gradient, pulls, noise, clipping, SGD
or Adam); ``evaluate`` runs a population forwards only; ``gradient`` returns losses and gradients without an update.

How it is fast: sizes are constants of the compiled code, eight members lie side by side and fill the SIMD registers
(``vectors``), tiles of several vectors use each loaded number several times, a group of members stops when the last of
them halts, and nothing returns to Python between iterations. ``step`` has one file for each part of a step: what it
computes, then its adjoint.
"""

from anc.training.fused.engine import evaluate, gradient, scratch_bytes, train

name = "fused"
