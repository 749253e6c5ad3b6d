"""Pages and displays of an adapted function: Python first, nanoseconds before steps, facts on arguments."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from command_line import anc as run

import anc
from anc.adaptation import worth as deployed
from anc.pages.adaptation import adapt_page, read_adaptation
from anc.pages.notebook import html_of


@anc.function(memory=64)
def price(distance: int, child: bool) -> int:
    paid = 10
    for _ in range(distance):
        paid += 4
    return paid - 6 if child else paid


CALLS = [(n % 6 + 1, n % 4 == 0) for n in range(200)]


@pytest.fixture
def clocked(monkeypatch):
    """Guarded calls take half as long again."""

    def seconds(function, calls):
        return len(calls) * (100e-9 if "original" in function.__name__ else 148e-9)

    monkeypatch.setattr(deployed, "_seconds", seconds)


@pytest.fixture
def folder(clocked, tmp_path) -> Path:
    result = anc.adapt(price, CALLS, evaluations=50_000, method="specialise")
    assert result.improved and result.verdict.proved
    result.save(tmp_path)
    return tmp_path


def data_of(folder: Path) -> dict:
    page = adapt_page(read_adaptation(folder))
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])


def test_the_page_says_what_the_terminal_says(folder):
    data = data_of(folder)
    told = data["python"]
    assert (told["kind"], told["words"]) == ("bad", "1.48 times slower in Python")
    assert told["rows"][0] == ["accepted: 40 of 40 calls seen", "100 ns", "148 ns"]
    assert told["rows"][2][1:] == ["100 ns", "148 ns"]
    assert told["file"] == "adapted.py not written" and "--write-anyway" in told["why"]
    assert "def price(" in told["text"] and "def price_original(" in told["text"]
    assert "def price(" in told["adapted"] and told["original"].startswith("def price_original(")
    assert any("distance" in words for words in told["conditions"]) and "proved" in told["verdict"]
    assert "1.48 times slower in Python" in adapt_page(read_adaptation(folder)).split("<main")[0]


def test_facts_speak_of_arguments(folder):
    file = folder / "result.json"
    told = json.loads(file.read_text())
    told["precondition"].append("tape[2] == 0")  # the result's cell, of which no caller knows
    told["support"]["rejects"] = [9, *[0] * 63]
    file.write_text(json.dumps(told))
    [answer] = data_of(folder)["answers"]
    assert answer["precondition"] and not any("tape" in text for text in answer["precondition"])
    broken = [answer["precondition"][number] for number in answer["support"]["broken"]]
    assert any("distance" in text for text in broken)
    html = html_of(read_adaptation(folder))
    assert "tape[" not in html and "distance" in html
    assert re.search(r"price\(\d, (True|False)\)", html)  # the call that is accepted


def test_a_display_shows_python_before_any_listing(folder):
    html = html_of(read_adaptation(folder))
    order = [html.index(words) for words in ("1.48 times slower", "def price(", "JEZ(")]
    assert order == sorted(order)


def test_a_folder_from_before_there_were_nanoseconds_is_read(folder, tmp_path):
    file = folder / "result.json"
    told = json.loads(file.read_text())
    for name in ("python", "worth"):
        del told["function"][name]
    file.write_text(json.dumps(told))
    assert data_of(folder)["python"] is None
    assert "1.48" not in html_of(read_adaptation(folder))
    assert run("report", folder).returncode == 0
    assert run("verify", folder).stdout.startswith("proved")
    again = anc.adapt(price, CALLS, evaluations=1_000, method="specialise", start=folder)
    assert again.improved


def test_a_damaged_worth_is_named(folder):
    file = folder / "result.json"
    told = json.loads(file.read_text())
    good = told["function"]["worth"]
    none = good["accepted"] | {"guarded_nanoseconds": 0}
    for bad in (3, {}, good | {"accepts": 41}, good | {"calls": 0}, good | {"accepted": none}):
        told["function"]["worth"] = bad
        file.write_text(json.dumps(told))
        with pytest.raises(anc.AncError, match=r"function\.worth|of \d+ calls"):
            read_adaptation(folder)
