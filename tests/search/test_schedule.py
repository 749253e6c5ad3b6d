"""Who works next."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat

from anc.search.portfolio import Portfolio


def working(n: int | None = None) -> Iterator[None]:
    yield from repeat(None) if n is None else repeat(None, n)


def turns(schedule: Portfolio, n: int, seconds: float = 1.0, lucky: str = "") -> list[str]:
    names = []
    for _ in range(n):
        name = schedule.next()
        assert name is not None
        schedule.work(name)
        schedule.charge(name, seconds, name == lucky)
        names.append(name)
    return names


def test_methods_take_turns_and_debts_are_waited_for() -> None:
    schedule = Portfolio()
    schedule.begin("a", working())
    schedule.begin("b", working())
    schedule.begin("c", working(), debt=3.0)
    assert turns(schedule, 9) == ["a", "b", "a", "b", "a", "b", "a", "b", "c"]


def test_what_brings_something_gets_more() -> None:
    schedule = Portfolio()
    schedule.begin("a", working())
    schedule.begin("b", working())
    names = turns(schedule, 30, lucky="b")
    assert names.count("b") > 3 * names.count("a") > 0


def test_what_is_at_its_end_is_left_out_and_keeps_its_account() -> None:
    schedule = Portfolio()
    schedule.begin("a", working(1))
    schedule.begin("b", working())
    turns(schedule, 4)
    assert schedule.next() == "b"
    assert "a" not in schedule.methods
    schedule.begin("a", working())
    assert schedule.accounts["a"] == 2.0


def test_the_first_ones_share_the_time_until_they_end() -> None:
    schedule = Portfolio()
    schedule.begin("late", working())
    for name in ("a", "b"):
        schedule.begin(name, working(2), debt=50.0)
    names = []
    while (name := schedule.next(("a", "b"))) != "late":
        assert name is not None
        schedule.work(name)
        schedule.charge(name, 1.0, False)
        names.append(name)
    assert names == ["a", "b", "a", "b", "a", "b"]  # the last time, each came to its end
