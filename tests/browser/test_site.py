"""The documentation site, opened as files: pages move, formulas stand, nothing leaves the machine."""

import pytest
from handbook import DOCS, ROOT

PAGES = ("index.md", "explanation/method.md", "api.md", "play.md", "teaching.md")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Some pages of the site, built as the whole is, but for the Python API."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    place = tmp_path_factory.mktemp("site")
    others = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    config = load_config(
        str(ROOT / "mkdocs.yml"),
        site_dir=str(place),
        strict=False,
        nav=[{page: page} for page in PAGES],
        plugins=["search", "offline"],
        exclude_docs="\n".join(page for page in others if page not in PAGES),
    )
    build(config)
    return place


def see(browser, page, size=(1366, 768), scheme="light", motion="no-preference"):
    """Open a page of the site."""
    features = [("prefers-color-scheme", scheme), ("prefers-reduced-motion", motion)]
    media = {"features": [{"name": name, "value": value} for name, value in features]}
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    width, height = size
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.driver.get("about:blank")
    browser.driver.get(page.as_uri())


def step(browser):
    return int(browser.js("return document.querySelector('.loop').dataset.step"))


def test_the_loop_moves_and_can_be_stopped(browser, site):
    see(browser, site / "index.html")
    browser.wait(lambda: step(browser) >= 1)
    play = browser.find(".loop [data-do=play]")
    assert play.text == "Pause"
    play.click()
    assert play.text == "Play"
    browser.slide(".loop input", 13)
    assert browser.texts(".loop output") == ["13", "6"]
    assert browser.texts(".loop .done figcaption") == browser.texts(".loop figcaption")
    changed = browser.texts(".loop .wrote b")
    assert changed == ["5", "5"]  # both wrote the second element
    browser.find(".loop [data-do=back]").click()
    assert step(browser) == 12
    assert browser.texts(".loop .now code") == ["WRITE(p_out, p_current)", "STOP()"]


def test_the_loop_rests_where_motion_is_not_wanted(browser, site):
    see(browser, site / "index.html", motion="reduce")
    assert browser.find(".loop [data-do=play]").text == "Play"
    assert step(browser) == 13


def test_formulas_are_drawn(browser, site):
    see(browser, site / "explanation" / "method.html", scheme="dark")
    widths = browser.js("return [...document.querySelectorAll('math')].map((m) => m.clientWidth)")
    assert len(widths) > 30
    assert min(widths) > 0
    assert browser.js("return document.querySelectorAll('.arithmatex, merror').length") == 0


@pytest.mark.parametrize("page", [page.replace(".md", ".html") for page in PAGES])
def test_pages_fit_on_a_phone(browser, site, page):
    see(browser, site / page, size=(390, 844))
    assert not browser.scrolls_sideways()
    cut = browser.js(
        "return [...document.querySelectorAll('article :not(pre) > code')].filter((e) =>"
        " !/\\s/.test(e.textContent) && e.getClientRects().length > 1).map((e) => e.textContent)"
    )
    assert cut == []  # no name and no option is on two lines


def test_search_needs_no_server(browser, site):
    see(browser, site / "index.html", motion="reduce")
    browser.js("document.querySelector('.md-search__input').focus()")
    browser.find(".md-search__input").send_keys("sharpness")
    browser.wait(lambda: "The method" in " ".join(browser.texts(".md-search-result__item h1")))


def test_the_machine_is_live_inside_a_page(browser, site):
    see(browser, site / "index.html", motion="reduce")
    browser.js("document.querySelector('.live').scrollIntoView()")
    browser.driver.switch_to.frame(browser.find(".live"))
    try:
        browser.wait(lambda: browser.js("return document.documentElement.dataset.ready === 'yes'"))
        assert browser.text(".play-machine.exact .tile-value") == "3"
        browser.slide(".play-sharpness input", 3)
        browser.wait(lambda: "wrong" in browser.texts(".play-machine.soft .chip")[-1])
        assert not browser.scrolls_sideways()
    finally:
        browser.driver.switch_to.default_content()
