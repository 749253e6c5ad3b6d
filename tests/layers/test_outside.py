"""Where a function's program is not Python: layers name such an input, or do what they are told."""

import itertools
import pickle
from collections import Counter
from random import Random
from typing import Annotated

import jax
import numpy as np
import pytest
from layers.subjects import ADD, less, rows_of
from python.random_functions import random_function
from python.test_meaning import function_of

import anc
from anc.layers.arrays import JAX
from anc.layers.exact import execute
from anc.layers.places import Place
from anc.layers.rows import Stack
from anc.machine import exact
from anc.support.diagnostics import AncError


@anc.function(memory=256)
def profit(prices: Annotated[list[int], anc.Size(5)]) -> int:
    best = 0
    here = 0
    for i in range(1, 5):
        here = max(0, here + prices[i] - prices[i - 1])
        best = max(best, here)
    return best


@anc.function(memory=20)
def total(a: int, b: int) -> int:
    return a + b


@anc.function(memory=20)
def steps(values: Annotated[list[int], anc.Size(2)]) -> None:
    values[1] = values[1] - values[0]
    values[0] += 1


@anc.function(memory=20)
def part(a: int, b: int) -> int:
    return a // b


@anc.function(memory=20)
def picked(values: Annotated[list[int], anc.Size(3)], i: int) -> int:
    return values[i]


@anc.function(memory=20)
def asserted(a: int, b: int) -> int:
    assert a < 3
    return a + b


@anc.function(memory=20, wrap=True)
def wrapping(a: int, b: int) -> int:
    return a - b


@anc.function(memory=11)  # its exact program has 17 lines
def narrow(a: int, b: int) -> int:
    four = 0
    for _ in range(4):
        four = four + a
    return min(four, 10) + b


PAIR = [np.full(3, 1 / 3, np.float32)] * 2


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (profit, r"profit\(\[\d, .*\]\), where Python returns \d and the machine 255"),
        (total, r"total\(\d+, \d+\), where Python returns 2\d and the machine \d"),
        (less, r"less\(0, 1\), where Python returns -1 and the machine 19"),
        (part, r"part\(\d, 0\), where Python ends with ZeroDivisionError"),
        (picked, r"picked\(.*, 3\), where Python ends with IndexError"),
        (asserted, r"asserted\(3, \d\), where Python ends with AssertionError"),
        (narrow, r"narrow\(\d, \d\), where Python returns 1\d and the machine"),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
@pytest.mark.parametrize("mode", ["exact", "soft"])
def test_an_input_on_which_python_does_something_else_is_named(function, message, mode):
    with pytest.raises(AncError, match=message) as problem:
        anc.layer(function, mode=mode, values=10 if function is not total else 11)
    assert "outside='wrap'" in str(problem.value)


def test_without_values_the_first_call_says_so():
    layer = anc.layer(total)
    assert layer(rows_of(0, 10), rows_of(1, 10)).shape == (20,)
    with pytest.raises(AncError, match=r"total\(.*where Python returns 2"):
        layer(rows_of(0, 11), rows_of(1, 11))
    with pytest.raises(AncError, match=r"total\(.*where Python returns 2"):
        jax.jit(layer)(rows_of(0, 11), rows_of(1, 11))


def test_pruned_layers_say_it_of_the_inputs_that_they_run():
    layer = anc.layer(profit, prune=5)
    assert layer(np.array([1, 2, 5, 6, 6])).argmax() == 5
    with pytest.raises(Exception, match=r"profit\(\[7, 1, 5, 3, 6\]\), where Python returns 5"):
        jax.block_until_ready(layer(np.array([7, 1, 5, 3, 6])))


def test_lists_are_never_longer_than_they_may_be():
    @anc.function(memory=20)
    def first(values: Annotated[list[int], anc.Size(up_to=2)], other: int) -> int:
        return sum(values)

    assert anc.layer(first, [0, 1], values=3)(1, 2).argmax() == 2
    with pytest.raises(AncError, match=r"cell 0 is the length of 'values', .* 2, but here .* 3"):
        anc.layer(first, [0, 1], values=4)
    with pytest.raises(AncError, match=r"cell 0 is the length of 'values', .* 2, but here .* 9"):
        anc.layer(first, [1], values=4, fixed={0: 9})


def test_wrapping_around_may_be_meant():
    for function, settings in ((less, {"outside": "wrap"}), (wrapping, {})):
        assert anc.layer(function, values=10, **settings)(0, 1).argmax() == 19


def test_dropped_inputs_have_no_probability():
    rows = rows_of(2, 5), rows_of(3, 5)
    wanted = np.zeros(20)
    for a, b in itertools.product(range(5), repeat=2):
        if a >= b:
            wanted[a - b] += rows[0][a] * rows[1][b]
    for prune in (None, 100):
        layer = anc.layer(less, outside="drop", prune=prune)
        np.testing.assert_allclose(layer(*rows), wanted, atol=1e-6)
        found = layer.details(*rows)
        assert found.outside == pytest.approx(1 - wanted.sum(), abs=1e-6)
        assert found.missing == pytest.approx(0, abs=1e-6)
        np.testing.assert_allclose(found.cells[2], wanted, atol=1e-6)
    joint, values = anc.layer(steps, output="values", outside="drop").joint(np.stack(rows))
    assert (values[:, 0] + values[:, 1] <= 5).all()
    for (a, by), mass in zip(values, joint, strict=True):
        assert mass == pytest.approx(rows[0][a - 1] * rows[1][a - 1 + by], abs=1e-6)


def test_gradients_are_those_of_the_inputs_that_are_left():
    a, b = rows_of(2, 5), rows_of(3, 5)
    for settings in ({}, {"log": True}, {"prune": 100}):
        layer = anc.layer(less, outside="drop", **settings)
        given = np.log([a, b]) if "log" in settings else (a, b)

        def one(a, layer=layer, given=given):
            return layer(a, given[1])[1]

        slope = jax.grad(one)(given[0])
        wanted = np.array([0, *b[:-1]])  # a = b + 1
        if "log" in settings:
            wanted = wanted * a / (wanted * a).sum()
        np.testing.assert_allclose(slope, wanted, atol=1e-6)


def test_what_is_left_when_everything_is_dropped():
    layer = anc.layer(part, inputs=["a"], fixed={"b": 0}, outside="drop", output=2)
    with pytest.raises(AncError, match="no run of the program writes the output"):
        layer(rows_of(4, 5))
    layer = anc.layer(part, values=2, outside="drop")
    assert float(layer(1, 0).sum()) == 0
    assert float(layer.details(1, 0).outside) == 1


def test_without_room_for_the_checks_they_are_made_in_a_larger_memory():
    assert anc.layer(narrow, values=(3, 3))(*PAIR).sum() == pytest.approx(1, abs=1e-6)
    wanted = Counter(min(4 * a, 10) + b for a in range(3) for b in range(4))
    rows = PAIR[0], np.full(4, 1 / 4, np.float32)
    for prune in (None, 100):
        layer = anc.layer(narrow, outside="drop", prune=prune)
        found = [wanted[number] / 12 for number in range(11)]
        np.testing.assert_allclose(layer(*rows), found, atol=1e-6)
        assert layer.details(*rows).outside == pytest.approx(1 / 12, abs=1e-6)  # 11


def test_dropping_needs_python_and_an_exact_layer():
    with pytest.raises(AncError, match=r"outside='drop' .*wrap around on purpose"):
        anc.layer(ADD, [0, 1], 2, memory=20, outside="drop")
    with pytest.raises(AncError, match="wrap around on purpose"):
        anc.layer(wrapping, outside="drop")
    with pytest.raises(AncError, match="a soft layer cannot leave out inputs"):
        anc.layer(total, mode="soft", outside="drop")


def test_a_soft_layer_of_which_nobody_can_say_it(monkeypatch):
    monkeypatch.setattr("anc.layers.diagram.LIMIT", 50)
    with pytest.raises(
        AncError, match=r"(?s)does the program do what Python .*outside='wrap' skips this check"
    ):
        anc.layer(total, mode="soft", values=10, max_steps=10)
    anc.layer(total, mode="soft", values=10, max_steps=10, outside="wrap")


def test_a_layer_that_was_kept_names_the_tape():
    layer = pickle.loads(pickle.dumps(anc.layer(less)))
    assert layer(np.ones(1), np.ones(1))[0] == 1
    with pytest.raises(AncError, match=r"the tape 0 1 .* on which Python does something else"):
        layer(rows_of(2, 5), rows_of(3, 5))


def test_random_functions_have_the_distribution_of_pythons_results():
    """Nothing where Python raises, or the machine cannot follow; else exactly what Python returns."""
    compared = left_out = 0
    for seed in range(60):
        random = Random(f"outside/{seed}")
        function = function_of(random_function(random, 64))
        layout = function.layout
        if layout.tape is not None or layout.result is None:
            continue
        try:
            layer = anc.layer(function, output=layout.result, outside="drop", max_steps=3000)
            sizes = [3 if cell % 2 else 2 for cell in layer.spec.inputs]
            rows = [rows_of(seed + i, K) for i, K in enumerate(sizes)]
            plan = layer.spec.plan(tuple(sizes), layout.result)
        except AncError:
            continue
        cells = [Place(str(cell), (cell,)) for cell in layer.spec.inputs]
        found = np.asarray(execute(plan, Stack.of(cells, rows, 0.0, JAX))[0])
        wanted = np.zeros(64)
        for values in itertools.product(*map(range, sizes)):
            tape = list(layer.spec.fixed)
            mass = 1.0
            for cell, value, row in zip(layer.spec.inputs, values, rows, strict=True):
                tape[cell] = value
                mass *= row[value]
            checked = layer.spec.checked
            room = [0] * (checked.M - 64)
            if exact.run(checked.program, [*tape, *room], 3000).stop is not exact.Stop.STOPPED:
                continue
            outcome = function.in_python(*layout.arguments_of(tape))
            assert outcome.error is None
            if outcome.result < 64:
                wanted[int(outcome.result)] += mass
        np.testing.assert_allclose(found, wanted, atol=1e-5)
        compared += 1
        left_out += found.sum() < 0.999
    assert compared > 10 and 0 < left_out < compared
