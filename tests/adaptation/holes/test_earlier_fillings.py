"""A filling begins with that of an earlier result."""

from __future__ import annotations

import pytest

import anc
from anc.support.diagnostics import AncError
from anc.support.folders import METHOD

SKETCH = "memory 8; var x = READ(0); x = ?(x, ? in (1, 2)); WRITE(0, x); STOP()"
CASES = [{"input": [3], "output": [5]}, {"input": [7], "output": [1]}]


def test_an_earlier_filling_is_tried_first(tmp_path) -> None:
    first = anc.fill(SKETCH, CASES)
    first.save(tmp_path)
    for start in (first, tmp_path, str(tmp_path)):
        again = anc.fill(SKETCH, CASES, start=start)
        assert again.filling == first.filling and again.progress == [(0.0, 0)]
    aimed = anc.fill(
        SKETCH, inputs=[[3], [4], [5]], objective=lambda given, final: -final[0], start=tmp_path
    )
    aimed.save(tmp_path)
    aimed.save(tmp_path)  # in place of one of its kind
    assert aimed.progress[0][1] == pytest.approx(
        -6
    )  # the mean of what the earlier filling makes of them


def test_a_filling_of_another_sketch_is_refused(tmp_path) -> None:
    first = anc.fill(SKETCH, CASES)
    for other in (SKETCH.replace("WRITE(0", "WRITE(1"), SKETCH.replace("(1, 2)", "(1, 3)")):
        with pytest.raises(AncError, match=f"{METHOD} is about another sketch"):
            anc.fill(other, CASES, start=first)
    with pytest.raises(AncError, match="holds no result to start from"):
        anc.fill(SKETCH, CASES, start=tmp_path)
    (tmp_path / "result.json").write_text("[]")
    with pytest.raises(AncError, match=r"result.json is not a result of anc fill"):
        anc.fill(SKETCH, CASES, start=tmp_path)
