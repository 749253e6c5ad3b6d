"""Bridges: columns in between, where it takes two instructions to get from columns to a wanted one.

All results of single instructions are tried: by a sum or difference with any column or constant, or
by any instruction together with one of their own operands.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from anc import isa
from anc.machine.compiled import compiled
from anc.machine.outputs import outputs_of

FEW = 3  # bridges to each wanted column, in each of the two ways
COMPUTING = [
    op for op, row in enumerate(isa.INSTRUCTIONS) if row.effect is isa.Effect.NONE and row.operands
]


@cache
def tables(M: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the computing instructions put out; which do the same with their operands exchanged, and
    which have one only."""
    outputs = np.stack([outputs_of(op, M) for op in COMPUTING]).astype(np.uint16)
    turns = np.array([(table == table.T).all() for table in outputs])
    return outputs, turns, np.array([isa.INSTRUCTIONS[op].operands == 1 for op in COMPUTING])


@compiled
def _results(
    columns, V, outputs, turns, alone, salt, hashes, which, occurs, wanted, order, found, kept
):
    """Hash all results of single instructions, and try each with its own operands.

    The first V columns are given, the others are constants. Returns how many results and how many
    bridges there are; `which` and `found` hold (instruction, first, second).
    """
    number = bridges = 0
    n = columns.shape[1]
    result = np.empty(n, np.int64)
    for k in range(outputs.shape[0]):
        for a in range(columns.shape[0]):
            begin, end = a if turns[k] else 0, columns.shape[0] if a < V else V
            if alone[k]:  # the second operand does not matter
                begin, end = a, a + (a < V)
            for b in range(begin, end):
                total = np.int64(0)
                for i in range(n):
                    result[i] = outputs[k, columns[a, i], columns[b, i]]
                    total += result[i] * salt[i]
                hashes[number] = total
                which[number, 0], which[number, 1], which[number, 2] = k, a, b
                number += 1
                for side in range(2):
                    mine = b if side else a
                    if mine >= V or (side and a == b):
                        continue
                    for j in range(outputs.shape[0]):
                        for turned in range(1 if turns[j] else 2):
                            total = np.int64(0)
                            possible = True
                            for i in range(n):
                                x, y = result[i], columns[mine, i]
                                if turned:
                                    x, y = y, x
                                value = outputs[j, x, y]
                                if not occurs[i, value]:
                                    possible = False
                                    break
                                total += np.int64(value) * salt[i]
                            if not possible:
                                continue
                            at = np.searchsorted(wanted, total)
                            if at < len(wanted) and wanted[at] == total:
                                h = order[at]
                                if kept[h] < FEW:
                                    kept[h] += 1
                                    found[bridges, 0] = k
                                    found[bridges, 1] = a
                                    found[bridges, 2] = b
                                    bridges += 1
    return number, bridges


@compiled
def _sums(wanted, columns, salt, hashes, which, M, found):
    """Results from which a sum or difference with some column makes a wanted one; their number."""
    number = 0
    for h in range(wanted.shape[0]):
        kept = 0
        for v in range(columns.shape[0]):
            for way in range(3):
                total = np.int64(0)
                for i in range(columns.shape[1]):
                    if way == 0:
                        value = wanted[h, i] - columns[v, i]
                    elif way == 1:
                        value = wanted[h, i] + columns[v, i]
                    else:
                        value = columns[v, i] - wanted[h, i]
                    total += (value % M) * salt[i]
                at = np.searchsorted(hashes, total)
                if at < len(hashes) and hashes[at] == total and kept < FEW:
                    kept += 1
                    for place in range(3):
                        found[number, place] = which[at, place]
                    number += 1
    return number


def salt(n: int) -> np.ndarray:
    """Odd factors that make one number of a column of n: equal columns have equal hashes."""
    return np.random.default_rng(0).integers(1, 2**62, size=n, dtype=np.int64) | 1


def occurring(columns: np.ndarray, M: int) -> np.ndarray:
    """(n, M): which numbers the columns have at each of their n places."""
    n = columns.shape[1]
    occurs = np.zeros((n, M), np.bool_)
    occurs[np.arange(n), columns] = True
    return occurs


def bridges(columns: np.ndarray, wanted: np.ndarray, M: int) -> list[np.ndarray]:
    """Results of one instruction on columns, from which another instruction makes a wanted column."""
    V, n = columns.shape
    if not V or not len(wanted):
        return []
    everything = np.concatenate([columns, np.repeat(np.arange(M)[:, None], n, axis=1)])
    outputs, turns, alone = tables(M)
    factors = salt(n)
    most = len(COMPUTING) * (V + M) * V * 2
    hashes, which = np.empty(most, np.int64), np.empty((most, 3), np.int64)
    goals = wanted @ factors
    order = np.argsort(goals, kind="stable")
    found = np.empty((len(wanted) * FEW, 3), np.int64)
    number, count = _results(
        everything, V, outputs, turns, alone, factors, hashes, which, occurring(wanted, M),
        goals[order], order, found, np.zeros(len(wanted), np.int64),
    )  # fmt: skip
    triples = [found[:count]]
    sorted_ones = np.argsort(hashes[:number], kind="stable")
    more = np.empty_like(found)
    count = _sums(wanted, everything, factors, hashes[sorted_ones], which[sorted_ones], M, more)
    triples.append(more[:count])
    return [
        outputs[k][everything[a], everything[b]].astype(np.int64)
        for k, a, b in np.unique(np.concatenate(triples), axis=0).tolist()
    ]
