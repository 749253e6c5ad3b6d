"""`anc play`: what it writes, and the server, which answers its own page only and runs nothing but listings."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request

import pytest
from command_line import anc as run

import anc
from anc.commands import play_job
from anc.commands.play_job import checked
from anc.commands.play_server import MOST_BYTES, PlayServer
from anc.support.diagnostics import AncError

LISTING = "memory 6\nvar x = READ(0)\nWRITE(1, x)\nSTOP()\n# run: 3 -> 3 3\n"
ASKED = {"program": LISTING, "task": None, "tapes": [[3], [4, 0]], "memory": 6, "seconds": 5}


def start_of(path):
    return json.loads(re.search(r'id="data">(.*?)</script>', path.read_text(), re.DOTALL)[1])[
        "start"
    ]


def test_the_page_begins_with_what_is_given(tmp_path):
    (tmp_path / "mine.anc").write_text(LISTING)
    assert run("play", "mine.anc", "-o", "a.html", cwd=tmp_path).stdout == "wrote a.html\n"
    assert start_of(tmp_path / "a.html") == {
        "program": None,
        "text": LISTING,
        "tape": [3, 0, 0, 0, 0, 0],
    }
    run("play", "swap", "--tape", "1 2 3", "-o", "b.html", cwd=tmp_path)
    start = start_of(tmp_path / "b.html")
    assert (start["program"], start["text"], start["tape"][:4]) == ("swap", None, [1, 2, 3, 0])
    page = anc.play(output=tmp_path / "c.html")
    assert start_of(page) == {"program": "listk", "text": None}


def test_a_function_is_a_listing_of_the_wide_set(tmp_path):
    (tmp_path / "f.py").write_text(
        "import anc\n\n@anc.function(memory=32)\ndef f(a: int, b: int) -> int:\n    return a * b\n"
    )
    done = run("play", "f.py:f", "--tape", "3 4", "-o", "f.html", cwd=tmp_path)
    assert done.returncode == 0
    start = start_of(tmp_path / "f.html")
    assert start["text"].startswith("instructions wide") and "MUL(" in start["text"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["listk", "--memory", "400"], "at most 256 cells"),
        (["--memory", "9"], "goes with a program"),
        (["listk", "--tape", "99"], "values go from 0 to 19"),
        (["nothing.anc"], "nothing.anc"),
        (["-o", "a.html", "--no-server"], "exclude each other"),
    ],
)
def test_what_cannot_be_shown_is_refused(tmp_path, words, message):
    done = run("play", *words, *([] if "-o" in words else ["-o", "a.html"]), cwd=tmp_path)
    assert done.returncode == 2 and message in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"program": "instructions evil.py\nSTOP()"}, "a file of instructions is Python"),
        ({"program": "  instructions ../evil.py ; STOP()"}, "a file of instructions is Python"),
        ({"program": "x" * 20_001}, "at most 20,000 characters"),
        ({"program": "REED(3)"}, "unknown instruction 'REED'"),
        ({"program": 3}, "a listing"),
        ({"seconds": 121}, "from 2 to 120"),
        ({"seconds": True}, "from 2 to 120"),
        ({"memory": 257}, "1 to 256 cells"),
        ({"memory": 2}, "its memory of 2 cells"),
        ({"tapes": []}, "1 to 1,000 tapes"),
        ({"tapes": [[0]] * 1001}, "1 to 1,000 tapes"),
        ({"tapes": [["--output"]]}, "whole numbers"),
        ({"tapes": [[7]]}, "values go from 0 to 5"),
        ({"tapes": [[0] * 7]}, "has 7 cells"),
        ({"task": "../x"}, "no such task"),
        ({"task": "-h"}, "no such task"),
        ({"output": "/tmp/x"}, "expected program"),
    ],
)
def test_what_is_asked_is_checked(change, message):
    with pytest.raises(AncError, match=re.escape(message)):
        checked(ASKED | change)


def test_the_command_is_the_one_that_the_page_shows():
    words = "adapt program.anc --data tapes.jsonl --memory 6 --budget 5s -o result"
    assert checked(ASKED).words == words.split()
    assert checked(ASKED | {"task": "swap"}).words == [
        "adapt",
        "swap",
        "--budget",
        "5s",
        "-o",
        "result",
    ]
    assert checked(ASKED | {"program": f"instructions wide\n{LISTING}"}).task is None


@pytest.fixture
def server():
    with PlayServer("<p>the page</p>") as found:
        thread = threading.Thread(target=found.serve, daemon=True)
        thread.start()
        yield found
        found.idle = 0.0
        thread.join(10)
        assert not thread.is_alive()


def ask(server, method, place, body=None, **more):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=30)
    headers = {"Host": server.host, "Origin": f"http://{server.host}"}
    headers |= {"Content-Type": "application/json"} if method == "POST" else {}
    headers |= {name.replace("_", "-"): value for name, value in more.items()}
    data = body if isinstance(body, str | None) else json.dumps(body)
    connection.putrequest(method, place, skip_host=True, skip_accept_encoding=True)
    for name, value in headers.items():
        if value is not None:
            connection.putheader(name, value)
    if data is not None and "Content-Length" not in headers:
        connection.putheader("Content-Length", str(len(data)))
    connection.endheaders(None if data is None else data.encode())
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, json.loads(text) if text.startswith("{") else text


def test_only_its_own_page_is_answered(server):
    path = f"/{server.token}/"
    assert server.url == f"http://127.0.0.1:{server.server_address[1]}{path}"
    assert len(server.token) >= 32
    assert ask(server, "GET", path) == (200, "<p>the page</p>")
    for place in ("/", "/job", "/favicon.ico", f"/{server.token[:-1]}/job", f"//{server.token}x/"):
        assert ask(server, "GET", place)[0] == 404
    assert ask(server, "GET", path, Host="evil.example")[0] == 403
    assert ask(server, "GET", path, Host=f"localhost:{server.server_address[1]}")[0] == 403
    for origin in ("http://evil.example", "null", None):
        assert ask(server, "POST", f"{path}adapt", ASKED, Origin=origin)[0] == 403
    assert ask(server, "POST", f"{path}adapt", ASKED, Content_Type="text/plain")[0] == 415
    assert ask(server, "POST", f"{path}adapt", Content_Length=str(MOST_BYTES + 1))[0] == 413
    assert ask(server, "POST", f"{path}adapt", Content_Length="-1")[0] == 413
    assert ask(server, "POST", f"{path}adapt", "[" * 100_000)[0] == 400
    assert ask(server, "POST", f"{path}other", {})[0] == 404
    assert ask(server, "PUT", path)[0] == 501
    assert ask(server, "GET", f"{path}report")[0] == 404
    assert ask(server, "GET", f"{path}job")[1]["state"] == "none"
    assert server.job is None


def test_nobody_else_on_the_network_reaches_it(server):
    assert server.socket.getsockname()[0] == "127.0.0.1"


def wait_for(server, states):
    end = time.monotonic() + 120
    while time.monotonic() < end:
        _, job = ask(server, "GET", f"/{server.token}/job")
        if job["state"] in states:
            return job
        time.sleep(0.2)
    raise AssertionError(f"it did not get to {states}")


def test_one_job_at_a_time_which_is_stopped(server):
    path = f"/{server.token}/"
    assert ask(server, "POST", f"{path}adapt", ASKED | {"seconds": 100}) == (
        200,
        {"state": "running"},
    )
    folder = server.job.folder
    assert (folder / "tapes.jsonl").read_text().splitlines()[1] == '{"input": [4, 0, 0, 0, 0, 0]}'
    status, said = ask(server, "POST", f"{path}adapt", ASKED)
    assert (status, said["problem"]) == (400, "an adaptation is running")
    end = time.monotonic() + 60
    while not any("best" in line for line in ask(server, "GET", f"{path}job")[1]["lines"]):
        assert time.monotonic() < end
        time.sleep(0.2)
    ask(server, "POST", f"{path}stop", {})
    job = wait_for(server, ("done", "stopped"))
    assert job["state"] == "done"  # with the best so far
    assert job["result"]["answers"]
    assert ask(server, "GET", f"{path}report")[1].startswith("<!doctype html>")
    server.close()
    assert not folder.exists()


def test_what_takes_too_long_is_ended(monkeypatch):
    monkeypatch.setattr(play_job, "GRACE", -98.0)
    job = play_job.PlayJob(checked(ASKED | {"seconds": 100}))
    job.process.wait(30)
    end = time.monotonic() + 10
    while job.is_running:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert job.to_dict()["state"] == "failed"
    job.close()
    assert not job.folder.exists()


def test_it_ends_when_nobody_uses_it():
    with PlayServer("", idle=0.2) as server:
        began = time.monotonic()
        server.serve()
        assert 0.2 <= time.monotonic() - began < 5


def test_ctrl_c_ends_it_and_its_job(tmp_path):
    words = [sys.executable, "-m", "anc", "play", "--no-browser", "--json"]
    process = subprocess.Popen(
        words,
        cwd=tmp_path,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    url = json.loads(process.stdout.readline())["url"]
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", url)
    origin = url.rpartition("/")[0].rpartition("/")[0]
    request = urllib.request.Request(
        f"{url}adapt",
        json.dumps(ASKED | {"seconds": 100}).encode(),
        {"Content-Type": "application/json", "Origin": origin},
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        assert json.load(answer) == {"state": "running"}
    assert [each.name for each in tmp_path.glob("anc-play-*/*.anc")] == ["program.anc"]
    process.send_signal(signal.SIGINT)
    _, remarks = process.communicate(timeout=20)
    assert process.returncode == 130 and b"Traceback" not in remarks
    assert list(tmp_path.iterdir()) == []
