"""Plans on disk: another process does not grow them again, and no file can do harm."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from layers.subjects import ADD, count, rows_of

import anc
from anc.layers import spec, stored
from anc.layers.stored import _packed, _unpacked


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A folder of its own, in which every plan is kept."""
    monkeypatch.setattr(stored, "code_folder", lambda: tmp_path)
    monkeypatch.setattr(stored, "WORTH", -1.0)
    return tmp_path / "plans"


@pytest.fixture
def grown(monkeypatch):
    """How often a diagram was grown."""
    calls = []

    def grow(*arguments, **more):
        calls.append(arguments)
        return original(*arguments, **more)

    original = spec.grow
    monkeypatch.setattr(spec, "grow", grow)
    return calls


def made(**more):
    return anc.layer(count, values=6, **more)


def test_a_plan_is_grown_once(kept, grown):
    rows = rows_of(0, 8, 6)
    first = made()
    values, likelihood = first(rows), first.log_likelihood(rows, observed=3)
    details, joint = first.details(rows), first.joint(rows)[1]
    times = len(grown)
    assert times == 2 and len(list(kept.glob("*.npz"))) == 3
    again = made()
    np.testing.assert_array_equal(again(rows), values)
    np.testing.assert_array_equal(again.log_likelihood(rows, observed=3), likelihood)
    np.testing.assert_array_equal(again.details(rows).steps, details.steps)
    np.testing.assert_array_equal(again.joint(rows)[1], joint)
    assert len(grown) == times


def test_other_programs_sizes_and_versions_are_grown(kept, grown, monkeypatch):
    made()
    for other in ({"outside": "wrap"}, {"output_values": 12}, {"max_steps": 500}):
        before = len(grown)
        made(**other)
        assert len(grown) == before + 1
    before = len(grown)
    anc.layer(count, values=5)
    anc.layer(ADD, [0, 1], 2, memory=20, values=6)
    monkeypatch.setattr(stored, "_sources", lambda: "another version")
    made()
    assert len(grown) == before + 3


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 no zip", None, "half", "other"])
def test_damaged_files_are_written_again(kept, grown, damage):
    made()
    (path,) = kept.glob("*.npz")
    whole = path.read_bytes()
    if damage is None:
        np.savez(path, np.array([{"key": 1}], dtype=object))  # which only pickle can read
    elif damage == "other":
        np.savez(path, np.frombuffer(b'{"key": "", "plan": {}}', np.uint8))
    else:
        path.write_bytes(whole[: len(whole) // 2] if damage == "half" else damage)
    before, rows = len(grown), rows_of(0, 8, 6)
    np.testing.assert_allclose(made()(rows).sum(), 1, rtol=1e-5)
    assert len(grown) == before + 1 and path.read_bytes() == whole


def test_a_flipped_bit_is_noticed(kept, grown):
    made()
    (path,) = kept.glob("*.npz")
    whole, random = path.read_bytes(), np.random.default_rng(0)
    wanted = np.asarray(made()(rows_of(0, 8, 6)))
    for _ in range(40):
        damaged = bytearray(whole)
        damaged[random.integers(len(whole))] ^= 1 << random.integers(8)
        path.write_bytes(damaged)
        np.testing.assert_array_equal(made()(rows_of(0, 8, 6)), wanted)


def test_several_writers_at_once(kept):
    layers = []
    threads = [threading.Thread(target=lambda: layers.append(made())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(layers) == 8 and [path.suffix for path in kept.iterdir()] == [".npz"]


def test_a_folder_that_cannot_be_written(kept, grown, monkeypatch):
    monkeypatch.setattr(stored, "code_folder", lambda: None)
    made()
    kept.parent.joinpath("plans").write_text("a file")
    monkeypatch.setattr(stored, "code_folder", lambda: kept.parent)
    made()
    assert len(grown) == 2


def test_every_part_of_a_plan_is_kept():
    layer = made(log=True)
    for plan in (layer.spec.likelihood((6,) * 8), layer.spec.ending((6,) * 8)):
        arrays = []
        packed = _packed(plan, arrays)
        again, more = _unpacked(packed, arrays.__getitem__), []
        assert _packed(again, more) == packed
        for one, other in zip(arrays, more, strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_second_process_reads_it(tmp_path):
    code = (
        "import anc, sys\nfrom anc.layers import spec, stored\nstored.WORTH = -1\n"
        f"l = anc.layer({ADD!r}, [0, 1], 2, memory=20, values=6)\n"
        "print(len(l.spec._diagrams), l.spec.plan((6, 6), 2).states)"
    )
    environment = os.environ | {"ANC_CACHE_DIR": str(tmp_path), "JAX_PLATFORMS": "cpu"}
    found = [
        subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True
        )
        for _ in range(2)
    ]
    assert [each.stdout.strip() for each in found] == ["1 (1, 6, 20)", "0 (1, 6, 20)"]
