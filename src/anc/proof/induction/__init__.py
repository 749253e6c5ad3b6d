"""Proof by induction over loops."""

from __future__ import annotations

from anc.proof.induction.proof import by_induction
