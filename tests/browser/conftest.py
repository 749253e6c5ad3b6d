"""A real browser: headless Chromium, driven from here, watched for errors and requests."""

import base64
import json
import os
import shutil
import time
from pathlib import Path

import pytest
from browser.playing import Engine, page_with_engine

HOW_TO_GET_ONE = (
    "no browser: on Debian or Ubuntu run 'apt-get install chromium chromium-driver' as root,"
    " and 'pip install selenium'"
)
CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
)
LAPTOP, PHONE = (1366, 768), (390, 844)


def missing_browser():
    """What is missing for these tests, or None."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        return HOW_TO_GET_ONE
    has_browser = any(shutil.which(name) for name in CHROMIUM)
    return None if has_browser and shutil.which("chromedriver") else HOW_TO_GET_ONE


class Browser:
    """The browser, and what the tests do with it."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, path, fragment="", size=LAPTOP, scheme="light"):
        """Open a page and wait until it says that it is ready."""
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.driver.get("about:blank")
        self.driver.get(Path(path).resolve().as_uri() + fragment)
        self.wait(lambda: self.js("return document.documentElement.dataset.ready === 'yes'"))

    def wait(self, condition, seconds=10.0):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "the page did not get there in time"
            time.sleep(0.02)

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def texts(self, selector):
        script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
        return self.js(script, selector)

    def text(self, selector):
        return self.texts(selector)[0]

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def press(self, *keys):
        from selenium.webdriver import ActionChains

        actions = ActionChains(self.driver)
        for key in keys:
            actions.send_keys(key)
        actions.perform()

    def hover(self, element):
        from selenium.webdriver import ActionChains

        self.js("arguments[0].scrollIntoView({block: 'center'})", element)
        ActionChains(self.driver).move_to_element(element).perform()

    def slide(self, selector, value):
        script = (
            "const s = document.querySelector(arguments[0]); s.value = arguments[1];"
            "s.dispatchEvent(new Event('input', {bubbles: true}))"
        )
        self.js(script, selector, value)

    def screenshot(self, name):
        """The whole page as PNG, kept where ANC_SCREENSHOTS says."""
        script = "return [innerWidth, document.documentElement.scrollHeight]"
        width, height = self.js(script)
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, 6000), "scale": 1}
        options = {"captureBeyondViewport": True, "clip": clip}
        data = self.driver.execute_cdp_cmd("Page.captureScreenshot", options)["data"]
        picture = base64.b64decode(data)
        folder = os.environ.get("ANC_SCREENSHOTS")
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            (Path(folder) / f"{name}.png").write_bytes(picture)
        return picture

    def scrolls_sideways(self):
        script = "const e = document.documentElement; return e.scrollWidth > e.clientWidth"
        return self.js(script)

    def complaints(self):
        """Errors in the console and requests that left the machine."""
        errors = [e["message"] for e in self.driver.get_log("browser") if e["level"] == "SEVERE"]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith(("file:", "data:", "blob:", "about:", "chrome:")):
                    errors.append(f"request to {url}")
        return errors


@pytest.fixture(scope="session")
def running_browser(tmp_path_factory):
    missing = missing_browser()
    if missing:
        if os.environ.get("ANC_NEEDS_BROWSER"):
            pytest.fail(missing)
        pytest.skip(missing)
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = next(path for path in map(shutil.which, CHROMIUM) if path)
    for switch in SWITCHES:
        options.add_argument(switch)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('browser')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.get("about:blank")
    yield Browser(driver)
    driver.quit()


@pytest.fixture
def browser(running_browser):
    """The browser; a test fails if the page complained or asked the network for anything."""
    running_browser.complaints()
    yield running_browser
    assert running_browser.complaints() == []


@pytest.fixture(scope="session")
def engine_page(tmp_path_factory):
    path = tmp_path_factory.mktemp("play") / "engine.html"
    path.write_text(page_with_engine(), encoding="utf-8")
    return path


@pytest.fixture
def engine(browser, engine_page):
    """The engine of `anc play`."""
    return Engine(browser, engine_page)
