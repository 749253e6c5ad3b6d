"""The fused training engine: whole training runs of a population inside one compiled call.

``train`` moves a :class:`TrainingState` in place by K iterations (soft run, exact gradient, pulls, noise, clipping, SGD
or Adam); ``evaluate`` runs a population forwards only; ``gradient`` returns losses and gradients without an update.

How it is fast: sizes are constants of the compiled code, the explicit vectors of ``vectors`` fill the SIMD registers
with eight members at once (small M) or along the values (larger M), a sample stops when it halts, and nothing returns
to Python between iterations.
"""

from anc.learning.fused.engine import evaluate, gradient, scratch_bytes, train

name = "fused"

__all__ = ["evaluate", "gradient", "name", "scratch_bytes", "train"]
