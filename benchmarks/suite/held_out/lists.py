"""Programs on lists of numbers: counting, looking up, pressing keys."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from ..entry import Entry, Tape
from .tapes import pairs, tape, until_zero

# -- count_different ----------------------------------------------------------


def draw_count_different(random: Random) -> Tape:
    numbers = random.sample(range(1, 18), random.randint(4, 7))
    leftovers = [random.randint(0, 17) for _ in range(16 - len(numbers))]
    return tape(18, {0: [*numbers, 0, *leftovers]})


def count_different(cells: Tape) -> Mapping[int, int]:
    return {17: len(set(until_zero(cells)))}


# -- price_list ---------------------------------------------------------------


def draw_price_list(random: Random) -> Tape:
    items = range(1, random.randint(8, 15) + 1)
    order = random.choices(items, k=random.randint(3, 5))
    prices = [number for item in items for number in (item, random.randint(1, 95))]
    return tape(96, {0: order, 16: prices})


def price_list(cells: Tape) -> Mapping[int, int]:
    prices = dict(reversed(pairs(cells[16:])))  # of two prices, the first one counts
    return {i: prices.get(item, 0) for i, item in enumerate(until_zero(cells))}


# -- key_presses --------------------------------------------------------------


def draw_key_presses(random: Random) -> Tape:
    cells = [random.randint(0, 31)]
    for _ in range(random.randint(2, 4)):
        key = random.choice((1, 3))
        cells += [key, random.randint(0, 31) if key == 1 else 0]
    return tape(32, {0: cells})


def key_presses(cells: Tape) -> Mapping[int, int]:
    shown = cells[0]
    for key, argument in pairs(cells[1:]):
        shown = {1: shown + argument, 2: shown - argument, 3: shown * 2**argument}[key]
    return {0: shown % 32}


ENTRIES = (
    Entry(
        name="count_different",
        kind="lists",
        summary="How many different numbers a list has",
        bias="4 to 7 numbers, all different, with anything behind them",
        draw=draw_count_different,
        oracle=count_different,
        counts=lambda cells: (17,),
        held_out=True,
    ),
    Entry(
        name="price_list",
        kind="tables",
        summary="Replaces the items of an order by their prices",
        bias="the items of the price list are 1, 2, 3, ..., and 3 to 5 of them are ordered",
        draw=draw_price_list,
        oracle=price_list,
        counts=lambda cells: range(len(until_zero(cells))),
        held_out=True,
    ),
    Entry(
        name="key_presses",
        kind="state_machines",
        summary="A pocket calculator: what it shows after a list of keys",
        bias="2 to 4 keys, only adding and doubling, and doubling no times; 0 behind the list",
        draw=draw_key_presses,
        oracle=key_presses,
        counts=lambda cells: (0,),
        held_out=True,
    ),
)
