"""Puzzles about groups of numbers, words, and the whole inbox."""

from __future__ import annotations

from itertools import accumulate, groupby

from .puzzle import Puzzle, groups, if_negative, in_groups, in_words, put, several, take, words

PAIR_SUMS = Puzzle(
    "pair_sums", "Put out the sum of each two numbers.",
    f"""
var hand; var t
l_next: {take()}
WRITE(0, hand)
{take()}
t = READ(0)
hand = ADD(hand, t)
{put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [sum(pair) for pair in in_groups(numbers, 2)],
    groups(2, 6, 2, range(-9, 20)),
)  # fmt: skip

LARGER_FIRST = Puzzle(
    "larger_first", "Put each two numbers out, the larger one first.",
    f"""
var hand; var t; var other
l_next: {take()}
WRITE(0, hand)
{take()}
WRITE(1, hand)
other = READ(0)
hand = SUB(hand, other)
{if_negative("hand", "l_in_order")}
hand = READ(1)
{put()}
hand = READ(0)
{put()}
JEZ(0, l_next)
l_in_order: hand = READ(0)
{put()}
hand = READ(1)
{put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [n for pair in in_groups(numbers, 2) for n in sorted(pair, reverse=True)],
    groups(2, 5, 2, range(-8, 20)),
)  # fmt: skip

LARGEST_OF_THREE = Puzzle(
    "largest_of_three", "Put out the largest of each three numbers from 0 to 100.",
    f"""
var hand; var t; var most
l_next: {take()}
WRITE(0, hand)
{take()}
most = READ(0)
most = MAX(most, hand)
WRITE(0, most)
{take()}
most = READ(0)
most = MAX(most, hand)
WRITE(0, most)
hand = READ(0)
{put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [max(three) for three in in_groups(numbers, 3)],
    groups(1, 4, 3, range(60)),
)  # fmt: skip

BACKWARDS_BY_THREE = Puzzle(
    "backwards_by_three", "Put each three numbers out backwards.",
    f"""
var hand; var t
l_next: {take()}
WRITE(0, hand)
{take()}
WRITE(1, hand)
{take()}
{put()}
hand = READ(1)
{put()}
hand = READ(0)
{put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [n for three in in_groups(numbers, 3) for n in reversed(three)],
    groups(1, 4, 3, range(1, 26)),
)  # fmt: skip

FIRST_TO_THE_END = Puzzle(
    "first_to_the_end", "Put each four numbers out, the first of them last.",
    f"""
var hand; var t; var left
l_next: {take()}
WRITE(7, hand)
WRITE(8, 3)
l_other: {take()}
{put()}
left = READ(8)
left = DEC(left)
WRITE(8, left)
JEZ(left, l_last)
JEZ(0, l_other)
l_last: hand = READ(7)
{put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [n for four in in_groups(numbers, 4) for n in (*four[1:], four[0])],
    groups(1, 3, 4, range(1, 30)),
)  # fmt: skip

PRODUCTS = Puzzle(
    "products", "Put out the product of each two numbers from 0 on.",
    f"""
var hand; var t; var times
l_next: {take()}
WRITE(0, hand)
WRITE(2, 0)
{take("times")}
l_add: JEZ(times, l_put)
t = READ(0)
hand = READ(2)
hand = ADD(hand, t)
WRITE(2, hand)
times = DEC(times)
JEZ(0, l_add)
l_put: hand = READ(2)
{put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [a * b for a, b in in_groups(numbers, 2)],
    groups(1, 4, 2, (0, 1, 2, 3, 4, 5)),
)  # fmt: skip

DIGITS = Puzzle(
    "digits", "Each two digits are the tens and the ones of a number below 100: put it out.",
    f"""
var hand; var t; var ten
l_next: {take("ten")}
WRITE(0, ten)
ten = ADD(ten, ten)
ten = ADD(ten, ten)
t = READ(0)
ten = ADD(ten, t)
ten = ADD(ten, ten)
WRITE(0, ten)
{take()}
ten = READ(0)
hand = ADD(hand, ten)
{put()}
JEZ(0, l_next)
l_end: STOP()
""",
    lambda numbers: [10 * a + b for a, b in in_groups(numbers, 2)],
    groups(2, 5, 2, range(10)),
)  # fmt: skip

COUNT_ALL = Puzzle(
    "count_all", "At the end put out how many numbers there were.",
    f"""
var hand; var t; var count
WRITE(0, 0)
l_next: {take(otherwise="l_all")}
count = READ(0)
count = INC(count)
WRITE(0, count)
JEZ(0, l_next)
l_all: count = READ(0)
{put("count")}
STOP()
""",
    lambda numbers: [len(numbers)],
    several(4, 14, range(1, 9)),
)  # fmt: skip

MOST_OF_ALL = Puzzle(
    "most_of_all", "At the end put out the largest of all numbers from 0 to 100.",
    f"""
var hand; var t; var most
WRITE(6, 0)
l_next: {take(otherwise="l_all")}
most = READ(6)
t = SUB(hand, most)
{if_negative("t", "l_next")}
WRITE(6, hand)
JEZ(0, l_next)
l_all: most = READ(6)
{put("most")}
STOP()
""",
    lambda numbers: [max([0, *numbers])],
    several(4, 9, range(1, 50)),
)  # fmt: skip

WORD_LENGTHS = Puzzle(
    "word_lengths", "Put out how many numbers there are before every 0.",
    f"""
var hand; var t; var count
l_word: WRITE(0, 0)
l_next: {take()}
JEZ(hand, l_put)
count = READ(0)
count = INC(count)
WRITE(0, count)
JEZ(0, l_next)
l_put: count = READ(0)
{put("count")}
JEZ(0, l_word)
l_end: STOP()
""",
    lambda numbers: [len(word) for word in in_words(numbers)],
    words(2, 4, (1, 5), range(1, 27)),
)  # fmt: skip

FIRST_OF_WORD = Puzzle(
    "first_of_word", "Put out the first number of every word; a 0 is behind each.",
    f"""
var hand; var t
l_word: {take()}
JEZ(hand, l_word)
{put()}
l_rest: {take()}
JEZ(hand, l_word)
JEZ(0, l_rest)
l_end: STOP()
""",
    lambda numbers: [word[0] for word in in_words(numbers) if word],
    words(2, 5, (1, 4), range(1, 27)),
)  # fmt: skip

LARGEST_OF_WORD = Puzzle(
    "largest_of_word", "Put out the largest number of every word of numbers from 1 to 100.",
    f"""
var hand; var t; var most
l_word: WRITE(9, 0)
l_next: {take()}
JEZ(hand, l_put)
most = READ(9)
most = MAX(most, hand)
WRITE(9, most)
JEZ(0, l_next)
l_put: hand = READ(9)
{put()}
JEZ(0, l_word)
l_end: STOP()
""",
    lambda numbers: [max([0, *word]) for word in in_words(numbers)],
    words(2, 4, (2, 4), range(1, 60)),
)  # fmt: skip

RUNS = Puzzle(
    "runs", "For each run of equal numbers put out the number and how often it comes.",
    f"""
var hand; var t; var count
{take()}
l_run: WRITE(0, hand)
{put()}
WRITE(1, 1)
l_next: {take(otherwise="l_all")}
t = READ(0)
t = SUB(hand, t)
JEZ(t, l_same)
count = READ(1)
{put("count")}
JEZ(0, l_run)
l_same: count = READ(1)
count = INC(count)
WRITE(1, count)
JEZ(0, l_next)
l_all: count = READ(1)
{put("count")}
l_end: STOP()
""",
    lambda numbers: [n for key, run in groupby(numbers) for n in (key, len(list(run)))],
    several(5, 12, (2, 2, 2, 7)),
)  # fmt: skip

DEEPEST = Puzzle(
    "deepest", "1 opens a bracket and 2 closes one: at the end put out how deep they were nested.",
    f"""
var hand; var t; var depth; var most
WRITE(0, 0)
WRITE(1, 0)
l_next: {take(otherwise="l_all")}
depth = READ(0)
t = SUB(hand, 1)
JEZ(t, l_open)
depth = DEC(depth)
WRITE(0, depth)
JEZ(0, l_next)
l_open: depth = INC(depth)
WRITE(0, depth)
most = READ(1)
most = MAX(most, depth)
WRITE(1, most)
JEZ(0, l_next)
l_all: most = READ(1)
{put("most")}
STOP()
""",
    lambda numbers: [max([0, *accumulate(1 if n == 1 else -1 for n in numbers)])],
    lambda random: [
        n for _ in range(random.randint(2, 4)) for n in random.choice(([1, 2], [1, 1, 2, 2], [1, 1, 1, 2, 2, 2]))
    ],
)  # fmt: skip

PUZZLES = (
    PAIR_SUMS, LARGER_FIRST, LARGEST_OF_THREE, BACKWARDS_BY_THREE, FIRST_TO_THE_END, PRODUCTS, DIGITS,
    COUNT_ALL, MOST_OF_ALL, WORD_LENGTHS, FIRST_OF_WORD, LARGEST_OF_WORD, RUNS, DEEPEST,
)  # fmt: skip
