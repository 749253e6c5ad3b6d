import json

import numpy as np
import pytest
from generated import programs
from hypothesis import given, settings
from safetensors.numpy import save_file

import anc
import anc.isa
from anc.machine.files import load_weights, save_weights
from anc.support.diagnostics import AncError


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "w.safetensors"
    save_weights(anc.soften(anc.load("swap")), path)
    return path


@settings(max_examples=25)
@given(program=programs())
def test_round_trip(tmp_path_factory, program):
    path = tmp_path_factory.mktemp("w") / "w.safetensors"
    weights = anc.soften(program, sharpness=3, seed=7)
    save_weights(weights, path)
    again = load_weights(path)
    assert again.lines == weights.lines
    for name, array in weights.arrays().items():
        assert np.array_equal(array, again.arrays()[name])


def test_truncated(saved):
    data = saved.read_bytes()
    for size in (0, 5, 100, len(data) - 1):
        saved.write_bytes(data[:size])
        with pytest.raises(AncError, match="not a complete safetensors file"):
            load_weights(saved)


def test_foreign(tmp_path):
    path = tmp_path / "x.safetensors"
    save_file({"a": np.zeros(3, np.float32)}, path)
    with pytest.raises(AncError, match="not written by anc"):
        load_weights(path)


def test_a_missing_file_and_a_directory(tmp_path):
    with pytest.raises(AncError, match="no such file"):
        load_weights(tmp_path / "no.safetensors")
    with pytest.raises(AncError, match="is a directory"):
        load_weights(tmp_path)


def rewrite(path, arrays=None, **changes):
    weights = load_weights(path)
    arrays = weights.arrays() if arrays is None else arrays
    names = list(weights.names)
    about = {"version": 1, "M": 10, "R": 5, "lines": 9, "names": names}
    about |= {"instructions": list(anc.isa.PAPER.names)} | changes
    about = {key: value for key, value in about.items() if value != "missing"}
    save_file(arrays, path, {"format": "anc-weights", "about": json.dumps(about)})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": 9}, "version 9"),
        ({"M": 12}, "says M = 12"),
        ({"R": "x"}, "R missing or malformed"),
        ({"lines": 99}, "99 program lines"),
        ({"lines": "missing"}, "lines missing"),
        ({"instructions": ["HALT"]}, "another set of instructions"),
        ({"names": ["a"]}, "1 names for 5"),
    ],
)
def test_wrong_descriptions(saved, changes, words):
    rewrite(saved, **changes)
    with pytest.raises(AncError) as caught:
        load_weights(saved)
    assert words in str(caught.value)
    assert str(saved) in str(caught.value)


def test_wrong_arrays(saved):
    arrays = load_weights(saved).arrays()
    rewrite(saved, {k: v for k, v in arrays.items() if k != "op"})
    with pytest.raises(AncError, match="lacks the weights op"):
        load_weights(saved)
    rewrite_with = arrays | {"op": arrays["op"].astype(np.int32)}
    save_weights(anc.soften(anc.load("swap")), saved)
    rewrite(saved, rewrite_with)
    with pytest.raises(AncError, match="int32"):
        load_weights(saved)


def test_an_unwritable_place(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(AncError, match="cannot write"):
        save_weights(anc.soften(anc.load("swap")), tmp_path / "file" / "w.safetensors")
