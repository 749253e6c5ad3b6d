"""Pages are one file, ask for nothing, and show what users wrote without running it."""

import json
import re
from html import unescape

import anc
from anc.pages.page import json_for_html, page, stepper_page
from anc.pages.recording import record_exact

HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked=1'>"


def test_text_from_outside_cannot_leave_its_place():
    html = page(HOSTILE, {"text": HOSTILE}, (), (), subtitle=HOSTILE, notes=[HOSTILE])
    assert html.count("<script") == 2  # the data and the page's own
    assert "<img" not in html
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)
    assert json.loads(data.group(1)) == {"text": HOSTILE}


def test_names_that_are_no_text_can_be_written():
    name = "\udcff\x1b.anc"  # of a file whose name is not UTF-8
    html = page(name, {"file": name}, (), (), subtitle=name, notes=[name])
    assert html.encode().count(rb"\udcff\x1b.anc") == 4  # two titles, the subtitle, the note


def test_json_cannot_end_its_element():
    text = json_for_html({"a": "<!-- <script> </script>"})
    assert "<" not in text
    assert json.loads(text) == {"a": "<!-- <script> </script>"}


def test_a_page_asks_for_nothing():
    html = stepper_page([record_exact(anc.load("listk"), (0,) * 20, 50)])
    without_namespace = html.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"(src|href)=[\"'](?!data:)", without_namespace)
    assert "http://" not in without_namespace
    assert "https://" not in without_namespace
    assert "default-src 'none'" in unescape(html)


def test_the_stepper_of_a_dijkstra_run_is_small():
    tape = (20, 6, 9, 12, 15, 0, 3, 5, 0, 1, 1, 0, 4, 6, 0, 2, 7, 0) + (0,) * 82
    html = stepper_page([record_exact(anc.load("dijkstra"), tape, 500)])
    assert len(html) < 200_000
