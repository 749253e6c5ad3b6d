"""Programs on the times of a day: meetings, buses, sleep."""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random

from ..entry import Entry, Tape
from .tapes import pairs, tape, until_zero

# -- busy_day -----------------------------------------------------------------


def draw_busy_day(random: Random) -> Tape:
    count = random.randint(3, 8)
    times = sorted(random.sample(range(30, 240), 2 * count))
    for i in range(2, len(times), 2):
        if random.random() < 0.2:
            times[i] = times[i - 1]  # one right after the other
    closing = random.randint(times[-1], 255)
    leftovers = [random.randint(1, 255) for _ in range(random.randint(0, 6))]
    return tape(256, {3: [closing], 5: [*times, 0, *leftovers]})


def busy_day(cells: Tape) -> Mapping[int, int]:
    closing = cells[3]
    meetings = [(begin, min(end, closing)) for begin, end in pairs(cells[5:])]
    held = [(begin, end) for begin, end in meetings if begin < end]
    taken = {moment for begin, end in held for moment in range(begin, end)}
    ends = [max((end for _, end in held[:i]), default=0) for i in range(len(held) + 1)]
    breaks = [begin - ends[i] for i, (begin, _) in enumerate(held) if i and begin > ends[i]]
    conflicts = sum(begin < ends[i] for i, (begin, _) in enumerate(held))
    return {0: len(taken), 1: conflicts, 2: max(breaks, default=0), 4: closing - ends[-1]}


# -- next_bus -----------------------------------------------------------------


def draw_next_bus(random: Random) -> Tape:
    times = sorted(random.sample(range(1, 64), random.randint(5, 9)))
    first, second = times[:2]
    now = random.randint(0, first) if random.random() < 0.5 else random.randint(first, second)
    return tape(64, {0: [now], 2: times})


def next_bus(cells: Tape) -> Mapping[int, int]:
    now = cells[0]
    return {1: min((time - now for time in until_zero(cells[2:]) if time >= now), default=63)}


# -- buses_meet ---------------------------------------------------------------


def draw_buses_meet(random: Random) -> Tape:
    first = random.randint(2, 30)
    second = first * random.randint(1, 127 // first)
    return tape(128, {0: [first, second, random.randint(0, 127)]})


def buses_meet(cells: Tape) -> Mapping[int, int]:
    return {2: math.lcm(cells[0], cells[1])}


# -- night_sleep --------------------------------------------------------------


def draw_night_sleep(random: Random) -> Tape:
    slept_before, missing_before = random.randint(0, 95), random.randint(0, 32)
    times = [random.randint(80, 95), random.randint(14, 44)]
    return tape(128, {0: [*times, slept_before, missing_before]})


def night_sleep(cells: Tape) -> Mapping[int, int]:
    slept = (cells[1] - cells[0]) % 96
    return {2: slept, 3: max(0, 32 - slept)}


ENTRIES = (
    Entry(
        name="busy_day",
        kind="scheduling",
        summary="How full a day of meetings is: time taken, conflicts, longest break, time left",
        bias="3 to 8 meetings, one after the other, none called off, all before closing",
        draw=draw_busy_day,
        oracle=busy_day,
        counts=lambda cells: (0, 1, 2, 4),
        held_out=True,
    ),
    Entry(
        name="next_bus",
        kind="searching",
        summary="How long to wait for the next bus of a timetable",
        bias="the timetable is in order, and the next bus is the first or the second",
        draw=draw_next_bus,
        oracle=next_bus,
        counts=lambda cells: (1,),
        held_out=True,
    ),
    Entry(
        name="buses_meet",
        kind="arithmetic",
        summary="The least common multiple of two numbers, by adding to the smaller one",
        bias="the second number is a multiple of the first",
        draw=draw_buses_meet,
        oracle=buses_meet,
        counts=lambda cells: (2,),
        held_out=True,
    ),
    Entry(
        name="night_sleep",
        kind="arithmetic",
        summary="The time between two times of a day, by going from quarter to quarter",
        bias="midnight always lies between the two",
        draw=draw_night_sleep,
        oracle=night_sleep,
        counts=lambda cells: (2, 3),
        held_out=True,
    ),
)
