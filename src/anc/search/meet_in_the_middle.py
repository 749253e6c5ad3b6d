"""Meet in the middle: intermediate columns ("bridges") for wanted columns that take two instructions.

Each result of a single instruction is tried as an operand: of a sum or difference with any column or constant, and of
any instruction with one of its own operands.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import NamedTuple

import numpy as np

from anc.isa import Effect, InstructionSet
from anc.machine.batch import TABLE_LIMIT, output, outputs, outputs_for
from anc.machine.compiled import compiled
from anc.machine.encoded import outputs_of
from anc.support.clock import look

_AT_A_TIME = 8  # wanted columns between two checks of the clock
LARGEST = 64  # constants that are tried in a large memory, in addition to the smallest
FEW = 3  # bridges to each wanted column, of each of the two kinds


class Computing(NamedTuple):
    """The computing instructions, whether they are commutative (`turns`) and unary (`alone`).

    Their outputs are in one table for small memories, and computed for large ones.
    """

    ops: np.ndarray
    turns: np.ndarray
    alone: np.ndarray
    table: np.ndarray | None


@cache
def computing(instructions: InstructionSet, M: int) -> Computing:
    few = min(M, TABLE_LIMIT)
    ops = [op for op, row in enumerate(instructions) if row.effect is Effect.NONE and row.operands]
    tables = [outputs_of(instructions[op], few) for op in ops]
    return Computing(
        np.array(ops, np.int64),
        np.array([(table == table.T).all() for table in tables]),
        np.array([instructions[op].operands == 1 for op in ops]),
        outputs_for(instructions, M),
    )


@compiled
def _results(
    columns, V, M, these, k, salt, hashes, which, occurs, wanted, order, found, kept, counts
):
    """Hash all results of the k-th instruction, and combine each with its own operands.

    The first V columns are given, the others are constants. `counts` are the numbers of results and of
    bridges; `which` and `found` hold (instruction, first, second).
    """
    number, bridges = counts[0], counts[1]
    n = columns.shape[1]
    result = np.empty(n, np.int64)
    for a in range(columns.shape[0]):
        begin, end = a if these.turns[k] else 0, columns.shape[0] if a < V else V
        if these.alone[k]:  # the second operand does not matter
            begin, end = a, a + (a < V)
        for b in range(begin, end):
            total = np.int64(0)
            for i in range(n):
                result[i] = output(these.ops[k], columns[a, i], columns[b, i], M, these.table)
                total += result[i] * salt[i]
            hashes[number] = total
            which[number, 0], which[number, 1], which[number, 2] = k, a, b
            number += 1
            for side in range(2):
                mine = b if side else a
                if mine >= V or (side and a == b):
                    continue
                for j in range(len(these.ops)):
                    for turned in range(1 if these.turns[j] else 2):
                        total = np.int64(0)
                        possible = True
                        for i in range(n):
                            x, y = result[i], columns[mine, i]
                            if turned:
                                x, y = y, x
                            value = output(these.ops[j], x, y, M, these.table)
                            if not occurs[i, value]:
                                possible = False
                                break
                            total += value * salt[i]
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
    counts[0], counts[1] = number, bridges


@compiled
def _sums(wanted, columns, salt, hashes, which, M, found):
    """Results that make a wanted column by a sum or difference with another; returns their number."""
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
    """Odd factors that hash a column of n numbers."""
    return np.random.default_rng(0).integers(1, 2**62, size=n, dtype=np.int64) | 1


def occurring(columns: np.ndarray, M: int) -> np.ndarray:
    """(n, M): the numbers that occur at each of the n places of the columns."""
    n = columns.shape[1]
    occurs = np.zeros((n, M), np.bool_)
    occurs[np.arange(n), columns] = True
    return occurs


def numbers_of(M: int, others: Collection[int], most: int) -> np.ndarray:
    """The numbers that are tried as operands: all up to `most`, else small and large ones and some others."""
    if most >= M:
        return np.arange(M)
    few = {*range(TABLE_LIMIT - LARGEST), *range(M - LARGEST, M)}
    return np.array(sorted(few.union(number for number in others if number < M)), np.int64)


def bridges(
    columns: np.ndarray,
    wanted: np.ndarray,
    instructions: InstructionSet,
    M: int,
    numbers: Collection[int] = (),
) -> list[np.ndarray]:
    """Results of one instruction on columns from which another instruction computes a wanted column."""
    V, n = columns.shape
    if not V or not len(wanted):
        return []
    constants = numbers_of(M, numbers, TABLE_LIMIT)
    everything = np.concatenate([columns, np.repeat(constants[:, None], n, axis=1)])
    these = computing(instructions, M)
    factors = salt(n)
    most = len(these.ops) * len(everything) * V * 2
    hashes, which = np.empty(most, np.int64), np.empty((most, 3), np.int64)
    goals = wanted @ factors
    order = np.argsort(goals, kind="stable")
    found = np.empty((len(wanted) * FEW, 3), np.int64)
    kept, counts = np.zeros(len(wanted), np.int64), np.zeros(2, np.int64)
    occurs, sorted_goals = occurring(wanted, M), goals[order]
    for k in range(len(these.ops)):
        look()
        _results(
            everything, V, M, these, k, factors, hashes, which, occurs, sorted_goals, order, found,
            kept, counts,
        )  # fmt: skip
    number, count = counts.tolist()
    triples = [found[:count]]
    sorted_ones = np.argsort(hashes[:number], kind="stable")
    hashes, which = hashes[sorted_ones], which[sorted_ones]
    for h in range(0, len(wanted), _AT_A_TIME):
        look()
        more, some = np.empty_like(found), wanted[h : h + _AT_A_TIME]
        count = _sums(some, everything, factors, hashes, which, M, more)
        triples.append(more[:count])
    return [
        outputs(instructions, int(these.ops[k]), everything[a], everything[b], M)
        for k, a, b in np.unique(np.concatenate(triples), axis=0).tolist()
    ]
