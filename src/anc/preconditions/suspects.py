"""Tapes that may fail: samples with something changed."""

from __future__ import annotations

import numpy as np

_WHOLE = 3  # of these bases all cells are changed; of the others only cells that vary
_MIXED = 2_000


def suspects(bases: np.ndarray, M: int, random: np.random.Generator) -> np.ndarray:
    """The bases, each with one cell changed, and bases with cells of others or of their own."""
    varying = np.flatnonzero((bases != bases[0]).any(axis=0))
    found = [bases]
    for number, base in enumerate(bases):
        cells = np.arange(M) if number < _WHOLE else varying
        old = base[cells]
        new = [
            np.zeros_like(old),
            np.full_like(old, 1 % M),
            np.full_like(old, M - 1),
            (old + 1) % M,
            (old - 1) % M,
            random.integers(M, size=len(cells)),
            base[random.integers(M, size=len(cells))],  # what another cell holds
            bases[random.integers(len(bases), size=len(cells)), cells],
        ]
        for values in new:
            changed = np.repeat(base[None], len(cells), axis=0)
            changed[np.arange(len(cells)), cells] = values
            found.append(changed)
    found.append(_mixed(bases, varying, random))
    return np.unique(np.concatenate(found), axis=0)


def _mixed(bases: np.ndarray, varying: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Bases that take some varying cells from another base."""
    one, other = random.integers(len(bases), size=(2, _MIXED))
    taken = random.random((_MIXED, len(varying))) < random.random((_MIXED, 1))
    mixed = bases[one]
    mixed[:, varying] = np.where(taken, bases[other][:, varying], mixed[:, varying])
    return mixed
