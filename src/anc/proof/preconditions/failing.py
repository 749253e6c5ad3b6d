"""Batched evaluation: which tapes satisfy facts, and on which tapes a claim fails."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anc.machine.batch import run_all
from anc.proof.claim import Claim
from anc.proof.facts import Fact


def failures(claim: Claim, tapes: np.ndarray) -> np.ndarray:
    """For each row of (n, M): whether the programs fail on it, as `claim.failure` says."""
    wanted, found = (
        run_all(program, tapes, claim.max_steps) for program in (claim.generic, claim.adapted)
    )
    counts = np.asarray(claim.mask, np.bool_)
    differ = (wanted.tapes != found.tapes)[:, counts].any(axis=1)
    return np.where(wanted.stopped, differ | ~found.stopped, not claim.partial)


def holding(facts: Sequence[Fact], tapes: np.ndarray) -> np.ndarray:
    """For each row of (n, M): whether it satisfies all of these facts."""
    all_of_them = np.ones(len(tapes), np.bool_)
    for fact in facts:
        all_of_them &= fact.truths(tapes)
    return all_of_them
