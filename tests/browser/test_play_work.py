"""What the page of `anc play` has work done for: training in its worker, adapting by the server."""

import json
import re
import subprocess
import sys

import pytest
from browser.conftest import LAPTOP
from browser.test_play_page import choose, click, fragment, tape, write

from anc.pages.play import play_page

STATUS = ".play-train .play-status"
NEW_TEXT = "memory 9\nvar x = READ(0)\nWRITE(1, x)\nSTOP()\n# run: 3 -> 3 3\n# run: 4 -> 4 4\n"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    file = tmp_path_factory.mktemp("play") / "play.html"
    file.write_text(play_page())
    return file


def test_a_loop_disappears_in_training(browser, page):
    browser.open(page, "#task=addition&tab=train&seed=3")
    choose(browser, "Pace", "0")
    click(browser, "Train", ".play-train-head")
    browser.wait(lambda: "succeeded" in browser.text(STATUS), 60)
    assert "Read back as a program it is right on all of them" in browser.text(STATUS)
    steps = [float(word) for word in re.findall(r"in ([\d.]+) steps", browser.text(STATUS))]
    assert max(steps) < 10  # the generic program takes 19
    assert browser.texts(".play-hardened tr.changed:not(.unvisited)")
    assert all(
        browser.js(
            "return [...document.querySelectorAll('.play-curve')].map((c) => c.getAttribute('d').length > 20)"
        )
    )
    click(browser, "Put it into the editor")
    assert browser.texts(".play-message.error") == []
    chips = browser.texts(".play-machine.exact .chip")
    assert int(chips[0].split()[0]) < 10 and chips[-1] == "stopped"
    browser.wait(lambda: "text=" in fragment(browser) and "tab=" not in fragment(browser))
    kept, cells = fragment(browser), tape(browser)
    browser.open(page, kept)  # shared, and opened again
    assert tape(browser) == cells
    assert browser.texts(".play-machine.exact .chip") == chips


def test_training_is_stopped_and_another_seed_begun(browser, page):
    browser.open(page, "#task=sort&tab=train&seed=5")
    click(browser, "Train", ".play-train-head")
    browser.wait(lambda: browser.texts(".play-hardened tr"), 30)
    click(browser, "Stop", ".play-train-head")
    browser.wait(lambda: browser.text(STATUS).startswith("Stopped"), 30)
    click(browser, "Another seed", ".play-train-head")
    browser.wait(lambda: "with seed 6" in browser.text(STATUS), 30)
    browser.wait(lambda: "seed=6" in fragment(browser))
    click(browser, "Stop", ".play-train-head")
    browser.wait(lambda: browser.text(STATUS).startswith("Stopped"), 30)


def test_a_program_that_does_not_fit_the_task_is_refused(browser, page):
    browser.open(page, "#program=swap&task=access&tab=train")
    browser.find(".play-train-head input[type=checkbox]").click()
    click(browser, "Train", ".play-train-head")
    browser.wait(lambda: browser.texts(".play-train .play-status.bad"), 30)
    assert browser.text(STATUS)


def test_the_whole_way_of_a_learner(browser, page):
    """Open, step, blur, edit with a mistake, train, share, and open it again."""
    browser.open(page)
    browser.press("\ue014", "\ue014", "\ue014", "\ue012")
    assert browser.text(".margin-line.current .line-number") == "1"
    browser.slide(".play-sharpness input", 4)
    browser.wait(lambda: "wrong" in browser.texts(".play-machine.soft .chip")[-1])
    choose(browser, "Program", "access")
    text = browser.js("return document.querySelector('.play-code textarea').value")
    write(browser, text.replace("READ", "REED", 1))
    browser.wait(lambda: browser.texts(".play-message.error"))
    assert "did you mean READ?" in browser.text(".play-message")
    write(browser, text)
    browser.wait(lambda: not browser.texts(".play-message.error"))
    browser.find("[data-tab=train]").click()
    choose(browser, "Task", "access")
    choose(browser, "Pace", "0")
    click(browser, "Train", ".play-train-head")
    browser.wait(lambda: "succeeded" in browser.text(STATUS), 60)
    click(browser, "Put it into the editor", ".play-train")
    assert browser.texts(".play-machine.exact .chip")[0] == "3 steps"
    browser.js(
        "document.activeElement.blur()"
    )  # the tabs have the arrow keys while they have the focus
    browser.press("\ue014", "\ue014")
    click(browser, "Copy link")
    browser.wait(lambda: browser.text(".play-bar .play-button") != "Copy link")
    kept, shown = fragment(browser), tape(browser)
    assert "step=2" in kept and "sharpness=4" in kept
    browser.open(page, kept)
    assert (fragment(browser), tape(browser)) == (kept, shown)
    assert browser.texts(".play-machine.exact .chip")[0] == "3 steps"


def test_the_soft_run_keeps_up_with_the_slider(browser, page):
    """At 30 steps of 20 cells a frame takes a third of this on a quiet machine."""
    browser.open(page, "#program=listk&limit=30")
    script = """
      const [done, slider, taken] = [arguments[0], document.querySelector(".play-sharpness input"), []];
      const move = () => {
        const began = performance.now();
        slider.value = 3 + (taken.length % 9);
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        requestAnimationFrame(() => {
          taken.push(performance.now() - began);
          if (taken.length < 45) move();
          else done(taken.sort((a, b) => a - b)[22]);
        });
      };
      move();
    """
    assert browser.driver.execute_async_script(script) < 60


@pytest.fixture
def server(tmp_path):
    """`anc play` in a process of its own; its address."""
    words = [sys.executable, "-m", "anc", "play", "access", "--no-browser", "--json"]
    process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    yield json.loads(process.stdout.readline())["url"]
    process.terminate()
    process.communicate(timeout=20)


def test_adapt_and_prove(browser, server):
    requests = browser.complaints  # requests to the server are what this is about
    browser.complaints = lambda: [one for one in requests() if server.split("/")[2] not in one]
    try:
        metrics = {"width": LAPTOP[0], "height": LAPTOP[1], "deviceScaleFactor": 1, "mobile": False}
        browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        browser.driver.get(server + "#program=access&tab=adapt")
        browser.wait(lambda: browser.js("return document.documentElement.dataset.ready === 'yes'"))
        script = "document.querySelector('[aria-label=Seconds]').value = 15"
        browser.js(script)
        click(browser, "Adapt and prove", ".play-adapt")
        browser.wait(lambda: browser.texts(".play-result .answer"), 90)
        assert "proved" in browser.texts(".answer .chip")
        assert "tape[0] == 3" in browser.texts(".conditions li")
        assert browser.text(".answer-steps b") == "3"
        browser.screenshot("play-adapted-1366-light")
        report = browser.find(".play-result a").get_attribute("href")
        assert report == server + "report"
        click(browser, "Put it into the editor", ".play-result")
        browser.wait(lambda: browser.texts(".play-machine.exact .chip")[0] == "3 steps")
        write(browser, NEW_TEXT)
        browser.wait(lambda: not browser.texts(".play-message.error"))
        browser.driver.get(report)
        assert "Adapting access" in browser.text("h1")
    finally:
        browser.driver.get("about:blank")
        assert browser.complaints() == []
        del browser.complaints
