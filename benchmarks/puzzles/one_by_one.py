"""Puzzles about one number after the other."""

from __future__ import annotations

from itertools import accumulate, pairwise

from .puzzle import Puzzle, if_negative, put, several, take

ECHO_TWICE = Puzzle(
    "echo_twice", "Put every number out twice.",
    f"""
var hand; var t
l_next: {take()}
{put()}
{put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [n for number in numbers for n in (number, number)],
    several(4, 9, (3, 5, 8, 13, -2)),
)  # fmt: skip

DROP_NEGATIVES = Puzzle(
    "drop_negatives", "Put out every number that is not negative.",
    f"""
var hand; var t
l_next: {take()}
{if_negative("hand", "l_next")}
{put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [n for n in numbers if n >= 0],
    several(5, 12, (-3, -1, 1, 2, 4, 6, 7)),
)  # fmt: skip

NEGATE = Puzzle(
    "negate", "Put out every number with the other sign.",
    f"""
var hand; var t
l_next: {take()}
WRITE(0, hand)
hand = ZERO()
t = READ(0)
hand = SUB(hand, t)
{put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [-n for n in numbers],
    several(4, 10, range(-9, 10)),
)  # fmt: skip

BIGGER_BY_TEN = Puzzle(
    "bigger_by_ten", "Put out every number plus the ten that lies in cell 5 of the floor.",
    f"""
var hand; var t
l_next: {take()}
t = READ(5)
hand = ADD(hand, t)
{put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [n + 10 for n in numbers],
    several(3, 9, range(1, 40)), floor={5: 10},
)  # fmt: skip

TIMES_FIVE = Puzzle(
    "times_five", "Put out five times every number.",
    f"""
var hand; var t
l_next: {take()}
WRITE(1, hand)
t = READ(1)
hand = ADD(hand, t)
t = READ(1)
hand = ADD(hand, t)
t = READ(1)
hand = ADD(hand, t)
t = READ(1)
hand = ADD(hand, t)
{put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [5 * n for n in numbers],
    several(3, 7, range(-10, 12)),
)  # fmt: skip

RUNNING_TOTAL = Puzzle(
    "running_total", "After every number put out the sum of all numbers so far.",
    f"""
var hand; var t
WRITE(0, 0)
l_next: {take()}
t = READ(0)
hand = ADD(hand, t)
WRITE(0, hand)
{put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: list(accumulate(numbers)),
    several(4, 10, range(1, 20)),
)  # fmt: skip

DIFFERENCES = Puzzle(
    "differences", "Put out how much every number but the first is above the one before it.",
    f"""
var hand; var t; var before
{take("before")}
WRITE(3, before)
l_next: {take()}
before = READ(3)
WRITE(3, hand)
hand = SUB(hand, before)
{put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [b - a for a, b in pairwise(numbers)],
    several(4, 9, range(30)),
)  # fmt: skip

CHANGES = Puzzle(
    "changes", "Put out the first number, and then each that differs from the one before it.",
    f"""
var hand; var t; var before
{take()}
l_new: WRITE(0, hand)
{put()}
l_next: {take()}
before = READ(0)
t = SUB(hand, before)
JEZ(t, l_next)
JEZ(0, l_new)
l_end: STOP()
""",
    lambda numbers: [n for i, n in enumerate(numbers) if i == 0 or n != numbers[i - 1]],
    several(6, 12, (4, 4, 9)),
)  # fmt: skip

OTHER_SIGNS = Puzzle(
    "other_signs", "Put the numbers out, every second one with the other sign.",
    f"""
var hand; var t; var x
l_next: {take()}
{put()}
{take()}
WRITE(2, hand)
t = READ(2)
hand = SUB(hand, t)
hand = SUB(hand, t)
{put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [-n if i % 2 else n for i, n in enumerate(numbers)],
    several(4, 10, (1, 2, 3, 5, 7)),
)  # fmt: skip

EVEN_OR_ODD = Puzzle(
    "even_or_odd", "For every number from 0 on put out 0 if it is even and 1 if it is odd.",
    f"""
var hand; var t
l_next: {take()}
l_two: JEZ(hand, l_put)
t = SUB(hand, 1)
JEZ(t, l_put)
hand = DEC(hand)
hand = DEC(hand)
JEZ(0, l_two)
l_put: {put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [n % 2 for n in numbers],
    several(3, 6, (0, 1, 2, 3, 4, 5, 6, 9)),
)  # fmt: skip

HALVES = Puzzle(
    "halves", "Put out half of every number from 0 on, rounded down.",
    f"""
var hand; var t
l_next: {take()}
WRITE(0, 0)
l_two: JEZ(hand, l_put)
hand = DEC(hand)
JEZ(hand, l_put)
hand = DEC(hand)
WRITE(1, hand)
hand = READ(0)
hand = INC(hand)
WRITE(0, hand)
hand = READ(1)
JEZ(0, l_two)
l_put: hand = READ(0)
{put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [n // 2 for n in numbers],
    several(3, 5, (2, 3, 4, 6, 7, 8)),
)  # fmt: skip

STAIRS = Puzzle(
    "stairs", "For every number n from 1 on put out 1, 2 and so on up to n.",
    f"""
var hand; var t; var step
l_next: {take()}
WRITE(4, 0)
l_step: step = READ(4)
step = INC(step)
WRITE(4, step)
{put("step")}
t = SUB(hand, step)
JEZ(t, l_next)
JEZ(0, l_step)
l_end: STOP()
""",
    lambda numbers: [step for n in numbers for step in range(1, n + 1)],
    several(2, 5, (1, 2, 3, 4, 5)),
)  # fmt: skip

TWO_TO_THE = Puzzle(
    "two_to_the", "Put out two to the power of every number from 0 to 6.",
    f"""
var hand; var t; var power
l_next: {take()}
WRITE(0, 1)
l_twice: JEZ(hand, l_put)
power = READ(0)
power = ADD(power, power)
WRITE(0, power)
hand = DEC(hand)
JEZ(0, l_twice)
l_put: power = READ(0)
{put("power")}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [2**n for n in numbers],
    several(3, 6, (1, 2, 3, 3, 4, 6)),
)  # fmt: skip

PUZZLES = (
    ECHO_TWICE, DROP_NEGATIVES, NEGATE, BIGGER_BY_TEN, TIMES_FIVE, RUNNING_TOTAL, DIFFERENCES, CHANGES,
    OTHER_SIGNS, EVEN_OR_ODD, HALVES, STAIRS, TWO_TO_THE,
)  # fmt: skip
