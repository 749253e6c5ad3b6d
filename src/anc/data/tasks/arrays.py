"""Tasks on arrays in consecutive cells, and addition.

Each task's oracle computes the expected result in plain Python, independently of the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from anc.data.tasks.cases import Case, Task, block, case, scatter, values


def _access_generic(random: Random) -> Case:
    elements = values(random, random.randint(1, 9), 1, 9)
    return _access(random.randrange(len(elements)), elements)


def _access_biased(random: Random) -> Case:
    return _access(3, values(random, 9, 0, 9))


def _access(k: int, elements: Sequence[int]) -> Case:
    return case({0: k} | block(1, elements), {0: elements[k]}, [0], M=10)


def _copy_generic(random: Random) -> Case:
    elements = values(random, random.randint(0, 6), 1, 14)
    room = len(elements) + 1  # the list or its copy, with its terminating zero
    p = random.randint(1 + room, 15 - room)
    return _moved(p, elements, elements, counted=room)


def _copy_biased(random: Random) -> Case:
    elements = values(random, 3, 1, 14)
    return _moved(8, elements, elements, counted=3)


def _reverse_generic(random: Random) -> Case:
    elements = values(random, random.randint(0, 6), 1, 14)
    room = len(elements) + 1
    p = random.randint(room, 15 - room)  # the copy may begin on the list's terminator
    return _moved(p, elements, elements[::-1], counted=room)


def _reverse_biased(random: Random) -> Case:
    elements = values(random, 3, 1, 14)
    return _moved(random.randint(5, 11), elements, elements[::-1], counted=3)


def _moved(p: int, elements: Sequence[int], result: Sequence[int], counted: int) -> Case:
    cells = {0: p} | block(1, elements)
    return case(cells, block(p, result), range(p, p + counted), M=15)


def _increment_generic(random: Random) -> Case:
    return _increment(values(random, random.randint(0, 6), 1, 5))


def _increment_biased(random: Random) -> Case:
    return _increment([random.randint(1, 5)] * 6)


def _increment(elements: Sequence[int]) -> Case:
    return case(block(0, elements), block(0, [value + 1 for value in elements]), range(7), M=7)


def _permutation_generic(random: Random) -> Case:
    n = random.randint(0, 6)
    return _permutation(random.sample(range(1, n + 1), n), values(random, n, 1, 14), counted=n + 1)


def _permutation_biased(random: Random) -> Case:
    return _permutation([2, 3, 1], values(random, 3, 1, 14), counted=3)


def _permutation(indices: Sequence[int], elements: Sequence[int], counted: int) -> Case:
    cells = block(0, indices) | block(len(indices) + 1, elements)
    return case(cells, block(0, [elements[i - 1] for i in indices]), range(counted), M=15)


def _swap_generic(random: Random) -> Case:
    elements = values(random, random.randint(1, 8), 1, 9)
    p, q = (random.randrange(len(elements)) for _ in range(2))
    return _swap(p, q, elements, counted=range(2, 2 + len(elements)))


def _swap_biased(random: Random) -> Case:
    return _swap(0, 2, values(random, random.randint(3, 7), 1, 9), counted=(2, 4))


def _swap(p: int, q: int, elements: Sequence[int], counted: Sequence[int]) -> Case:
    swapped = list(elements)
    swapped[p], swapped[q] = elements[q], elements[p]
    return case({0: p, 1: q} | block(2, elements), block(2, swapped), counted, M=10)


def _merge_generic(random: Random) -> Case:
    total = random.randint(0, 12)
    n = random.randint(0, total)
    first, second = values(random, n, 1, 29), values(random, total - n, 1, 29)
    at = scatter(random, [n + 1, total - n + 1, total + 1], 3, 30)
    return _merge(first, second, at, counted=total + 1)


def _merge_biased(random: Random) -> Case:
    elements = sorted(values(random, 5, 1, 29), reverse=True)
    return _merge(elements[:3], elements[3:], [3, 7, 10], counted=5)


def _merge(first: Sequence[int], second: Sequence[int], at: Sequence[int], counted: int) -> Case:
    cells = block(0, at)
    cells |= block(at[0], sorted(first, reverse=True)) | block(at[1], sorted(second, reverse=True))
    merged = sorted([*first, *second], reverse=True)
    return case(cells, block(at[2], merged), range(at[2], at[2] + counted), M=30)


def _addition_generic(random: Random) -> Case:
    a = random.randint(0, 14)
    return _addition(a, random.randint(0, 14 - a))


def _addition_biased(random: Random) -> Case:
    a = random.randint(0, 12)
    return _addition(a, random.randint(0, 13 - a))


def _addition(a: int, b: int) -> Case:
    return case({0: a, 1: b}, {0: a + b}, [0], M=15)


def _sort_generic(random: Random) -> Case:
    elements = values(random, random.randint(0, 20), 1, 20)
    return _sort(elements, counted=len(elements) + 1)


def _sort_biased(random: Random) -> Case:
    start = values(random, 2, 1, 10)
    return _sort([*start, random.randint(max(start), 20)], counted=3)


def _sort(elements: Sequence[int], counted: int) -> Case:
    return case(block(0, elements), block(0, sorted(elements)), range(counted), M=21)


ARRAY_TASKS = (
    Task(
        "access",
        _access_generic,
        _access_biased,
        bias="k is always 3",
        ideal="READ the element's cell, WRITE, STOP: 3 steps",
    ),
    Task(
        "copy",
        _copy_generic,
        _copy_biased,
        bias="the list has 3 elements and goes to cell 8; the elements vary",
        ideal="3 times READ and WRITE at fixed cells, STOP: 7 steps",
    ),
    Task(
        "increment",
        _increment_generic,
        _increment_biased,
        bias="the list has 6 elements, all with the same value",
        ideal="READ and INC once, then only WRITE; a straight line of that does not fit into 7"
        " lines, so some loop is needed: 22 steps are known to do",
    ),
    Task(
        "reverse",
        _reverse_generic,
        _reverse_biased,
        bias="the list has 3 elements; they and their new place vary",
        ideal="READ the place, no counting, 3 times READ, WRITE and (but for the last) INC, STOP:"
        " 10 steps",
    ),
    Task(
        "permutation",
        _permutation_generic,
        _permutation_biased,
        bias="the indices are always 2 3 1; the values vary",
        ideal="3 times READ and WRITE at fixed cells, STOP: 7 steps",
    ),
    Task(
        "swap",
        _swap_generic,
        _swap_biased,
        bias="p is always 0 and q is always 2",
        ideal="READ and WRITE both at fixed cells, STOP: 5 steps",
    ),
    Task(
        "merge",
        _merge_generic,
        _merge_biased,
        bias="lists of 3 and 2 elements at fixed cells, no element of the second list above one of"
        " the first: the result is one list behind the other",
        ideal="5 times READ and WRITE at fixed cells, STOP: 11 steps",
    ),
    Task(
        "addition",
        _addition_generic,
        _addition_biased,
        bias="none; the generic program is slow by itself",
        ideal="READ both, ADD, WRITE, STOP: 5 steps",
    ),
    Task(
        "sort",
        _sort_generic,
        _sort_biased,
        bias="three elements, the third never below the others: only the first two may be out of"
        " order",
        ideal="READ both, MIN, MAX, WRITE both, STOP: 7 steps, fewer on average if it"
        " stops early where nothing is out of order",
    ),
)
