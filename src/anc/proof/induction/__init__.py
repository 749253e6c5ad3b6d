"""Proof by induction over the loops of both programs.

A claim and a clock go in; a verdict comes out, or Undecided is raised. It finds loop invariants at cut points by
Houdini: candidates from sample runs are dropped until the rest is inductive. Simulation is the form of it
that needs no sample runs, for programs that do the same in the same order.
"""

from __future__ import annotations

from anc.proof.induction.proof import by_induction
from anc.proof.induction.simulation import by_simulation
