"""The benchmark of proofs: two of its claims, and the table that it prints."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def test_two_claims_and_a_comparison(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    proofs = importlib.import_module("proofs")
    table = str(tmp_path / "table.json")
    words = ["proofs.py", "--only", "count key 4,one longer", "-o", table]
    for more in ([], ["--against", table]):
        monkeypatch.setattr(sys, "argv", [*words, *more])
        proofs.main()
    assert "before: 2 of 2 decided" in capsys.readouterr().out
    rows = json.loads(Path(table).read_text())["rows"]
    assert [row["verdict"] for row in rows] == ["proved", "refuted"]
    monkeypatch.setattr(proofs, "measure", lambda entry, seconds: rows[0] | {"expected": "refuted"})
    with pytest.raises(SystemExit, match="WRONG VERDICTS"):
        proofs.main()
