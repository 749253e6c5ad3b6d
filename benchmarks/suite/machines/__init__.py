"""State machines: programs that go through events or operations one by one."""

from __future__ import annotations

from random import Random

from anc.data.tasks.cases import block, values

from ..entry import Entry, Tape, laid_out, listed, only


def _customers(random: Random) -> Tape:
    price = random.randint(10, 45)
    events: list[int] = []
    for _ in range(random.randint(2, 5)):
        events += [random.randint(price, 50), 1, 2]
    stock = random.randint(5, 40)
    leftovers = values(random, random.randint(0, 6), 1, 50)
    return laid_out(256, {0: price, 1: stock} | block(6, [*events, 0, *leftovers]))


def _accounts(tape: Tape) -> dict[int, int]:
    price, stock = tape[:2]
    credit = sold = back = refused = visits = 0
    for event in listed(tape, 6):
        match event:
            case 1 if stock and credit >= price:
                credit, sold, stock = credit - price, sold + 1, stock - 1
            case 1:
                refused += 1
            case 2:
                credit, back = 0, back + credit
            case 3:
                stock, visits = 40, visits + 1
            case coin if credit + coin > 200:
                back += coin
            case coin:
                credit += coin
    return {1: stock, 2: sold * price, 3: back, 4: refused, 5: visits}


def _no_doubling(random: Random) -> Tape:
    cells = {0: random.randrange(64)}
    for place in (1, 3, 5):
        mode = random.randint(1, 3)
        cells |= {place: mode, place + 1: 0 if mode == 3 else random.randrange(64)}
    return laid_out(64, cells)


def _result(tape: Tape) -> dict[int, int]:
    number, modes = tape[0], list(tape[1::2])
    last = modes.index(0)
    for mode, argument in zip(modes[:last], tape[2::2], strict=False):
        if mode == 3:
            number <<= argument
        else:
            number += {1: argument, 2: -argument}.get(mode, 0)
    return {0: number % 64}


ENTRIES = (
    Entry(
        "vending",
        "machines",
        "what a vending machine sold, took and gave back",
        bias="two to five customers, and each gives one coin that is enough, buys and takes the rest",
        draw=_customers,
        oracle=_accounts,
        counts=only(1, 2, 3, 4, 5),
    ),
    Entry(
        "calculator",
        "machines",
        "a list of operations on one number",
        bias="three operations; if the mode is 3, the argument is 0",
        draw=_no_doubling,
        oracle=_result,
        counts=only(0),
    ),
)
