"""Weights printed as the paper's figures print them.

For each row the most likely value and its probability (two decimals, cut off, as in the paper), or a
neutral token (``R-``, ``-``, ``NOP``) when no value is more likely than all others together.
"""

from __future__ import annotations

import math

import numpy as np

from anc.machine.weights import Array, Weights, softmax

NEUTRAL = 0.5  # a choice that is no likelier than this is not named


def figure(weights: Weights, only: set[int] | None = None) -> str:
    """The text of the paper's appendix figures; `only` keeps some of the lines."""
    rows = [
        f"R{register + 1} = {_choice(row, map(str, range(weights.M)), '-')}"
        for register, row in enumerate(weights.registers)
    ]
    start = _choice(weights.start, map(str, range(weights.M)), "-")
    text = [*rows, "", f"Initial State: {start}", ""]
    names = [f"R{register + 1}" for register in range(weights.R)]
    width = len(str(weights.M - 1)) + 1
    for line in range(weights.M):
        if only is not None and line not in only:
            continue
        out, first, second = (
            _choice(rows[line], names, "R-")
            for rows in (weights.out, weights.first, weights.second)
        )
        op = _choice(
            weights.op[line], (f"{name:<5}" for name in weights.instructions.names), "NOP  "
        )
        label = f"{line}:"
        text.append(f"{label:<{width}} {out:<10} = {op:<12} [ {first:<10}, {second:<10} ]")
    return "\n".join(text)


def _choice(logits: Array, names, neutral: str) -> str:
    best, probability = likeliest(logits)
    name = list(names)[best] if probability > NEUTRAL else neutral
    return f"{name} ({cut_off(probability)})"


def likeliest(logits: Array) -> tuple[int, float]:
    """The most likely value of a row of weights, and its probability."""
    probabilities = softmax(np.asarray(logits, np.float64))
    best = int(probabilities.argmax())
    return best, float(probabilities[best])


def cut_off(probability: float) -> str:
    """A probability with at most two decimals, cut off and not rounded.

    >>> cut_off(0.9368), cut_off(0.1), cut_off(1.0)
    ('0.93', '0.1', '1')
    """
    return f"{math.floor(probability * 100 + 1e-9) / 100:g}"
