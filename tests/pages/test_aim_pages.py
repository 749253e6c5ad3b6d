"""Pages of programs for an objective and of filled sketches; what adaptation's page says of its making."""

from __future__ import annotations

import json
import re

import pytest
from command_line import anc as run
from pages.folders import two_answers_folder

import anc
from anc.pages.page import folder_figures, report_page
from anc.support.diagnostics import AncError

SKETCH = "memory 8; var x = READ(0); x = ?(x, ? in (1, 2)); WRITE(0, x); STOP()"
COPY = "memory 8; var x = READ(0); WRITE(1, x); STOP()"


def data_of(page: str) -> dict:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


@pytest.fixture(scope="module")
def improved():
    inputs = [[n % 4] for n in range(50)]
    settings = {"proposals": 300, "method": "search"}
    return anc.adapt(COPY, inputs=inputs, objective=lambda given, final: final[1], **settings)


def test_the_page_of_an_objective_compares_and_shows_when(tmp_path, improved) -> None:
    improved.save(tmp_path)
    data = data_of(report_page(tmp_path))
    assert [row[0] for row in data["comparison"]["rows"]] == [
        "mean score",
        "mean steps",
        "not valid",
    ]
    assert data["comparison"]["rows"][0][2] == "0.000"
    assert [name for name, _, _ in data["texts"]] == ["generic", "adapted"]
    assert len(data["progress"]) == len(improved.history) > 0
    assert ["seed", "0"] in data["made"]
    assert list(folder_figures(tmp_path)) == ["progress"]


def test_a_sketch_filled_in_no_time_has_a_figure(tmp_path, recwarn) -> None:
    anc.fill(SKETCH, [{"input": [3], "output": [5]}, {"input": [7], "output": [1]}]).save(tmp_path)
    result = json.loads((tmp_path / "result.json").read_text())
    history = [row | {"seconds": 0.0} for row in result["history"]]
    (tmp_path / "result.json").write_text(json.dumps(result | {"seconds": 0.0, "history": history}))
    folder_figures(tmp_path)["progress"]()
    assert not [each for each in recwarn if "xlim" in str(each.message)]


def test_the_page_of_a_filled_sketch_lists_its_holes(tmp_path) -> None:
    anc.fill(SKETCH, [{"input": [3], "output": [5]}, {"input": [7], "output": [1]}]).save(tmp_path)
    data = data_of(report_page(tmp_path))
    assert [hole["filled"] for hole in data["holes"]] == ["ADD", "2"]
    assert data["comparison"] is None and "x = ADD(x, 2)" in data["texts"][0][2]
    assert data["progress"][-1][1] == 0


def test_the_page_of_a_sketch_filled_for_an_objective_compares_too(tmp_path) -> None:
    inputs = [[3], [4], [5]]
    anc.fill(SKETCH, inputs=inputs, objective=lambda given, final: final[0]).save(tmp_path)
    data = data_of(report_page(tmp_path))
    assert data["comparison"]["head"] == ["", "first choices", "filled"] and data["holes"]
    assert run("report", tmp_path).stdout.endswith("(about a filled sketch)\n")


@pytest.mark.parametrize("changes", [{"comparison": 3}, {"history": [1]}, {"tried": "many"}])
def test_damaged_results_are_named(tmp_path, improved, changes) -> None:
    improved.save(tmp_path)
    result = json.loads((tmp_path / "result.json").read_text())
    (tmp_path / "result.json").write_text(json.dumps(result | changes))
    with pytest.raises(AncError, match=r"result.json is not a result of anc adapt --objective"):
        report_page(tmp_path)


def test_what_was_dropped_and_how_it_was_made_is_on_the_page(tmp_path) -> None:
    dropped = {
        "method": "plans", "seconds": 0.5, "steps": 4.0, "cost": 4.0, "lines": 4, "why": "refuted",
        "reason": "cell 2 is 0", "counterexample": [3, 1, *[0] * 18], "program": "STOP()\n",
    }  # fmt: skip
    two_answers_folder(
        tmp_path, dropped=[dropped], provenance={"command": "anc adapt x", "seed": 3}
    )
    data = data_of(report_page(tmp_path))
    assert data["dropped"][0]["fails_on"] == "3 1 (18 times 0)"
    assert data["made"] == [["command", "anc adapt x"], ["seed", "3"]]
    two_answers_folder(tmp_path, dropped=[{"why": "refuted"}])
    with pytest.raises(
        AncError, match=r"is not a result of anc adapt: it lacks 'dropped.0..method'"
    ):
        report_page(tmp_path)


def test_the_page_speaks_of_the_cost_where_weights_were_given(tmp_path) -> None:
    costs = {"weights": {"READ": 2.0}, "cost_generic": 20.5, "cost_adapted": 8.0}
    found = [{"method": "plans", "seconds": 1.0, "steps": 6.0, "cost": 8.0}]
    two_answers_folder(tmp_path, **costs, found=found)
    page = report_page(tmp_path)
    data = data_of(page)
    assert (data["unit"], data["generic_cost"]) == ("cost", 20.5)
    assert data["answers"][0]["cost"] == 8.0 and data["answers"][0]["steps"] == 6
    assert data["methods"] == [{"name": "plans", "found": [[1.0, 8.0]]}]
    assert "generic 20.5, proved 8" in page
