"""Bad use of layers: a message that names the argument, and no silent wrong answer."""

import jax
import numpy as np
import pytest
from layers.subjects import ADD, count, rows_of

import anc

ROW = rows_of(0, 10)


def broken(value):
    row = ROW.copy()
    row[2] = value
    return row


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((2 * ROW, ROW), "input cell 0 does not hold probabilities: its row has the sum 2"),
        ((ROW, np.stack([ROW, 0 * ROW])), r"input cell 1 .*: row \[1\] has the sum 0"),
        ((broken(np.nan), ROW), "input cell 0 holds NaN or infinity"),
        ((ROW, broken(-0.5)), "input cell 1 holds a negative number"),
        ((ROW,), r"takes 2 inputs \(cell 0, cell 1\), found 1"),
        (
            (ROW, rows_of(1, 30)),
            r"input cell 1 has the shape \(30,\), expected \(..., K up to 20\)",
        ),
        ((ROW, np.float32(1)), r"input cell 1 has the shape \(\), expected"),
        ((ROW, 20), "input cell 1 holds 20, but its values go from 0 to 19"),
        ((ROW, True), "input cell 1 holds bool, expected probabilities or integers"),
        ((np.stack([ROW] * 2), np.stack([ROW] * 3)), "batches are incompatible"),
    ],
)
def test_what_a_layer_is_called_with(arguments, message):
    with pytest.raises(anc.AncError, match=message):
        anc.layer(ADD, [0, 1], 2, memory=20)(*arguments)


def test_logarithms_are_checked_as_such():
    layer = anc.layer(ADD, [0, 1], 2, memory=20, log=True)
    with pytest.raises(anc.AncError, match="cell 0 does not hold logarithms of probabilities"):
        layer(ROW, np.log(ROW))


def test_lists_need_their_axis():
    with pytest.raises(anc.AncError, match=r"'digits' has the shape \(10,\), expected \(..., 8, K"):
        anc.layer(count)(ROW)
    with pytest.raises(anc.AncError, match=r"'digits' has the shape \(3,\), expected \(..., 8\)"):
        anc.layer(count)(np.arange(3))
    with pytest.raises(anc.AncError, match=r"expected \(..., 8, 10\)"):
        anc.layer(count, values=10)(rows_of(2, 8, 9))


def test_rows_are_checked_inside_jit_if_wanted():
    layer = anc.layer(ADD, [0, 1], 2, memory=20, check=True)
    with pytest.raises(Exception, match="cell 1 holds NaN"):
        jax.block_until_ready(jax.jit(layer)(ROW, broken(np.nan)))
        jax.effects_barrier()
    anc.layer(ADD, [0, 1], 2, memory=20, check=False)(ROW, 2 * ROW)  # nobody looks


@pytest.mark.parametrize("settings", [{}, {"log": True}, {"prune": 50}])
def test_where_nobody_looks_nan_stays_nan(settings):
    layer = anc.layer(ADD, [0, 1], 2, memory=20, check=False, **settings)
    row = np.log(ROW) if settings.get("log") else ROW
    assert np.isnan(jax.jit(layer)(row, np.where(np.arange(10) == 2, np.nan, row))).any()
    assert np.isnan(jax.jit(layer)(row, 20)).any()  # no such value


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"inputs": [0, 0]}, "cell 0 is named twice"),
        ({"inputs": [0, 40]}, "'inputs' names cell 40, but the cells go from 0 to 19"),
        ({"inputs": []}, "'inputs' is empty"),
        ({"inputs": None}, "which cells are the inputs"),
        ({"inputs": ["left"]}, "'inputs' names 'left', which is neither"),
        ({"inputs": [0.5]}, "'inputs' names 0.5, which is not a cell"),
        ({"output": None}, "which cell is the output"),
        ({"output": 7}, r"(?s)never writes the output, cell 7.*cells \[2\]"),
        ({"output_values": 5, "values": 10}, "an output can become 18, but only 5"),
        ({"fixed": {0: 3}}, "cell 0 is an input and among 'fixed'"),
        ({"fixed": {5: 99}}, "'fixed' puts 99 into cell 5"),
        ({"mode": "hard"}, "mode is 'hard'"),
        ({"values": 50}, "values is 50"),
        ({"prune": 0}, "prune is 0, expected a whole number from 1"),
    ],
)
def test_how_a_layer_is_made(settings, message):
    settings = {"inputs": [0, 1], "output": 2, "memory": 20} | settings
    with pytest.raises(anc.AncError, match=message):
        anc.layer(ADD, **settings)


def test_a_cell_that_only_other_inputs_would_write():
    text = "var x = READ(0); WRITE(x, 3); STOP()"
    with pytest.raises(anc.AncError, match=r"(?s)no run .* the output, cell 5.*cells \[0, 1, 2\]"):
        anc.layer(text, [0], 5, memory=8, values=3)
    assert anc.layer(text, [0], 2, memory=8)(ROW[:3] / ROW[:3].sum()).shape == (8,)


def test_the_soft_machine_needs_a_number_of_steps(monkeypatch):
    monkeypatch.setattr("anc.layers.diagram.LIMIT", 100)
    with pytest.raises(anc.AncError, match=r"(?s)how many steps may the soft.*max_steps=100"):
        anc.layer(ADD, [0, 1], 2, "soft", memory=20)(*[rows_of(4, 12)] * 2)


def test_a_mistyped_argument_gets_a_suggestion():
    with pytest.raises(anc.AncError, match="did you mean 'digits'"):
        anc.layer(count, inputs=["digit"])


def test_inputs_on_which_the_program_does_not_stop_are_named():
    text = "var x = READ(0); x = SUB(x, 4); again: JEZ(x, again); WRITE(1, x); STOP()"
    with pytest.raises(anc.AncError, match="does not stop within 100 steps if cell 0 is 4"):
        anc.layer(text, [0], 1, memory=8, max_steps=100, values=8)
    anc.layer(text, [0], 1, memory=8, values=4)
    pruned = anc.layer(text, [0], 1, memory=8, max_steps=100, prune=8)
    with pytest.raises(Exception, match="does not stop within 100 steps if cell 0 is 4"):
        jax.block_until_ready(pruned(rows_of(3, 8)))


def test_pruned_outputs_beyond_the_values_asked_for():
    layer = anc.layer(ADD, [0, 1], 2, memory=20, prune=5, output_values=5)
    with pytest.raises(Exception, match="an output can become 9, but only 5"):
        jax.block_until_ready(layer(4, 5))


def test_a_diagram_that_grows_too_large_is_given_up(monkeypatch):
    monkeypatch.setattr("anc.layers.diagram.LIMIT", 100)
    with pytest.raises(anc.AncError, match=r"(?s)too many for an exact layer.*prune=1000"):
        anc.layer(ADD, [0, 1], 2, memory=20, values=12)


def test_exact_layers_take_no_weights():
    weights = anc.soften(anc.compile(ADD, memory=20))
    with pytest.raises(anc.AncError, match="takes no weights"):
        anc.layer(ADD, [0, 1], 2, memory=20)(ROW, ROW, weights=weights)
    with pytest.raises(anc.AncError, match="for a memory of 20 cells, the layer's has 12"):
        anc.layer(ADD, [0, 1], 2, "soft", memory=12)(ROW, ROW, weights=weights)
