"""The moving picture of the README: `python tools/moving_picture.py` writes docs/assets/play.gif.

It drives the page of `anc play` in chromium (with selenium): a program is blurred by the slider, trained, and read
back as a shorter program. The page is deterministic but for how many iterations lie between two frames.
"""

from __future__ import annotations

import base64
import io
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image

from anc.pages.play import link, play_page

PICTURE = Path(__file__).parents[1] / "docs" / "assets" / "play.gif"
MOST_BYTES = 1_000_000
SIZE = (860, 620)
COLOURS = 160
BLUR = [20, 14, 10, 8, 7.4, 7, 6.6, 6.3, 6, 5.6, 5.2, 4.8, 4.4, 4, 3.5, 3]
BLURRED, REST, TRAINED = 140, 1_800, 260  # milliseconds that a frame is shown
TRAINING = 22  # frames
SWITCHES = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run")

Frame = tuple[Image.Image, int]  # a picture, and how long it is shown

_HIDE = """
for (const node of document.querySelectorAll(arguments[0])) node.style.display = "none";
"""
_SAY = """
const notice = document.querySelector(".play-notice");
notice.hidden = false;
notice.textContent = arguments[0];
"""
_SLIDE = """
const slider = document.querySelector(".play-sharpness input");
slider.value = arguments[0];
slider.dispatchEvent(new Event("input", { bubbles: true }));
"""
_TRAIN = """
document.querySelector("[aria-label=Pace]").value = "60";
document.querySelector(".play-train .primary").click();
"""


def browser() -> Any:
    """Headless chromium with a window of the picture's size."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for switch in SWITCHES:
        options.add_argument(switch)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    width, height = SIZE
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    return driver


def picture(driver: Any) -> Image.Image:
    """What the window shows, once two frames of the page have been drawn."""
    driver.execute_async_script(
        "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))"
    )
    data = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
    return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")


def frames(driver: Any, page: Path) -> Iterator[Frame]:
    """All frames, in order."""

    def show(fragment: str, hidden: str) -> None:
        driver.get("about:blank")
        driver.get(page.as_uri() + fragment)
        while not driver.execute_script("return document.documentElement.dataset.ready"):
            time.sleep(0.05)
        driver.execute_script(_HIDE, hidden)

    def say(words: str) -> None:
        driver.execute_script(_SAY, words)

    beside = ".play-bar, .stepper-legend, .step-words, .registers-card, .play-more, .play-same"
    show(link("listk", sharpness=20, step=9, embed=""), beside)
    say("A program, on the exact and on the soft machine.")
    yield picture(driver), REST
    say("One slider blurs it ...")
    for sharpness in (*BLUR, *reversed(BLUR)):
        driver.execute_script(_SLIDE, sharpness)
        yield picture(driver), BLURRED * (4 if sharpness == BLUR[-1] else 1)
    show(
        link("addition", tab="train", task="addition", seed=3, embed=""),
        ".play-bar, .play-train-head, .play-charts",
    )
    driver.execute_script(_TRAIN)
    say("... so that gradient descent can change it.")
    for _ in range(TRAINING):
        time.sleep(0.4)
        yield picture(driver), TRAINED
    steps = driver.execute_script(
        "return [...document.querySelectorAll('.summary-note')].map((e) => e.textContent)"
    )
    say("The loop is gone.")
    print(", ".join(steps), file=sys.stderr)
    yield picture(driver), 2 * REST


def colours(images: list[Image.Image]) -> Image.Image:
    """A palette for all frames, from some of them."""
    width, height = SIZE
    together = Image.new("RGB", (width, height * len(images)))
    for number, image in enumerate(images):
        together.paste(image, (0, height * number))
    return together.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def main() -> None:
    driver = browser()
    try:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "play.html"
            page.write_text(play_page())
            found = list(frames(driver, page))
    finally:
        driver.quit()
    palette = colours([found[place][0] for place in (0, len(BLUR), -2, -1)])
    images = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image, _ in found]
    times = [shown for _, shown in found]
    images[0].save(
        PICTURE, save_all=True, append_images=images[1:], duration=times, loop=0, optimize=True
    )
    size = PICTURE.stat().st_size
    print(f"wrote {PICTURE}: {len(images)} frames, {size:,} bytes")
    if size > MOST_BYTES:
        sys.exit(f"it is larger than {MOST_BYTES:,} bytes")


if __name__ == "__main__":
    main()
