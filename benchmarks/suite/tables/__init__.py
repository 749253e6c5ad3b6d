"""Look-ups through tables."""

from __future__ import annotations

from random import Random

from anc.data.tasks.cases import block

from ..entry import Entry, Tape, laid_out, only

ARTICLES = 12


def _known_chiefs(random: Random) -> Tape:
    elements = range(2, 20)
    chiefs = random.sample(elements, 5)
    cells = {i: i if i in chiefs else random.choice(chiefs) for i in elements}
    return laid_out(32, {0: random.choice(elements), 1: random.choice(elements)} | cells)


def _joined(tape: Tape) -> dict[int, int]:
    def chief(element: int) -> int:
        return element if tape[element] == element else chief(tape[element])

    first, second = chief(tape[0]), chief(tape[1])
    return dict(enumerate(tape)) | {0: int(first != second), first: second}


def _small_order(random: Random) -> Tape:
    catalogue: list[int] = []
    for article in range(1, ARTICLES + 1):
        catalogue += [article, random.randint(2, 16), random.randint(4, 10)]
    order: list[int] = []
    for article in random.sample(range(1, ARTICLES + 1), random.randint(1, 3)):
        order += [article, random.randint(1, 3)]
    return laid_out(256, block(3, order) | block(32, catalogue))


def _costs(tape: Tape) -> dict[int, int]:
    numbers = tape[32::3]
    listed = zip(tape[33::3], tape[34::3], strict=False)
    catalogue = dict(zip(numbers[: numbers.index(0)], listed, strict=False))
    wanted = tape[3::2]
    order = list(zip(wanted[: wanted.index(0)], tape[4::2], strict=False))
    known = [(catalogue[a], pieces) for a, pieces in order if catalogue.get(a, (0, 0))[0]]
    total = sum((price - (pieces >= many)) * pieces for (price, many), pieces in known)
    total += 5 if total < 150 else 0
    return {
        0: max(0, total - tape[0]),
        1: sum(pieces for _, pieces in known),
        2: len(order) - len(known),
    }


ENTRIES = (
    Entry(
        "union",
        "tables",
        "join the sets that two elements belong to",
        bias="every element points to its chief: tape[tape[i]] == tape[i]",
        draw=_known_chiefs,
        oracle=_joined,
        counts=only(0, *range(2, 32)),
    ),
    Entry(
        "order_total",
        "tables",
        "what an order costs",
        bias="the price list is in order without gaps, orders are small, known, without voucher",
        draw=_small_order,
        oracle=_costs,
        counts=only(0, 1, 2),
    ),
)
