"""Experiments without answers: their judges and optima are right, and small runs go through."""

import itertools
from importlib import resources
from random import Random

import jax.numpy as jnp
import numpy as np

import anc
from anc_experiments.eviction import adapt, draw, fewest, loads, served
from anc_experiments.paths import LENGTHS, MISSING, TOWNS, draw_graphs, lengths_of, price


def test_the_program_that_judges_paths_agrees_with_brute_force():
    text = (resources.files("anc_experiments") / "paths.anc").read_text()
    program = anc.compile(text)
    graph = draw_graphs(3, 5)[2]
    assert graph.max() < LENGTHS
    for a, b in itertools.product(range(TOWNS), repeat=2):
        found = anc.run(program, [*graph.ravel().tolist(), a, b]).tape[27]
        assert found == lengths_of(graph[None])[0, a, b]


def test_the_price_of_a_way_that_is_sure_is_its_length():
    rows = np.eye(40)[[7, 3]]
    assert np.allclose(price(jnp.asarray(rows)), [7, 3], atol=1e-3)
    assert float(price(jnp.asarray(np.eye(40)[[MISSING]]))[0]) > 15


def belady(requests):
    held, count = set(), 0
    for i, page in enumerate(requests):
        if page in held:
            continue
        count += 1
        if len(held) == 3:
            rest = requests[i:]
            held.remove(max(held, key=lambda p: rest.index(p) if p in rest else len(rest)))
        held.add(page)
    return count


def test_the_fewest_loads_are_those_of_the_rule_that_knows_the_future():
    random = Random(1)
    for _ in range(40):
        requests = tuple(draw(random))
        assert fewest(requests) == belady(requests)


def test_the_cache_is_judged_by_the_requests_as_they_were_given():
    given = [1, 2, 3, 4, 1, 2, 3, 4, 1, 2] + [0] * 30
    final = given[:10] + [1, 2, 3, 3, 0, 0, 3, 3, 0, 0] + [0] * 20
    assert (loads(final, given), served(final, given)) == (6, 1)
    assert served([0] * 40, given) == 0


def test_a_short_search_makes_the_cache_better():
    row, result = adapt(seed=1, proposals=600)
    assert result.improved and row.violations == 0
    assert row.optimum < row.adapted < row.generic and 0 < row.closed < 1
