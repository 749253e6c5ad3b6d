"""The stepper of a large memory: a step draws only what it changed, so that moving stays quick."""

import pytest

import anc
from anc.pages.page import stepper_page
from anc.pages.recording import record_exact

SMALL, LARGE, STEPS = 16, 256, 2_000
PROGRAM = """
var p = 0; var x = 0; var left = 0
l_loop: x = READ(p)
x = DEC(x)
WRITE(p, x)
p = INC(p)
left = DEC(x)
JEZ(left, l_end)
JEZ(0, l_loop)
l_end: STOP()
"""
MOVES = """
const forward = document.querySelector("[aria-label='One step forward']");
const taken = [];
for (let i = 0; i < 60; i++) {
  const began = performance.now();
  forward.click();
  document.body.offsetHeight; // the browser works out where everything lies
  taken.push(performance.now() - began);
}
return Math.min(...taken);
"""
WRITES = """
const observer = new MutationObserver(() => {});
observer.observe(document.querySelector(".tape"), { subtree: true, childList: true, attributes: true });
document.querySelector("[aria-label='One step forward']").click();
return observer.takeRecords().length;
"""
FORMS = """
return [...document.querySelectorAll(".tape .tile")].map((e) => [e.offsetHeight, e.scrollWidth - e.clientWidth]);
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Runs that go through all cells of a memory for more than 1,500 steps, by its size."""
    folder = tmp_path_factory.mktemp("memories")
    for M in (SMALL, LARGE):
        recording = record_exact(anc.compile(PROGRAM, memory=M), [0] * M, STEPS, "rounds")
        (folder / f"{M}.html").write_text(stepper_page([recording]))
    return {M: folder / f"{M}.html" for M in (SMALL, LARGE)}


def test_the_time_to_move_one_step_hardly_grows_with_the_memory(browser, pages):
    """The least of many moves: half as much again; when each drew all cells, more than three times."""
    taken = {}
    for M, page in pages.items():
        browser.open(page, "#step=1000")
        taken[M] = browser.js(MOVES)
    assert taken[LARGE] < 3 * taken[SMALL], taken
    assert pages[LARGE].stat().st_size < 2 * pages[SMALL].stat().st_size


def test_a_step_writes_only_the_cells_that_it_changes(browser, pages):
    browser.open(pages[LARGE], "#step=1000")
    assert len(browser.texts(".tape .tile-value")) == LARGE
    writes = [browser.js(WRITES) for _ in range(12)]
    assert 0 < max(writes) <= 20  # two rounds: a value, and the marks of what was read and written


def test_all_cells_are_right_after_jumps(browser, pages):
    program = anc.compile(PROGRAM, memory=LARGE)
    browser.open(pages[LARGE])
    for step in (1_777, 3, 1_999, 640, 641):
        browser.slide(".timeline input", step)
        tape = anc.run(program, [0] * LARGE, max_steps=step).tape
        assert [int(text) for text in browser.texts(".tape .tile-value")] == list(tape)


def test_three_digits_stand_on_one_line(browser, pages):
    browser.open(pages[LARGE], "#step=1999")
    heights, cut_off = zip(*browser.js(FORMS), strict=True)
    assert len(set(heights)) == 1
    assert set(cut_off) == {0}


def test_the_heat_map_has_the_cells_that_are_shown(browser, tmp_path):
    """Three cells of 256 would be four pixels wide in a picture of all of them."""
    program = anc.compile("var x = READ(0); WRITE(1, x); WRITE(2, 200); STOP()", memory=LARGE)
    page = tmp_path / "few.html"
    page.write_text(stepper_page([record_exact(program, [7] + [0] * 255, STEPS, "few")]))
    browser.open(page, "#step=9")
    browser.js("document.querySelector('.map-box').open = true")
    browser.wait(lambda: browser.js("return document.querySelector('.map').clientHeight > 200"))
    assert browser.texts(".map-x > span") == ["0", "cell", "2"]
    assert browser.texts(".map-y > span") == ["0", "value", "255"]
    assert browser.js("return document.querySelector('.map').clientWidth / 3") > 40
    browser.js("document.querySelector('.idle-cells input').click()")
    assert browser.texts(".map-x > span")[-1] == "255"
