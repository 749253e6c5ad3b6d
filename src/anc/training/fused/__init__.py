"""The fused training engine: whole training runs of a population in one compiled call on the CPU.

``train`` advances a :class:`TrainingState` in place by K iterations (soft run, exact gradient, pulls, noise, clipping,
SGD or Adam). ``evaluate`` only runs a population. ``gradient`` returns losses and gradients without an update.

It is fast because sizes are constants of the compiled code, eight members lie side by side and fill the SIMD registers
(``vectors``), tiles of several vectors reuse each loaded number, a group of members stops when its last member halts,
and nothing returns to Python between iterations. Each part of a step is followed by its adjoint (``step``, ``choices``,
``outputs``, ``memory``).
"""

from anc.training.fused.engine import evaluate, gradient, scratch_bytes, train

name = "fused"
