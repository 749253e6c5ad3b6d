"""What an adaptation minimises: said in words, remembered by results, and begun from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import anc
from anc.adaptation.texts import report
from anc.data.costs import table_of
from anc.support.diagnostics import AncError

TEXT = "memory 8; var x = 0; x = READ(x); x = INC(x); x = DEC(x); WRITE(1, x); STOP()"
CASES = [[n] for n in range(8)]
WORK = {"evaluations": 30_000, "method": "specialise"}


def test_a_result_says_and_remembers_what_it_minimised(tmp_path: Path) -> None:
    first = anc.adapt(TEXT, CASES, cost="c", weights={"INC": 3}, **WORK)
    python, c = (dict(table_of(word).weights) for word in ("python", "c"))
    saved = c["READ"] + 3 + c["DEC"] + c["WRITE"] + c["STOP"]
    assert first.cost_generic == saved and first.cost_adapted == saved - 3 - c["DEC"]
    assert f"c cost {first.cost_adapted:.2f} ns instead of {saved:.2f}, 3.00 steps" in report(first)
    told = first.to_dict()
    digest = table_of("c").digest
    assert told["provenance"]["cost"] == {"table": "c", "unit": "ns", "digest": digest}
    (tmp_path / "r").mkdir()
    first.save(tmp_path / "r")
    again = anc.adapt(TEXT, CASES, start=tmp_path / "r", **WORK)
    assert again.cost == first.cost and again.cost_generic == saved
    other = anc.adapt(TEXT, CASES, start=tmp_path / "r", cost="python", **WORK)
    assert other.cost_generic == sum(python[op] for op in ("READ", "INC", "DEC", "WRITE", "STOP"))
    result = json.loads((tmp_path / "r" / "result.json").read_text())
    result["weights"]["INC"] = "much"
    (tmp_path / "r" / "result.json").write_text(json.dumps(result))
    with pytest.raises(AncError):
        anc.adapt(TEXT, CASES, start=tmp_path / "r", **WORK)


def test_functions_are_adapted_to_the_cost_of_python_and_listings_to_steps() -> None:
    @anc.function(memory=16)
    def clipped(a: int) -> int:
        return min(a, 9)

    assert anc.adapt(clipped, [(n % 5,) for n in range(40)], **WORK).cost.table == "python"
    assert "cost" not in anc.adapt(TEXT, CASES, **WORK).to_dict()["provenance"]
