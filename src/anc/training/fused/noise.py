"""Gaussian noise as a pure function of (member's key, iteration, parameter): nothing to save, nothing to replay.

Because no generator state is carried along, a run that is cut into pieces draws the same numbers as one that is not.
"""

from __future__ import annotations

import math

import numpy as np

from anc.machine.compiled import inner

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S32 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@inner
def scramble(x):
    """A bijection of 64-bit numbers in which every input bit moves about half of the output bits."""
    x = (x ^ (x >> _S30)) * _MIX1
    x = (x ^ (x >> _S27)) * _MIX2
    return x ^ (x >> _S31)


@inner
def stream_of(key, iteration):
    """The stream of one member in one iteration."""
    return scramble(scramble(key + _GOLDEN) + np.uint64(iteration) * _GOLDEN)


@inner
def normal_pair(stream, pair):
    """Two independent standard normal numbers (Box and Muller), for the parameters 2·pair and 2·pair + 1."""
    bits = scramble(stream + (np.uint64(pair) + np.uint64(1)) * _GOLDEN)
    u = (np.float64(bits >> _S32) + 0.5) * 2.0**-32
    v = (np.float64(bits & _LOW) + 0.5) * 2.0**-32
    radius = math.sqrt(-2.0 * math.log(u))
    return radius * math.cos(2.0 * math.pi * v), radius * math.sin(2.0 * math.pi * v)
