"""Batch sampling: draws the cases that each member sees, for a whole population at once.

The numbers equal ``numpy.random.default_rng([seed, attempt, begin]).integers(pool, size=(K, B))`` bit for bit.
Creating a NumPy generator for each of ten thousand members would take longer than a GPU takes to train them, so
its algorithm is written out here: a seed sequence, PCG64, and Lemire's bounded integers.
"""

from __future__ import annotations

import numpy as np

from anc.machine.compiled import inner, lean

_LOW, _32 = np.uint64(0xFFFFFFFF), np.uint64(32)
_POOL = 4  # words of a seed sequence
# the multiplier of PCG64, 128 bits
_HIGH_FACTOR, _LOW_FACTOR = np.uint64(0x2360ED051FC65DA4), np.uint64(0x4385DF649FCCF645)


def draw_indices(
    seeds: np.ndarray, attempts: np.ndarray, begin: int, pool: int, K: int, B: int
) -> np.ndarray:
    """(K, S, B) int32: case numbers below `pool` for the iterations from `begin` on."""
    found = np.zeros((K, len(seeds), B), np.int32)
    given = np.zeros((len(seeds), 3), np.uint64)
    given[:, 0], given[:, 1], given[:, 2] = seeds, attempts, begin
    if pool > 1:  # a pool of one case needs no draw
        _draw_all(given, np.uint64(pool), np.zeros(2 * 3, np.uint64), np.zeros(8, np.uint64), found)
    return found


@lean
def _draw_all(given, pool, words, state, found):
    """Draw from the seed words in each row of `given`; `words` and `state` are scratch space."""
    K, S, B = found.shape
    rest = (np.uint64(2) ** _32 - pool) % pool
    for s in range(S):
        count = 0
        for i in range(given.shape[1]):
            words[count] = given[s, i] & _LOW
            count += 1
            if given[s, i] > _LOW:
                words[count] = given[s, i] >> _32
                count += 1
        _seed(words, count, state)
        # now state[0:2] is the generator's state and state[2:4] its increment, 128 bits each
        has_half, half = False, np.uint64(0)
        for k in range(K):
            for b in range(B):
                while True:
                    if has_half:
                        bits, has_half = half, False
                    else:
                        whole = _next(state)
                        bits, half, has_half = whole & _LOW, whole >> _32, True
                    product = bits * pool
                    if (product & _LOW) >= rest:
                        break
                found[k, s, b] = product >> _32


@inner
def _seed(words, count, state):
    """Hash 32-bit words into a seed pool, and the pool into a PCG64 state."""
    factor = np.uint64(0x43B0D7E5)
    for i in range(_POOL):
        word = words[i] if i < count else np.uint64(0)
        state[i], factor = _hashed(word, factor)
    for source in range(max(count, _POOL)):
        for to in range(_POOL):
            if source != to:
                word = state[source] if source < _POOL else words[source]
                mixed, factor = _hashed(word, factor)
                state[to] = _mixed(state[to], mixed)
    a, b, c, d = state[0], state[1], state[2], state[3]
    factor = np.uint64(0x8B51F9DD)
    for i in range(8):
        word = (a, b, c, d)[i % _POOL]
        word ^= factor
        factor = (factor * np.uint64(0x58F38DED)) & _LOW
        word = (word * factor) & _LOW
        state[i] = word ^ (word >> np.uint64(16))
    high, low = state[0] | state[1] << _32, state[2] | state[3] << _32
    start, way = state[4] | state[5] << _32, state[6] | state[7] << _32
    one, top = np.uint64(1), np.uint64(63)
    state[2], state[3] = start << one | way >> top, way << one | one
    state[0], state[1] = state[2], state[3]  # the state after one step from 0
    state[0], state[1] = _sum(state[0], state[1], high, low)
    _step(state)


@inner
def _hashed(word, factor):
    """A hashed word, and the factor for the next one."""
    word ^= factor
    factor = (factor * np.uint64(0x931E8875)) & _LOW
    word = (word * factor) & _LOW
    return word ^ (word >> np.uint64(16)), factor


@inner
def _mixed(x, y):
    found = (x * np.uint64(0xCA01F9DD) - y * np.uint64(0x4973F715)) & _LOW
    return found ^ (found >> np.uint64(16))


@inner
def _next(state):
    """The next 64 bits of PCG64 (XSL RR)."""
    _step(state)
    turned, by = state[0] ^ state[1], state[0] >> np.uint64(58)
    return turned >> by | turned << ((np.uint64(64) - by) & np.uint64(63))


@inner
def _step(state):
    high, low = _product(state[1], _LOW_FACTOR)
    high += state[0] * _LOW_FACTOR + state[1] * _HIGH_FACTOR
    state[0], state[1] = _sum(high, low, state[2], state[3])


@inner
def _sum(high1, low1, high2, low2):
    low = low1 + low2
    return high1 + high2 + (np.uint64(1) if low < low1 else np.uint64(0)), low


@inner
def _product(x, y):
    """The 128-bit product as two words, high and low."""
    x0, x1, y0, y1 = x & _LOW, x >> _32, y & _LOW, y >> _32
    middle = x1 * y0 + (x0 * y0 >> _32)
    other = x0 * y1 + (middle & _LOW)
    return x1 * y1 + (middle >> _32) + (other >> _32), x * y
