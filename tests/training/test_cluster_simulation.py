"""Many workers on paper: where a sum can be done by hand, the simulation gives it."""

import pytest
from cluster_simulation import Costs, simulated, table


def test_workers_share_the_work():
    costs = Costs(chunk=(10.0,), hand_out=0.0, take_in=0.0, start=3.0)
    assert [simulated(costs, 8, workers).seconds for workers in (1, 2, 3, 8, 100)] == [
        *(83, 43, 33, 13, 13)
    ]


def test_with_too_many_workers_all_wait_for_the_driver():
    costs = Costs(chunk=(10.0,), hand_out=0.25, take_in=0.75)
    assert costs.most_workers == 10
    few, many = simulated(costs, 1000, 5), simulated(costs, 1000, 500)
    assert few.seconds == pytest.approx(1000 * 10 / 5, rel=0.01) and few.driving < 0.52
    assert many.seconds == pytest.approx(1000 * 1.0, rel=0.02) and many.driving > 0.98
    assert many.training < 0.03


def test_work_is_neither_lost_nor_doubled():
    costs = Costs(chunk=(1.0, 2.0, 6.0), hand_out=0.01, take_in=0.02, plan=0.1, between=0.005)
    for workers in (1, 2, 7):
        run = simulated(costs, 30, workers)
        assert run.training * workers * run.seconds == pytest.approx(90)
        assert run.driving * run.seconds == pytest.approx(30 * 0.13)
        assert run.seconds >= 90 / workers + 3


def test_bytes_are_those_of_all_chunks_and_of_a_problem_for_each_machine():
    costs = Costs((1.0,), 0.0, 0.0, problem_bytes=1000, chunk_bytes=10, outcome_bytes=5)
    quick = simulated(costs, 100, 4, cores=2)
    assert quick.driver_bytes == 2 * 1000 + 100 * 15
    slow = simulated(costs, 100, 4, cores=2, speed=1000.0)
    assert slow.seconds == pytest.approx(quick.seconds + 2 + 0.015, abs=0.3)


def test_a_table_has_a_row_for_each_run():
    costs = Costs((10.0,), 0.0, 0.0)
    rows = table([simulated(costs, 8, workers) for workers in (1, 4)]).splitlines()
    assert rows[2:] == [
        "| 1 | 80 | 1.0 | 100% | 0% |",
        "| 4 | 20 | 4.0 | 100% | 0% |",
    ]
