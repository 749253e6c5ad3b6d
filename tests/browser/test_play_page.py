"""The page of `anc play` in a real browser: a learner's way through it, and what a link may not do."""

import json
import re

import pytest
from browser.conftest import LAPTOP, PHONE

import anc
from anc.data import programs
from anc.machine import exact
from anc.pages.play import link, play_page

TAPE = (3, 2, 2, 9, 15, 0, 0, 0, 1, 15, 17, 7, 13, 0, 0, 11, 10, 0, 0, 0)
RIGHT, LEFT, END, HOME = "\ue014", "\ue012", "\ue010", "\ue011"
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    file = tmp_path_factory.mktemp("play") / "play.html"
    file.write_text(play_page())
    return file


def step(browser):
    return int(browser.js("return document.querySelector('.jump input').value"))


def tape(browser, machine="exact"):
    return [int(text) for text in browser.texts(f".play-machine.{machine} .tile-value")]


def fragment(browser):
    return browser.js("return location.hash")


def write(browser, text):
    """Type a listing into the editor."""
    script = (
        "const t = document.querySelector('.play-code textarea'); t.value = arguments[0];"
        "t.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    browser.js(script, text)


def type_cell(browser, cell, value):
    script = (
        "const i = document.querySelector(`[aria-label='Cell ${arguments[0]}']`);"
        "i.value = arguments[1]; i.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    browser.js(script, cell, str(value))


def click(browser, words, within=""):
    script = (
        "[...document.querySelectorAll(`${arguments[1]} button`)]"
        ".find((b) => b.textContent.startsWith(arguments[0])).click()"
    )
    browser.js(script, words, within)


def choose(browser, label, value):
    script = (
        "const s = document.querySelector(`[aria-label='${arguments[0]}']`); s.value = arguments[1];"
        "s.dispatchEvent(new Event('change', {bubbles: true}))"
    )
    browser.js(script, label, value)


def test_every_step_forward_and_back(browser, page):
    run = exact.run(anc.load("listk"), TAPE, 100, trace=True)
    browser.open(page)
    assert (step(browser), tape(browser)) == (0, list(TAPE))
    for number, each in enumerate(run.trace, start=1):
        browser.press(RIGHT)
        assert step(browser) == number
        assert tape(browser) == tape(browser, "soft") == list(each.tape)
        assert browser.text(".margin-line.current .line-number") == str(each.line)
        assert browser.text(".play-machine.exact .words b") == each.op
    browser.press(LEFT)
    assert step(browser) == run.steps - 1
    assert tape(browser) == list(run.trace[-2].tape)
    browser.press(HOME)
    assert step(browser) == 0
    chips = browser.texts(".play-machine.exact .chip")
    assert chips == ["13 steps", "10 lines", "stopped"]


def test_the_slider_blurs_the_program(browser, page):
    browser.open(page, "#program=listk&step=9")
    assert browser.texts(".play-machine.soft .chip")[-1] == "same result"
    browser.slide(".play-sharpness input", 3)
    browser.wait(lambda: "wrong" in browser.texts(".play-machine.soft .chip")[-1])
    assert browser.texts(".play-machine .differs")
    assert "differ in" in browser.text(".play-same")
    assert step(browser) == 9
    likely = [float(text) for text in browser.texts(".margin-line .line-p") if text]
    assert len(likely) > 3 and max(likely) < 0.9
    browser.wait(lambda: "sharpness=3" in fragment(browser))


def test_a_mistake_is_shown_where_it_is(browser, page):
    browser.open(page)
    write(browser, "var k = 1\nk = REED(k)\nSTOP()\n")
    browser.wait(lambda: browser.texts(".play-message"))
    assert "unknown instruction 'REED'" in browser.text(".play-message-text")
    assert "did you mean READ?" in browser.text(".play-message")
    assert browser.text(".play-message pre").splitlines()[1].endswith("^^^^")
    assert browser.text(".code-line .mistake") == "REED"
    assert browser.js("return document.querySelector('.play-run').classList.contains('stale')")
    browser.find(".play-message-text").click()
    selected = (
        "const t = document.activeElement; return t.value.slice(t.selectionStart, t.selectionEnd)"
    )
    assert browser.js(selected) == "REED"
    write(browser, "var k = 1\nk = READ(k)\nSTOP()\n")
    browser.wait(lambda: not browser.texts(".play-message.error"))
    assert browser.texts(".play-machine.exact .chip")[:2] == ["2 steps", "2 lines"]


def test_views_that_are_gone_are_forgotten(browser, page):
    browser.open(page)
    heard = browser.js("return themeListeners.length")
    for number in range(12):
        write(browser, f"memory 12\nvar x{number} = READ(0)\nWRITE(1, x{number})\nSTOP()\n")
        browser.wait(
            lambda number=number: f"x{number}" in " ".join(browser.texts(".register-name"))
        )
    assert browser.js("return themeListeners.length") == heard
    browser.find("#theme").click()
    assert tape(browser)[0] == TAPE[0]


def test_cells_are_edited(browser, page):
    browser.open(page, "#program=access")
    type_cell(browser, 0, 4)
    browser.press(END)
    assert tape(browser)[0] == anc.run("access", [4, *anc_tape("access")[1:]]).tape[0]
    type_cell(browser, 0, 10)  # too large for M = 10
    assert "from 0 to 9" in browser.text(".play-problem")
    assert tape(browser)[1] == anc_tape("access")[1]
    type_cell(browser, 0, 1)
    assert browser.text(".play-problem") == ""


def anc_tape(name):
    found = re.search(r"# run: ([\d ]+) ->", programs.source(name).text)
    return [int(word) for word in found[1].split()]


def test_memory_registers_and_steps_can_be_changed(browser, page):
    browser.open(page, "#program=access")
    for name, value in (("memory", 12), ("spare", 2), ("limit", 3)):
        set_number(browser, name, value)
    assert len(tape(browser)) == 12
    assert browser.text(".play-program .muted") == "5 lines, 5 registers"
    assert "did not stop" in browser.texts(".play-machine.exact .chip")
    browser.wait(
        lambda: {"memory=12", "spare=2", "limit=3"} <= set(re.split("[#&]", fragment(browser)))
    )


def test_pointers_are_arrows(browser, page):
    browser.open(page, "#program=listk&step=7")  # cell 0 holds 3: it is followed
    assert len(browser.texts(".arrow-line.now")) == 1
    browser.press(END)
    assert (
        len(browser.texts(".arrow-line")) == 2
    )  # to the first node, from it to the value of the second


def test_the_link_holds_it_all(browser, page):
    browser.open(page)
    write(browser, "# mine: ß €\nmemory 9\nvar x = READ(0)\nx = INC(x)\nWRITE(1, x)\nSTOP()\n")
    browser.wait(lambda: browser.texts(".play-machine.exact .chip")[:2] == ["4 steps", "4 lines"])
    type_cell(browser, 0, 5)
    browser.slide(".play-sharpness input", 6.5)
    browser.press(RIGHT, RIGHT)
    browser.wait(lambda: "step=2" in fragment(browser) and "sharpness=6.5" in fragment(browser))
    kept = fragment(browser)
    browser.open(page, kept)
    assert "# mine: ß €" in browser.js("return document.querySelector('textarea').value")
    assert (step(browser), tape(browser)[0]) == (2, 5)
    browser.wait(lambda: fragment(browser) == kept)  # the same state has the same link
    text = browser.js("return document.querySelector('textarea').value")
    browser.open(page, link(text=text, tape=[5], sharpness=6.5, step=2))  # as Python writes it
    assert (step(browser), tape(browser)[0]) == (2, 5)


@pytest.mark.parametrize(
    ("damaged", "words"),
    [
        ("#text=AAAA", "its program is damaged"),
        ("#text=%3Cimg%20src=x%20onerror=alert(1)%3E", "its program is damaged"),
        ("#program=nothing", "there is no program"),
        (f"#program={HOSTILE.replace('<', '%3C')}", "there is no program"),
        ("#tape=1,2,x", "its tape is not a list of numbers"),
        ("#sharpness=1e9", "its sharpness is not a number from 0 to 20"),
        ("#step=-1", "its step is not a number"),
        ("#tab=other", "there is no part of the page"),
        ("#" + "x" * 40000, "it is too long"),
        ("#other=1", "which this page does not know"),
        (link(text="x" * 50_000), "longer than 20000 characters"),
    ],
)
def test_a_bad_link_says_so(browser, page, damaged, words):
    browser.open(page, damaged)
    assert words in browser.text(".play-notice")
    assert tape(browser) == list(TAPE)
    assert browser.js("return document.querySelectorAll('main img, main script').length") == 0


def test_texts_are_never_html(browser, page):
    text = f"# {HOSTILE}\nvar x = READ(0)\n{HOSTILE}\nSTOP()\n"
    browser.open(page, link(text=text, tape=[1]))
    assert browser.texts(".play-message")
    assert HOSTILE in browser.text(".play-code pre")
    assert (
        browser.js("return document.querySelectorAll('main img, main script, main iframe').length")
        == 0
    )
    write(browser, f"# {HOSTILE}\nmemory 9\nvar x = READ(0)\nSTOP()\n# run: 3 -> 3\n")
    browser.wait(lambda: not browser.texts(".play-message.error"))
    for tab in ("train", "adapt", "puzzles", "run"):
        browser.find(f"[data-tab={tab}]").click()
    assert browser.js("return document.querySelectorAll('main img, main script').length") == 0


def test_all_programs_are_in_the_menu(browser, page):
    browser.open(page)
    names = browser.texts("[aria-label=Program] option")
    assert names == ["your own", *programs.names()]
    for name in programs.names():
        choose(browser, "Program", name)
        assert browser.texts(".play-message.error") == []
        assert browser.texts(".play-machine.exact .chip")[-1] == "stopped" or name == "dijkstra"
        assert browser.text(".play-summary")
        browser.wait(lambda name=name: f"program={name}" in fragment(browser))


def test_a_puzzle_is_solved_and_remembered(browser, page):
    browser.open(page, "#tab=puzzles")
    browser.js("localStorage.clear()")
    click(browser, "Twice", ".play-puzzle-list")
    click(browser, "Begin")
    write(browser, "memory 10\nvar x = READ(0)\nWRITE(1, x)\nSTOP()\n")
    browser.wait(lambda: not browser.texts(".play-message.error"))
    click(browser, "Check")
    assert "Right on" in browser.text(".play-verdict") and browser.texts(".play-verdict .marked")
    click(browser, "Step through it")
    write(browser, "memory 10\nvar x = READ(0)\nx = ADD(x, x)\nWRITE(1, x)\nSTOP()\n")
    browser.wait(lambda: browser.texts(".play-machine.exact .chip")[1] == "4 lines")
    click(browser, "Check")
    assert "Solved: right on all 24 hidden tapes." in browser.text(".play-verdict")
    assert "as good as the best known in lines" in browser.text(".play-verdict")
    assert browser.texts(".stars")[0] == "✓★★"
    browser.open(page, "#tab=puzzles")
    assert browser.texts(".stars")[0] == "✓★★"
    browser.js("localStorage.clear()")


def test_keys_belong_to_what_has_the_focus(browser, page):
    browser.open(page)
    browser.find(".play-code textarea").click()
    browser.press(RIGHT, " ")
    assert step(browser) == 0
    browser.js("document.querySelector(`[aria-label='Cell 3']`).focus()")
    browser.press(RIGHT)
    assert browser.js("return document.activeElement.getAttribute('aria-label')") == "Cell 4"
    assert step(browser) == 0
    browser.js("document.querySelector('[data-tab=run]').focus()")
    browser.press(RIGHT)
    assert browser.js("return document.activeElement.dataset.tab") == "train"


@pytest.mark.parametrize("size", [(1400, 900), (800, 1000), PHONE], ids=str)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits(browser, page, size, scheme):
    for tab in ("run", "train", "adapt", "puzzles"):
        browser.open(page, f"#tab={tab}&step=9&sharpness=5", size=size, scheme=scheme)
        assert not browser.scrolls_sideways()
        browser.screenshot(f"play-{tab}-{size[0]}-{scheme}")


def first_paint(browser, page):
    """Milliseconds until something is seen."""
    script = (
        "return performance.getEntriesByType('paint')"
        ".filter((e) => e.name === 'first-contentful-paint').map((e) => e.startTime)"
    )
    browser.open(page)
    browser.wait(lambda: browser.js(script))
    return browser.js(script)[0]


def test_it_is_small_quick_and_named(browser, page):
    assert page.stat().st_size < 400_000
    assert min(first_paint(browser, page) for _ in range(3)) < 1000
    unnamed = (
        "return [...document.querySelectorAll('button, input, select, textarea')].filter((e) =>"
        " !e.getAttribute('aria-label') && !e.textContent && !e.closest('label')).length"
    )
    assert browser.js(unnamed) == 0
    handlers = (
        "return [...document.querySelectorAll('*')].filter((e) =>"
        " [...e.attributes].some((a) => /^on/.test(a.name))).length"
    )
    assert browser.js(handlers) == 0


def test_without_a_server_the_command_is_shown(browser, page):
    browser.open(page, "#program=swap&tab=adapt", size=LAPTOP)
    assert browser.text(".play-shell") == "anc adapt swap --budget 20s -o result"
    write(browser, "memory 9\nvar x = READ(0)\nWRITE(1, x)\nSTOP()\n# run: 3 -> 3 3\n")
    browser.wait(lambda: "program.anc" in browser.text(".play-shell"))
    assert browser.texts(".play-adapt a") == ["program.anc", "tapes.jsonl"]
    tapes = browser.js("return document.querySelector('.play-tapes').value").split("\n")
    assert tapes[0] == "3"


def test_the_data_is_what_python_says(page):
    data = json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(), re.DOTALL)[1])
    for program in data["programs"]:
        assert program["tape"] == list(anc.load(program["name"]) and anc_tape(program["name"]))


def test_the_wide_instruction_set(browser, page):
    text = "instructions wide\nmemory 12\nvar x = READ(0)\nx = MUL(x, x)\nWRITE(1, x)\nSTOP()\n"
    browser.open(page, link(text=text, tape=[3], sharpness=12, step=4))
    assert browser.texts(".play-message") == []
    assert tape(browser)[:2] == tape(browser, "soft")[:2] == [3, 9]
    write(browser, text.replace("wide", "evil.py"))
    browser.wait(lambda: browser.texts(".play-message.error"))


def set_number(browser, name, value):
    script = (
        "const i = document.querySelector(`[data-name=${arguments[0]}]`); i.value = arguments[1];"
        "i.dispatchEvent(new Event('change'))"
    )
    browser.js(script, name, value)


def test_a_memory_that_is_too_small_is_refused(browser, page):
    browser.open(page)
    set_number(browser, "memory", 4)
    assert "more than its memory of 4 cells" in browser.text(".play-message.error")
    set_number(browser, "memory", 24)
    assert browser.texts(".play-message.error") == []
    assert len(tape(browser)) == 24


def test_large_runs_are_refused_softly_and_shown_exactly(browser, page):
    text = "memory 200\nvar p = 0\nvar x\nl: x = READ(p)\np = INC(p)\nJEZ(0, l)\n"
    browser.open(page, link(text=text, limit=1000))
    assert "too large for this page" in browser.text(".play-slow")
    assert browser.texts(".play-machine.soft") == []
    browser.press(END)
    assert step(browser) == 1000
    set_number(browser, "limit", 60)
    browser.wait(lambda: browser.texts(".play-machine.soft .chip"))
    assert step(browser) == 60
