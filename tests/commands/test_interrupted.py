"""Ctrl-C and the other signals that end a process: one line, the usual status, and nothing is lost."""

import os
import pickle
import signal
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from anc.commands.progress import ctrl_c
from anc.support.signals import SIGNALS, handle_signals, restore_signals

STARTING = """
import os, sys, time
sys.argv = ["anc", "programs"]
import anc
os.kill(os.getpid(), {number})
time.sleep(60)
"""
DEEP = """
import hashlib, os, sys, threading
sys.argv = ["anc", "programs"]
import anc.commands.main, anc.commands.tasks
anc.commands.main.COMMANDS['programs'].callback = lambda **_: hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)
threading.Timer(0.1, os.kill, (os.getpid(), {number})).start()
anc.commands.main.main()
"""
COMPUTING = """
import os, sys, threading
sys.argv = ["anc", "programs"]
import jax, anc.commands.main, anc.commands.tasks

def work(**_):
    threading.Timer(0.3, os.kill, (os.getpid(), {number})).start()
    endless = jax.jit(lambda x: jax.lax.while_loop(lambda y: y > -2, jax.numpy.sin, x))
    endless(1.0).block_until_ready()

anc.commands.main.COMMANDS['programs'].callback = work
anc.commands.main.main()
"""


@pytest.mark.parametrize(
    ("script", "number"),
    [
        (STARTING, signal.SIGINT),
        (STARTING, signal.SIGTERM),
        (DEEP, signal.SIGINT),
        (DEEP, signal.SIGHUP),
        (COMPUTING, signal.SIGINT),
    ],
)
def test_the_command_ends_with_one_line(script, number):
    code = script.format(number=int(number))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == ("", "interrupted\n", 128 + number)


def test_a_program_that_uses_the_library_keeps_its_own_answer():
    code = STARTING.replace('"anc"', '"theirs.py"').format(number=int(signal.SIGINT))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "KeyboardInterrupt" in done.stderr


def seen(command) -> list[object]:
    """What a command notes while it runs, and how it ends."""
    notes: list[object] = []
    done = CliRunner().invoke(click.command()(lambda: command(notes)))
    return [*notes, done.exit_code]


@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_signal_asks_until_the_end_of_the_command(number):
    before = [signal.getsignal(each) for each in SIGNALS]

    def work(notes):
        with ctrl_c() as interrupt:
            notes.append(interrupt.asked)
        signal.raise_signal(number)  # when the result is there, and not written yet
        notes.append(interrupt.asked)

    assert seen(work) == [False, True, 0]
    assert [signal.getsignal(each) for each in SIGNALS] == before


def test_the_second_signal_insists_unless_it_is_a_terminal_s():
    code = (
        "import signal, sys; sys.argv = ['anc']\n"
        "import anc, click\n"
        "from anc.commands.progress import ctrl_c\n"
        "def work():\n"
        "    with ctrl_c():\n"
        "        for _ in range(3): signal.raise_signal(signal.SIGHUP)\n"
        "        for _ in range(2): signal.raise_signal(signal.SIGTERM)\n"
        "click.command()(work)()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    asked = ["", "stopping after this chunk (Ctrl-C again to stop at once)"]
    assert (done.stderr.splitlines(), done.returncode) == ([*asked, *asked, "interrupted"], 143)


def test_a_command_with_nothing_to_keep_says_so():
    def work(notes):
        with ctrl_c() as interrupt:
            signal.raise_signal(signal.SIGTERM)
        interrupt.end()

    assert seen(work) == [143]


def test_ignored_signals_stay_ignored():
    """As under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        known = handle_signals(lambda number: None)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        restore_signals(known)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_terminal_that_was_closed_does_not_end_the_work():
    code = (
        "import os, signal, sys, time; sys.argv = ['anc']\n"
        "import anc, click\n"
        "from anc.commands.progress import ctrl_c\n"
        "def work():\n"
        "    with ctrl_c() as interrupt:\n"
        "        os.write({pipe}, b'on')\n"
        "        while not interrupt.asked: time.sleep(0.01)\n"
        "    click.echo('the result')\n"
        "    os.write({pipe}, b'kept')\n"
        "click.command()(work)()"
    )
    ours, theirs = os.openpty()
    told, pipe = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", code.format(pipe=pipe)],
        stdin=theirs, stdout=theirs, stderr=theirs, pass_fds=[pipe], start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    os.close(pipe)
    assert os.read(told, 10) == b"on"
    os.close(ours)
    for _ in range(2):  # from the system and from the shell
        process.send_signal(signal.SIGHUP)
    assert os.read(told, 10) == b"kept"
    assert process.wait(timeout=60) == 0
    os.close(told)


ORPHAN = """
import time
from anc.support.processes import serve
serve(lambda order, boss: time.sleep(60))
"""


@pytest.mark.parametrize("said", [b"", pickle.dumps("an order")], ids=["idle", "at work"])
def test_a_process_that_helps_ends_with_the_one_that_started_it(said):
    """Whatever it is doing, whatever it was told, and however that one ended."""
    process = subprocess.Popen([sys.executable, "-c", ORPHAN], stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(said)
    process.stdin.close()
    assert process.wait(timeout=60) == 0
