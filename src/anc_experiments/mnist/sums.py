"""The task: two numbers of N pictures each, and their sum, by the addition that everybody learns at school."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anc.data.loading import load
from anc.language import Source
from anc.layers import Layer, make_layer
from anc.python.function import read
from anc.python.source import parse

PROGRAM = """
from typing import Annotated
import anc

N = {N}

@anc.function(memory=3 * N + 60)
def added(
    first: Annotated[list[int], anc.Size(N)],
    second: Annotated[list[int], anc.Size(N)],
    total: Annotated[list[int], anc.Size(N + 1)],
):
    carry = 0
    for k in range(N):
        s = first[N - 1 - k] + second[N - 1 - k] + carry
        carry = 0
        if s > 9:
            s -= 10
            carry = 1
        total[N - k] = s
    total[0] = carry
"""


def addition(N: int) -> Layer:
    """The layer of the sum of two numbers of N digits; it takes and returns logarithms."""
    module = parse(Source(PROGRAM.format(N=N), f"the sum of two numbers of {N} digits"))
    function = read(module, module.functions["added"])
    inputs = ["first", "second"]
    return make_layer(load(function), inputs, "total", values=10, log=True, check=False)


def totals(digits: np.ndarray) -> np.ndarray:
    """The digits (n, N + 1) of the sums of pairs of numbers (n, 2, N)."""
    n, _, N = digits.shape
    found, carry = np.zeros((n, N + 1), np.int32), np.zeros(n, np.int32)
    for place in range(N - 1, -1, -1):
        s = digits[:, 0, place] + digits[:, 1, place] + carry
        found[:, place + 1], carry = s % 10, s // 10
    found[:, 0] = carry
    return found


@dataclass(frozen=True)
class Sums:
    """Sums of pictures: which ones (n, 2, N), and the digits of the results (n, N + 1)."""

    pictures: np.ndarray
    results: np.ndarray

    def part(self, which: slice | np.ndarray) -> Sums:
        return Sums(self.pictures[which], self.results[which])

    def __len__(self) -> int:
        return len(self.pictures)


def sums_of(digits: np.ndarray, N: int, seed: int) -> Sums:
    """Sums of two numbers of N digits of pictures in a random order, each picture once."""
    n = len(digits) // (2 * N)
    order = np.random.default_rng(seed).permutation(len(digits))[: n * 2 * N]
    pictures = order.reshape(n, 2, N)
    return Sums(pictures, totals(digits[pictures]))
