"""The benchmark of many seeds: rates, a grid of settings as a picture, and going on where it was."""

import json
import signal
import sys

import pytest
import ten_thousand
from matplotlib.patches import Rectangle

from anc.training.settings import load_settings


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(ten_thousand, "SHARPNESS", (2.0, 3.0))
    monkeypatch.setattr(ten_thousand, "RATES", (1.0,))
    monkeypatch.setattr(ten_thousand, "CLIPS", (0.0, 1.0))
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def test_what_is_trained_is_kept(small, tmp_path, monkeypatch, capsys):
    words = [
        "--seeds",
        "3",
        "--grid-seeds",
        "2",
        "--tasks",
        "access",
        "--iterations",
        "2",
        "--engine",
        "fused",
        "-o",
    ]
    monkeypatch.setattr(sys, "argv", ["ten_thousand.py", *words, str(tmp_path)])
    ten_thousand.main()
    assert "| access | 3 | 0.00% | 0.00% to 56.15% | - | - |" in capsys.readouterr().out
    found = json.loads((tmp_path / "rates.json").read_text())
    assert [row["seeds"] for row in found["grid"]] == [2, 2, 2, 2]
    assert (tmp_path / "grid.png").stat().st_size > 1000
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "chunks").iterdir()}
    assert len(files) >= 5
    ten_thousand.main()
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "chunks").iterdir()} == files


def test_where_the_grid_began_is_framed(small):
    rates = [
        ten_thousand.Rate("access", sharpness, 1.0, clip, 1, 2)
        for sharpness in ten_thousand.SHARPNESS
        for clip in ten_thousand.CLIPS
    ]
    begun = {"access": load_settings("access", "published")}  # sharpness 2, rate 1, not clipped
    squares = ten_thousand.picture(rates, ["access"], begun).axes[:2]
    frames = [[p for p in axis.patches if isinstance(p, Rectangle)] for axis in squares]
    assert [len(each) for each in frames] == [1, 0]
    assert frames[0][0].get_xy() == (-0.5, -0.5)
