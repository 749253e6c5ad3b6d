"""Who runs next, and who is done when."""

from __future__ import annotations

from itertools import count
from random import Random

from anc.data.tasks.cases import block, values

from ..entry import Entry, Tape, laid_out, listed, only


def _one_turn_each(random: Random) -> Tape:
    turn = random.randint(16, 24)
    tasks = values(random, random.randint(4, 8), 3, turn)
    leftovers = values(random, random.randint(0, 6), 1, turn)
    return laid_out(256, {0: turn, 2: random.randint(1, 4)} | block(4, [*tasks, 0, *leftovers]))


def _done(tape: Tape) -> dict[int, int]:
    turn, switch = tape[0], tape[2]
    left = dict(enumerate(listed(tape, 4)))
    queue, clock, turns = list(left), 0, 0
    done = dict.fromkeys(range(32, 40), 0)
    while queue:
        task = queue.pop(0)
        now = min(turn, left[task])
        clock, turns, left[task] = clock + switch + now, turns + 1, left[task] - now
        if left[task]:
            queue.append(task)
        else:
            done[32 + task] = clock
    return done | {1: clock, 3: turns}


def _two_asleep(random: Random) -> Tape:
    sleeping = values(random, 6, 0, 30)
    running = random.randrange(6)
    for further, sleep in ((1, random.randint(1, 30)), (2, random.randint(1, 30)), (3, 0)):
        sleeping[(running + further) % 6] = sleep
    return laid_out(64, {32: running, 33: 6} | block(0, sleeping))


def _awake(tape: Tape) -> dict[int, int]:
    n = tape[33]
    sleeping = list(tape[:n])
    for process in count(tape[32] + 1):
        if not sleeping[process % n]:
            return {32: process % n} | block(0, sleeping)
        sleeping[process % n] -= 1
    raise AssertionError("somebody wakes up in the end")


ENTRIES = (
    Entry(
        "round_robin",
        "scheduling",
        "when tasks are done that take turns on one processor",
        bias="four to eight tasks, none longer than one turn",
        draw=_one_turn_each,
        oracle=_done,
        counts=only(1, 3, *range(32, 40)),
    ),
    Entry(
        "next_awake",
        "scheduling",
        "whose turn it is next in a ring of processes",
        bias="six processes; the next two sleep and the third is awake, also round the end of the ring",
        draw=_two_asleep,
        oracle=_awake,
        counts=only(*range(6), 32),
    ),
)
