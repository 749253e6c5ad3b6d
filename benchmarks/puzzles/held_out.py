"""Puzzles that methods are not tuned on: written on 20 November 2026, and only measured since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import gcd

from .puzzle import Puzzle, groups, if_negative, in_groups, in_words, put, several, take, words


def _signs(numbers: Sequence[int]) -> list[int]:
    return [sum(n for n in numbers if n >= 0), sum(n for n in numbers if n < 0)]


def _new(numbers: Sequence[int]) -> list[int]:
    return [n for i, n in enumerate(numbers) if n not in numbers[:i]]


ABSOLUTE = Puzzle(
    "absolute", "Put out every number without its sign.",
    f"""
var hand; var t; var zero = 0
l_next: {take()}
{if_negative("hand", "l_turn")}
JEZ(0, l_put)
l_turn: WRITE(0, hand)
t = READ(0)
hand = SUB(hand, t)
hand = SUB(hand, t)
l_put: {put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [abs(n) for n in numbers],
    several(4, 9, (-4, 1, 2, 3, 5, 6)),
)  # fmt: skip

REST_OF_THREE = Puzzle(
    "rest_of_three", "Put out what is left of every number from 0 on when it is divided by 3.",
    f"""
var hand; var t
l_next: {take()}
l_three: t = SUB(hand, 3)
{if_negative("t", "l_put")}
hand = SUB(hand, 3)
JEZ(0, l_three)
l_put: {put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [n % 3 for n in numbers],
    several(3, 6, (0, 1, 2, 3, 4, 5, 7, 11)),
)  # fmt: skip

UP_TO = Puzzle(
    "up_to", "For every number n from 0 on put out the sum of 1 to n.",
    f"""
var hand; var t; var sum
l_next: {take()}
WRITE(0, 0)
l_add: JEZ(hand, l_put)
sum = READ(0)
sum = ADD(sum, hand)
WRITE(0, sum)
hand = DEC(hand)
JEZ(0, l_add)
l_put: sum = READ(0)
{put("sum")}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [n * (n + 1) // 2 for n in numbers],
    several(3, 5, (1, 2, 3, 4, 6)),
)  # fmt: skip

WITHIN = Puzzle(
    "within", "Put out every number from 0 to 100, but at least 10 and at most 20.",
    f"""
var hand; var t
l_next: {take()}
WRITE(0, hand)
t = SUB(hand, 10)
{if_negative("t", "l_low")}
t = READ(0)
t = SUB(20, t)
{if_negative("t", "l_high")}
hand = READ(0)
JEZ(0, l_put)
l_low: hand = ADD(10, 0)
JEZ(0, l_put)
l_high: hand = ADD(20, 0)
l_put: {put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [min(20, max(10, n)) for n in numbers],
    several(4, 8, (4, 12, 13, 15, 18, 40)),
)  # fmt: skip

COMMON = Puzzle(
    "common", "Put out the greatest common divisor of each two numbers from 1 on.",
    f"""
var hand; var t; var other
l_next: {take()}
{take("other")}
l_step: t = SUB(hand, other)
JEZ(t, l_put)
{if_negative("t", "l_less")}
hand = SUB(hand, other)
JEZ(0, l_step)
l_less: other = SUB(other, hand)
JEZ(0, l_step)
l_put: {put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [gcd(a, b) for a, b in in_groups(numbers, 2)],
    groups(1, 3, 2, (2, 3, 4, 6, 8, 12)),
)  # fmt: skip

MIDDLE = Puzzle(
    "middle", "Put out the middle one of each three numbers from 0 to 100.",
    f"""
var hand; var t; var low; var high
l_next: {take("low")}
{take("high")}
WRITE(0, low)
WRITE(1, high)
low = MIN(low, high)
t = READ(0)
high = MAX(t, high)
{take()}
hand = MIN(hand, high)
hand = MAX(hand, low)
{put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [sorted(three)[1] for three in in_groups(numbers, 3)],
    groups(1, 4, 3, range(40)),
)  # fmt: skip

LIKE_THE_FIRST = Puzzle(
    "like_the_first", "At the end put out how often the first number comes again.",
    f"""
var hand; var t; var count
WRITE(1, 0)
{take()}
WRITE(0, hand)
l_next: {take(otherwise="l_all")}
t = READ(0)
hand = SUB(hand, t)
JEZ(hand, l_same)
JEZ(0, l_next)
l_same: count = READ(1)
count = INC(count)
WRITE(1, count)
JEZ(0, l_next)
l_all: count = READ(1)
{put("count")}
l_end: STOP()
""",
    lambda numbers: [numbers[1:].count(numbers[0])],
    several(5, 11, (6, 6, 9, 11)),
)  # fmt: skip

BY_SIGN = Puzzle(
    "by_sign", "At the end put out the sum of the others, and then that of the negative numbers.",
    f"""
var hand; var t
WRITE(0, 0)
WRITE(1, 0)
l_next: {take(otherwise="l_all")}
{if_negative("hand", "l_less")}
t = READ(0)
hand = ADD(hand, t)
WRITE(0, hand)
JEZ(0, l_next)
l_less: t = READ(1)
hand = ADD(hand, t)
WRITE(1, hand)
JEZ(0, l_next)
l_all: hand = READ(0)
{put()}
hand = READ(1)
{put()}
STOP()
""",
    _signs, several(4, 9, (-5, 2, 3, 4, 8)),
)  # fmt: skip

LETTERS_ON = Puzzle(
    "letters_on", "Letters are 1 to 26: put out the one three places on, with 1 again after 26.",
    f"""
var hand; var t
l_next: {take()}
t = READ(12)
hand = ADD(hand, t)
t = SUB(26, hand)
{if_negative("t", "l_round")}
JEZ(0, l_put)
l_round: hand = SUB(hand, 26)
l_put: {put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [(n + 2) % 26 + 1 for n in numbers],
    several(4, 10, (1, 5, 9, 12, 14, 18, 20, 25)), floor={12: 3},
)  # fmt: skip

PRICES = Puzzle(
    "prices", "The floor has a price in cell 0, 1, 2 and 3: put out the price of every number.",
    f"""
var hand; var t
l_next: {take()}
hand = READ(hand)
{put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [(7, 12, 5, 30)[n] for n in numbers],
    several(4, 10, range(4)), floor={0: 7, 1: 12, 2: 5, 3: 30},
)  # fmt: skip

ALL_BACKWARDS = Puzzle(
    "all_backwards", "At the end put all numbers out, the last one first.",
    f"""
var hand; var t; var place
l_next: {take(otherwise="l_back")}
JEZ(0, l_next)
l_back: place = SUB(inbox, 2)
l_put: t = SUB(place, 15)
JEZ(t, l_end)
hand = READ(place)
{put()}
place = DEC(place)
JEZ(0, l_put)
l_end: STOP()
""",
    lambda numbers: numbers[::-1], several(4, 9, range(1, 27)),
)  # fmt: skip

NEW_ONES = Puzzle(
    "new_ones", "Put out every number from 1 to 9 that did not come before.",
    f"""
var hand; var t
l_next: {take()}
t = READ(hand)
JEZ(t, l_new)
JEZ(0, l_next)
l_new: WRITE(hand, 1)
{put()}
JEZ(0, l_next)
l_end: STOP()
""",
    _new, several(5, 10, (2, 3, 4, 7)),
)  # fmt: skip

LAST_OF_WORD = Puzzle(
    "last_of_word", "Put out the last number of every word; a 0 is behind each.",
    f"""
var hand; var t
l_word: WRITE(0, 0)
l_next: {take()}
JEZ(hand, l_put)
WRITE(0, hand)
JEZ(0, l_next)
l_put: hand = READ(0)
JEZ(hand, l_word)
{put()}
JEZ(0, l_word)
l_end: STOP()
""",
    lambda numbers: [word[-1] for word in in_words(numbers) if word],
    words(2, 4, (1, 4), range(1, 27)),
)  # fmt: skip

PUZZLES = tuple(
    replace(puzzle, held_out=True)
    for puzzle in (
        ABSOLUTE, REST_OF_THREE, UP_TO, WITHIN, COMMON, MIDDLE, LIKE_THE_FIRST, BY_SIGN, LETTERS_ON,
        PRICES, ALL_BACKWARDS, NEW_ONES, LAST_OF_WORD,
    )
)  # fmt: skip
