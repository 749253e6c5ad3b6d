"""The pages about folders in a real browser."""

import re
from dataclasses import replace

import pytest
from browser.conftest import LAPTOP, PHONE
from pages.folders import (
    EXAMPLE,
    adapt_folder,
    table1_folder,
    training_folder,
    two_answers_folder,
)

import anc
from anc.adaptation import worth as deployed
from anc.machine.weights import harden
from anc.pages.page import report_page
from anc.pages.training import read_training

HOSTILE = "</script><script>hacked=1</script><img src=x onerror=hacked=1>"
END = "\ue010"  # the key


@pytest.fixture(scope="module")
def training(tmp_path_factory):
    folder = training_folder(tmp_path_factory.mktemp("runs") / "access")
    (folder / "report.html").write_text(report_page(folder))
    return folder


@pytest.fixture(scope="module")
def adapted(tmp_path_factory):
    folder = adapt_folder(tmp_path_factory.mktemp("adapted"), notes=[HOSTILE])
    (folder / "report.html").write_text(report_page(folder))
    return folder


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    folder = two_answers_folder(
        tmp_path_factory.mktemp("answers"),
        guard="3 lines",
        notes=["few"],
        provenance={"command": "anc adapt", "seed": 0},
    )
    (folder / "report.html").write_text(report_page(folder))
    return folder


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = table1_folder(tmp_path_factory.mktemp("table"))
    (folder / "report.html").write_text(report_page(folder))
    return folder


def test_the_training_page_shows_the_population(browser, training):
    browser.open(training / "report.html")
    run = read_training(training)
    assert f"of {run.S}" in browser.text(".summary-value")
    charts = browser.texts(".chart-box figcaption")
    assert any("share of cases right" in title for title in charts)
    assert len(browser.driver.find_elements("css selector", ".line-median")) > 4
    chart = browser.driver.find_elements("css selector", ".chart-grid:not(.wide) .chart")[0]
    browser.hover(chart)
    assert "median" in browser.text("#tooltip")
    assert re.search(r"member \d+", browser.text("#tooltip"))
    assert browser.driver.find_elements("css selector", "path.line-member")


def test_the_slider_over_checkpoints_shows_the_program_of_that_moment(browser, training):
    browser.open(training / "report.html")
    assert "bars: how many lines changed" in browser.text(".checkpoints .card-head")
    run = read_training(training)
    member = run.order[0]
    last = len(run.checkpoints)
    for moment in (0, 1, last):
        browser.slide(".checkpoint-controls input", moment)
        at = run.begin(member) if moment == 0 else run.at(moment - 1, member)
        program = harden(replace(at, lines=at.M))
        choices = browser.js(
            "return [...document.querySelectorAll('.checkpoint-lines .choice-line')].map((line) =>"
            "[...line.querySelectorAll('.token-name')].map((t) => t.textContent))"
        )
        assert len(choices) == at.M
        for shown, line in zip(choices, program.lines, strict=True):
            registers = [line.out, *line.operands]
            wanted = [f"R{registers[0] + 1}", line.op, *(f"R{r + 1}" for r in registers[1:])]
            assert len(shown) == len(wanted)
            assert all(s in (w, "–") for s, w in zip(shown, wanted, strict=True))
    iteration = int(run.checkpoints[-1].stem)
    assert browser.text(".checkpoint-controls b") == f"iteration {iteration}"


def test_the_page_of_an_old_result_tells_the_story_and_steps_through_both(browser, adapted):
    browser.open(adapted / "report.html", "#step=9,9")
    assert browser.texts(".summary-value")[:2] == ["13.88 steps", "9 steps"]
    assert browser.text(".answer .chip") == "proved"
    assert browser.texts(".conditions li") == ["tape[0] < 18", "tape[3] == tape[0] + 2"]
    assert browser.texts(".method-key") == [" annealing", " gradient descent"]
    adapted_program = anc.load(adapted / "adapted.anc")
    tape = [int(v) for v in browser.texts(".run:nth-child(2) .tape .tile-value")]
    assert tape == list(anc.run(adapted_program, EXAMPLE).tape)
    assert browser.js("return typeof hacked") == "undefined"
    assert HOSTILE in browser.text(".remarks")


def test_both_answers_are_told_side_by_side(browser, answers):
    browser.open(answers / "report.html")
    assert browser.texts(".summary-value")[:3] == ["13.88 steps", "6 steps", "3 steps"]
    proved, unproved = browser.texts(".answer")
    assert "held on 78 of 80 held-out cases: at least 92.3 % of such inputs" in proved
    assert browser.texts(".conditions .broken") == ["tape[tape[0] + 2] == 7"]
    assert browser.texts(".tile.marked .tile-address") == ["0", "5"]
    assert "0 wrong of 1000 held-out cases: at most 0.3 % of such inputs" in unproved
    assert "the generic program makes it 6" in unproved
    counterexample = browser.texts(".answer.unproved .tile-value")
    assert counterexample == ["3", "1", "2", "5", "6", "15 × 0"]
    listings = browser.texts(".program-text h3")
    assert listings == [
        "generic 10 lines, generic.anc",
        "proved 6 lines, adapted.anc",
        "unproved 3 lines, unproved.anc",
    ]


def test_cards_leave_no_hole_beside_them(browser, tmp_path):
    """Two of them and a wide one: as wide together as the page, also where three would fit."""
    sketch = "memory 16; var p = READ(0); p = ADD(p, ? in (1, 2)); WRITE(1, p); STOP()"
    tapes = [[n % 7] for n in range(60)]
    anc.fill(sketch, inputs=tapes, objective=lambda given, final: -final[1]).save(tmp_path)
    (tmp_path / "report.html").write_text(report_page(tmp_path))
    browser.open(tmp_path / "report.html", size=(1500, 900))
    rights = browser.js(
        "return [...document.querySelectorAll('.adapt-grid > *')].map((e) =>"
        " e.parentNode.getBoundingClientRect().right - e.getBoundingClientRect().right)"
    )
    assert len(rights) == 3
    assert min(rights[:2]) == rights[2] == 0


def test_cards_do_not_touch(browser, answers):
    browser.open(answers / "report.html")
    gaps = browser.js(
        "const boxes = [...document.querySelector('main').children].filter((e) => e.offsetHeight)"
        ".map((e) => e.getBoundingClientRect());"
        "return boxes.slice(1).map((box, i) => box.top - boxes[i].bottom);"
    )
    assert len(gaps) >= 4
    assert min(gaps) >= 10


def test_the_stepper_compares_those_that_are_chosen(browser, answers):
    browser.open(answers / "report.html", "#step=2")
    assert browser.texts(".run-title") == ["generic", "proved", "unproved"]
    shown = "return [...document.querySelectorAll('.run')].map((e) => e.offsetWidth > 0)"
    assert browser.js(shown) == [True, True, True]
    boxes = browser.driver.find_elements("css selector", ".chooser input")
    boxes[0].click()
    assert browser.js(shown) == [False, True, True]
    boxes[1].click()
    assert not boxes[2].is_enabled()
    boxes[0].click()
    assert browser.js(shown) == [True, False, True]
    for run, program in ((1, "generic"), (3, "unproved")):
        lines = [str(step.line) for step in _steps(answers / f"{program}.anc")]
        current = browser.text(f".run:nth-child({run}) .line.current .line-number")
        assert current == lines[1]


def test_the_stepper_shows_how_an_answer_goes_wrong(browser, answers):
    browser.open(answers / "report.html")
    browser.driver.find_elements("css selector", ".tape-choice input")[1].click()
    last = "return [...document.querySelectorAll('.run')].filter((e) => e.offsetWidth).map((e) =>"
    last += "e.querySelectorAll('.tape .tile-value')[2].textContent)"
    browser.wait(lambda: len(browser.js(last)) == 3)
    browser.js("document.activeElement.blur()")
    browser.press(END)
    assert browser.js(last) == ["6", "6", "0"]


def _steps(file):
    return anc.run(anc.load(file), EXAMPLE, trace=True).trace


def test_a_tape_of_many_cells_stays_short(browser, tmp_path):
    rejects = [3, 1, 2, *[0] * 252, 9]
    support = {"held": 9, "fresh": 9, "at_least": 0.7, "accepts": EXAMPLE, "rejects": rejects}
    two_answers_folder(tmp_path, memory=256, support=support)
    for name in ("adapted.anc", "unproved.anc"):
        text = (tmp_path / name).read_text()
        (tmp_path / name).write_text(text.replace("memory 20", "memory 256"))
    (tmp_path / "report.html").write_text(report_page(tmp_path))
    browser.open(tmp_path / "report.html", "", PHONE)
    assert not browser.scrolls_sideways()
    tiles = browser.texts(".named-tape:last-child .tile-value")
    assert tiles == ["3", "1", "2", "0", "0", "0", "249 × 0", "9"]
    visible = "return [...document.querySelectorAll('.tape .tile')].filter((e) => !e.hidden).length"
    assert browser.js(visible) == 3 * len(EXAMPLE)
    browser.js("document.querySelectorAll('.idle-cells input').forEach((box) => box.click())")
    assert browser.js(visible) == 3 * 256


def test_a_counter_example_is_shown(browser, tmp_path):
    proof = {"how": "SMT", "reason": None, "seconds": 0.1, "counterexample": [5, 4, 3, 2]}
    adapt_folder(tmp_path, verdict="refuted", proof=proof)
    (tmp_path / "report.html").write_text(report_page(tmp_path))
    browser.open(tmp_path / "report.html")
    assert browser.texts(".answer .tile-value") == ["5", "4", "3", "2"]
    assert browser.text(".answer .chip") == "refuted"


def test_the_table_page_shows_every_number(browser, table):
    browser.open(table / "report.html")
    rows = browser.texts(".numbers tbody tr")
    assert rows[0].startswith("access66344")
    assert rows[-1].startswith("sort3838––1830 %")
    bars = browser.driver.find_elements("css selector", ".chart .bar-best")
    assert len(bars) == 5
    browser.hover(bars[0])
    assert "learned, best: 3" in browser.text("#tooltip")


def test_the_table_page_shows_one_attempt_beside_the_paper(browser, table, tmp_path):
    browser.open(table / "report.html")
    head = browser.texts(".numbers thead th")
    assert head[6:10] == ["success rate", "95 % interval", "paper", "with restarts"]
    cells = browser.texts(".numbers tbody tr:first-child td")
    assert cells[5:10] == ["30 %", "22 % to 40 %", "37 %", "50 %", "40 % to 60 %"]
    assert "The paper's success rates are of one attempt" in browser.text(".table-note")
    for bars in (".bar-good", ".bar-again"):
        assert len(browser.driver.find_elements("css selector", f".chart {bars}")) == 6
    old = table1_folder(tmp_path, attempts=False)  # of a version that did not tell them apart
    (old / "report.html").write_text(report_page(old))
    browser.open(old / "report.html")
    cells = browser.texts(".numbers tbody tr:first-child td")
    assert cells[5:10] == ["–", "–", "37 %", "50 %", "40 % to 60 %"]
    assert not browser.driver.find_elements("css selector", ".chart .bar-good")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
@pytest.mark.parametrize("which", ["training", "adapted", "answers", "table"])
def test_screenshots_fit_the_screen(browser, request, which, size, scheme):
    page = request.getfixturevalue(which) / "report.html"
    browser.open(page, "", size, scheme)
    assert len(browser.screenshot(f"{which}-{size[0]}-{scheme}")) > 20_000
    assert not browser.scrolls_sideways()


@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_the_page_of_a_function_shows_python_before_any_listing(
    browser, tmp_path, monkeypatch, size
):
    @anc.function(memory=64)
    def price(distance: int, child: bool) -> int:
        paid = 10
        for _ in range(distance):
            paid += 4
        return paid - 6 if child else paid

    def seconds(function, calls):
        return len(calls) * (100e-9 if "original" in function.__name__ else 148e-9)

    monkeypatch.setattr(deployed, "_seconds", seconds)
    calls = [(n % 6 + 1, n % 4 == 0) for n in range(200)]
    anc.adapt(price, calls, evaluations=50_000, method="specialise").save(tmp_path)
    (tmp_path / "report.html").write_text(report_page(tmp_path))
    browser.open(tmp_path / "report.html", "", size)
    assert not browser.scrolls_sideways()
    assert browser.texts(".summary-value")[:2] == ["148 ns", "100%"]
    assert not browser.driver.find_elements("css selector", ".summary.good")
    assert browser.text(".in-python .worth") == (
        "1.48 times slower in Python 148 ns instead of 100 a call, with the check"
    )
    assert browser.texts(".in-python .chip") == ["adapted.py not written"]
    tops = browser.js(
        "return ['.python-text', '.answer', '.program-lines'].map((each) =>"
        " document.querySelector(each).getBoundingClientRect().top)"
    )
    assert tops == sorted(tops)
    assert "times cheaper" in browser.text(".answer") and "faster" not in browser.text(".answer")
    assert "tape[" not in browser.text(".conditions")
    assert browser.texts(".answer .call-row")
