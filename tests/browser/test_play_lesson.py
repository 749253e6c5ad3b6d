"""The links of the documentation into the page of `anc play`: each opens, and shows what the lesson says."""

import re

import pytest
from browser.test_play_page import choose, click, step, tape, type_cell
from handbook import DOCS
from handbook.live import PLACE

from anc.pages.play import play_page

LINK = re.compile(rf"\[([^]]+)\]\({re.escape(PLACE)}(#[^)]*)?\)|\[\[live ([^]]+)\]\]")
SHARP = "program=listk&sharpness=8&step=12"


def links():
    found = []
    for document in sorted(DOCS.rglob("*.md")):
        for name, fragment, frame in LINK.findall(document.read_text()):
            shown = f"#{frame}" if frame else fragment
            found.append(pytest.param(shown, id=f"{document.stem} {name or 'frame'}"))
    return found


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    file = tmp_path_factory.mktemp("play") / "play.html"
    file.write_text(play_page())
    return file


@pytest.mark.parametrize("fragment", links())
def test_every_link_opens_its_state(browser, page, fragment):
    browser.open(page, fragment)
    assert browser.js("return document.querySelector('.play-notice').hidden")
    assert browser.texts(".play-message.error") == []
    state = dict(each.partition("=")[::2] for each in fragment.strip("#").split("&") if each)
    assert browser.js(
        "return document.querySelector('[role=tab][aria-selected=true]').dataset.tab"
    ) == (state.get("tab", "run"))
    if "step" in state:
        assert step(browser) == int(state["step"])
    if "sharpness" in state:
        assert float(browser.text(".play-sharpness output")) == float(state["sharpness"])
    if "puzzle" in state:
        assert (
            browser.texts(".puzzle.chosen") and browser.find(".play-puzzles .primary").is_enabled()
        )


def test_there_are_links_for_each_part_of_the_lesson():
    text = (DOCS / "teaching.md").read_text()
    parts = text.split("\n## ")[1:-1]
    assert len(parts) == 6
    assert all(f"{PLACE}#" in part for part in parts)
    assert sum(int(word) for word in re.findall(r"\((\d+) minutes", text)) == 45


def test_what_the_lesson_says_of_lists(browser, page):
    browser.open(page, "#program=listk&sharpness=20&step=13")
    assert step(browser) == 13
    type_cell(browser, 1, 3)
    assert browser.texts(".play-machine.exact .chip")[0] == "17 steps"
    type_cell(browser, 1, 6)  # there are five nodes
    browser.press("\ue010")
    assert tape(browser)[2] == 6  # the value behind cell 0, where the 0 of the last node leads


def test_what_the_lesson_says_of_sharpness(browser, page):
    browser.open(page, f"#{SHARP}")
    wrong = []
    for tenths in range(80, 40, -2):
        browser.slide(".play-sharpness input", tenths / 10)
        browser.wait(lambda at=tenths: f"{at / 10:.1f}" == browser.text(".play-sharpness output"))
        browser.js(
            "return new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))"
        )
        if browser.texts(".play-machine.soft .chip")[-1] != "same result":
            wrong.append(tenths / 10)
    assert 6 < max(wrong) < 6.5


def test_what_the_lesson_says_of_training(browser, page):
    browser.open(page, "#tab=train&task=access&seed=1&program=access")
    choose(browser, "Pace", "0")
    click(browser, "Train", ".play-train-head")
    browser.wait(lambda: "succeeded" in browser.text(".play-train .play-status"), 60)
    assert "R2 = 0 → 4" in " ".join(browser.texts(".register-chip"))  # it reads cell 4 at once
    first = browser.texts(".play-hardened tbody tr:first-child td")[-1]
    assert re.fullmatch(r"R\d = READ\(R2\)", first)
