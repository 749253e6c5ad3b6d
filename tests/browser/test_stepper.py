"""The stepper in a real browser shows what the machines did, and obeys keys, slider and address."""

import time

import pytest
from browser.conftest import LAPTOP, PHONE
from click.testing import CliRunner

import anc
from anc.commands.main import app
from anc.data.programs import source
from anc.machine import exact
from anc.machine.softrun import trace_soft
from anc.machine.weights import soften
from anc.pages.page import stepper_page
from anc.pages.recording import record_exact, record_soft

TAPE = (3, 2, 2, 9, 15, 0, 0, 0, 1, 15, 17, 7, 13, 0, 0, 11, 10, 0, 0, 0)
DIJKSTRA = (20, 6, 9, 12, 15, 0, 3, 5, 0, 1, 1, 0, 4, 6, 0, 2, 7, 0) + (0,) * 82
RIGHT, LEFT, HOME, END = "\ue014", "\ue012", "\ue011", "\ue010"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def listk(folder):
    recording = record_exact(anc.load("listk"), TAPE, title="listk", source=source("listk"))
    (folder / "listk.html").write_text(stepper_page([recording]))
    return folder / "listk.html"


def shown_step(browser):
    return int(browser.js("return document.querySelector('.jump input').value"))


def shown_tape(browser):
    return [int(text) for text in browser.texts(".tape .tile-value")]


def shown_registers(browser):
    script = (
        "return [...document.querySelectorAll('.register-value')]"
        ".map((e) => Number(e.firstChild.textContent))"
    )
    return browser.js(script)


def shown_line(browser):
    return int(browser.text(".line.current .line-number"))


def test_every_step_is_the_exact_machines(browser, listk):
    run = exact.run(anc.load("listk"), TAPE, 100, trace=True)
    browser.open(listk)
    assert (shown_step(browser), shown_tape(browser)) == (0, list(TAPE))
    for number, step in enumerate(run.trace, start=1):
        browser.press(RIGHT)
        assert shown_step(browser) == number
        assert shown_line(browser) == step.line
        assert shown_tape(browser) == list(step.tape)
        assert shown_registers(browser) == list(step.registers)
        assert browser.text(".words b") == step.op
    assert "The run stops" in browser.text(".words")
    browser.press(RIGHT)
    assert shown_step(browser) == run.steps


def test_what_changed_is_marked_and_said(browser, listk):
    browser.open(listk, "#step=12")
    assert browser.text(".changes") == "tape[2] 2 → 17"
    assert browser.texts(".tile.changed .tile-address") == ["2"]
    browser.press(LEFT)
    assert browser.texts(".register.changed .register-name") == ["p_current"]


def test_keys_slider_buttons_and_number(browser, listk):
    browser.open(listk)
    browser.press(END)
    assert shown_step(browser) == 13
    browser.press(HOME)
    assert shown_step(browser) == 0
    browser.slide(".timeline input", 7)
    assert shown_step(browser) == 7
    browser.find("[aria-label='One step back']").click()
    assert shown_step(browser) == 6
    number = browser.find(".jump input")
    number.click()  # selects what is there
    number.send_keys("11")
    assert browser.js("return document.querySelector('.timeline input').value") == "11"
    assert shown_line(browser) == 7


def test_the_slider_has_the_keys_when_it_has_the_focus(browser, listk):
    browser.open(listk)
    browser.js("document.querySelector('.timeline input').focus()")
    browser.press(RIGHT, RIGHT)
    assert shown_step(browser) == 2


def test_space_plays_and_pauses(browser, listk):
    browser.open(listk)
    speed = "const s = document.querySelector('.speed'); s.value = '30';"
    browser.js(speed + "s.dispatchEvent(new Event('change'))")
    browser.press(" ")
    browser.wait(lambda: shown_step(browser) == 13)
    assert browser.find(".buttons .primary").get_attribute("aria-label") == "Play the run"
    browser.press(HOME, " ", " ")
    stopped_at = shown_step(browser)
    time.sleep(0.15)
    assert shown_step(browser) == stopped_at < 13


def test_the_step_is_in_the_address(browser, listk):
    browser.open(listk, "#step=9")
    assert (shown_step(browser), shown_line(browser)) == (9, 4)
    browser.press(RIGHT)
    browser.wait(lambda: browser.js("return location.hash") == "#step=10")
    browser.js("location.hash = '#step=3'")
    browser.wait(lambda: shown_step(browser) == 3)
    browser.open(listk, "#step=999")
    assert shown_step(browser) == 13


def test_hover_focus_and_tap_show_exact_values(browser, folder):
    weights = soften(anc.load("listk"), 20, 5.0)
    recording = record_soft(weights, TAPE, title="listk", program=anc.load("listk"))
    (folder / "values.html").write_text(stepper_page([recording]))
    browser.open(folder / "values.html", "#step=9")
    p = float(trace_soft(weights, TAPE, 100).steps[8].memory[2].max())
    browser.hover(browser.driver.find_elements("css selector", ".tile")[2])
    assert "tape[2]" in browser.text("#tooltip")
    assert f"{p:.4f}" in browser.text("#tooltip")
    browser.press("\ue00c")  # Escape
    assert not browser.find("#tooltip").is_displayed()
    browser.js("document.querySelector('.speed').focus()")
    for _ in range(60):  # Tab until the tape is reached; then the arrows walk over its cells
        browser.press("\ue004")
        if browser.js("return document.activeElement.classList.contains('tile')"):
            break
    browser.press(RIGHT)
    assert "tape[1]" in browser.text("#tooltip")
    assert shown_step(browser) == 9


def test_every_step_of_a_soft_run_is_the_soft_machines(browser, folder):
    weights = soften(anc.load("listk"), 20, 4.0)
    recording = record_soft(weights, TAPE, 60, title="listk", program=anc.load("listk"))
    (folder / "soft.html").write_text(stepper_page([recording]))
    browser.open(folder / "soft.html")
    steps = trace_soft(weights, TAPE, 60).steps
    for number, step in enumerate(steps, start=1):
        browser.press(RIGHT)
        if number % 3:
            continue
        assert shown_line(browser) == int(step.line.argmax())
        assert shown_tape(browser) == step.memory.argmax(-1).tolist()
        assert float(browser.text(".chart-labels b")) == pytest.approx(step.stop, abs=6e-5)


def stepped(tmp_path, *options):
    page = tmp_path / "run.html"
    words = ["listk", "--tape", "3 3 2 5 4 7 5 9 6 0 7", "--html", str(page), *options]
    return page, CliRunner().invoke(app, ["trace", *words]).output


def test_a_soft_result_that_is_wrong_has_a_red_badge(browser, tmp_path):
    page, said = stepped(tmp_path, "--machine", "soft", "--sharpness", "4")
    assert "stopped after 28 steps, with another result than the exact machine" in said
    browser.open(page)
    assert browser.texts("#facts .chip")[:3] == ["soft machine", "sharpness 4", "28 steps, stopped"]
    assert browser.texts("#facts .chip.wrong") == ["wrong result: tape[2] is 2, exactly 6"]
    assert browser.texts("#facts .chip.good") == []
    page, said = stepped(tmp_path, "--machine", "soft")
    assert "another result" not in said
    browser.open(page)
    assert "sharpness 20" in browser.texts("#facts .chip")
    assert browser.texts("#facts .chip.good")[1:] == ["same result as the exact run of 17 steps"]
    assert browser.texts("#facts .chip.wrong") == []


def test_the_page_says_what_the_program_does_and_what_marks_mean(browser, tmp_path):
    what = "listk: fetch the k-th element of a linked list, counted from 1"
    page, _ = stepped(tmp_path)
    browser.open(page)
    assert browser.texts(".run-summary") == [what]
    assert "changed by this step" in browser.text(".stepper-legend")
    assert "probability" not in browser.text(".stepper-legend")  # of an exact run all are 1
    page, _ = stepped(tmp_path, "--compare", "listsearch", "--machine", "soft")
    browser.open(page)
    assert browser.texts(".run-head .run-summary")[0] == what
    assert "probability from 0 to 1" in browser.text(".stepper-legend")


def test_two_runs_have_their_own_clocks(browser, folder):
    page = folder / "two.html"
    tape = " ".join(map(str, TAPE))
    options = ["listk", "--tape", tape, "--html", str(page), "--compare", "swap"]
    done = CliRunner().invoke(app, ["trace", *options])
    assert "listk stopped after 13 steps" in done.output, done.output
    browser.open(page)
    numbers = "return [...document.querySelectorAll('.jump input')].map((e) => Number(e.value))"
    browser.press(RIGHT, RIGHT)
    assert browser.js(numbers) == [2, 2]
    browser.js(
        "document.querySelectorAll('.run')[1].querySelector('[title^=\"One step f\"]').click()"
    )
    assert browser.js(numbers) == [2, 3]
    browser.wait(lambda: browser.js("return location.hash") == "#step=2,3")
    browser.press(END)
    assert browser.js(numbers) == [13, exact.run(anc.load("swap"), TAPE, 1_000).steps]
    browser.open(page, "#step=4,1")
    assert browser.js(numbers) == [4, 1]


def test_names_from_outside_are_shown_and_not_run(browser, folder):
    hostile = "<img src=x onerror=hacked=1><script>hacked=1<"
    program = folder / f"{hostile}.json"
    listk = anc.load("listk")
    names = tuple(f"</script><script>hacked={i}</script>" for i in range(listk.R))
    text = anc.Program(listk.lines, listk.registers, 0, names, 20).to_json()
    program.write_text(text)
    page = folder / "hostile.html"
    tape = " ".join(map(str, TAPE))
    done = CliRunner().invoke(app, ["trace", str(program), "--tape", tape, "--html", str(page)])
    assert done.exit_code == 0, done.output
    browser.open(page, "#step=5")
    assert browser.js("return typeof hacked") == "undefined"
    assert hostile in browser.text("h1")
    assert names[0] in browser.texts(".register-name")
    assert hostile in browser.driver.title


def test_the_colours_can_be_changed_and_are_remembered(browser, listk):
    browser.open(listk, scheme="dark")
    colour = "return getComputedStyle(document.body).backgroundColor"
    dark = browser.js(colour)
    browser.find("#theme").click()
    light = browser.js(colour)
    assert dark != light
    time.sleep(0.5)  # a page that is left within milliseconds may lose what it just stored

    def is_remembered():
        browser.open(listk, scheme="dark")
        return browser.js(colour) == light

    browser.wait(is_remembered)
    browser.js("localStorage.clear()")


def test_a_large_run_opens_fast(browser, folder):
    dijkstra = anc.load("dijkstra")
    weights = soften(dijkstra, 100, 12.0)
    recording = record_soft(weights, DIJKSTRA, 500, "dijkstra", dijkstra, source("dijkstra"))
    page = folder / "dijkstra.html"
    page.write_text(stepper_page([recording]))
    assert page.stat().st_size < 5_000_000
    browser.open(page)
    assert browser.js("return performance.now()") < 2_000 + 1_000  # and a busy machine's second
    browser.press(END)
    assert shown_tape(browser)[20:28] == list(anc.run(dijkstra, DIJKSTRA).tape[20:28])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_screenshots_fit_the_screen(browser, listk, size, scheme):
    browser.open(listk, "#step=12", size, scheme)
    picture = browser.screenshot(f"stepper-{size[0]}-{scheme}")
    assert len(picture) > 20_000
    assert not browser.scrolls_sideways()
