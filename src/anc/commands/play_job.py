"""An adaptation that the page of `anc play` asked for: `anc adapt` in a process and a folder of its own.

Only the listing is run, by anc's own machines. A listing that names a file of instructions is refused, for that
file is Python.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anc.data import programs
from anc.data.loading import compiled
from anc.isa import NAMED
from anc.language import Source
from anc.language.tokens import tokens
from anc.machine.tapes import fill
from anc.support.diagnostics import AncError, SourceError, plain

MOST_TEXT = 20_000  # characters of a listing that the page edits
MOST_CELLS = 256  # of its tape
MOST_TAPES = 1_000
SECONDS = (2, 120)
GRACE = 60.0  # seconds that it may take longer: starting, compiling, writing
KEPT = 200  # lines of progress


@dataclass(frozen=True)
class Asked:
    """What the page asked for; of a shipped program the task's own inputs are used."""

    program: str
    task: str | None
    tapes: tuple[tuple[int, ...], ...]
    memory: int
    seconds: int

    @property
    def words(self) -> list[str]:
        """The command line, without `anc`."""
        about = ["program.anc", "--data", "tapes.jsonl", "--memory", str(self.memory)]
        about = [self.task] if self.task else about
        return ["adapt", *about, "--budget", f"{self.seconds}s", "-o", "result"]


def checked(given: Any) -> Asked:
    """What the page asked for, if it is all right; else raises an AncError."""
    if not isinstance(given, dict) or given.keys() != {
        "program",
        "task",
        "tapes",
        "memory",
        "seconds",
    }:
        raise AncError("expected program, task, tapes, memory and seconds")
    text, task, seconds = given["program"], given["task"], given["seconds"]
    if not isinstance(text, str) or len(text) > MOST_TEXT:
        raise AncError(f"a listing has at most {MOST_TEXT:,} characters")
    if type(seconds) is not int or not SECONDS[0] <= seconds <= SECONDS[1]:
        raise AncError(f"seconds go from {SECONDS[0]} to {SECONDS[1]}")
    if task is not None:
        if task not in programs.names():
            raise AncError("there is no such task")
        return Asked(programs.source(task).text, task, (), 0, seconds)
    refuse_files(text)
    memory = given["memory"]
    if type(memory) is not int or not 1 <= memory <= MOST_CELLS:
        raise AncError(f"a memory has 1 to {MOST_CELLS} cells here")
    try:
        program = compiled(Source(text, "program.anc"), memory).program
    except SourceError as problem:
        raise AncError(plain(problem.diagnostics[0].message)) from None
    program.check_fits(memory)
    return Asked(text, None, _tapes(given["tapes"], memory), memory, seconds)


def refuse_files(text: str) -> None:
    """Refuse a listing that names a Python file as its instruction set."""
    for number, line in enumerate(text.split("\n"), start=1):
        for token in tokens(line.rstrip("\r"), number):
            if token.kind == "file" and token.text.split()[1] not in NAMED:
                raise AncError("a file of instructions is Python, and is not run here")


def _tapes(given: Any, memory: int) -> tuple[tuple[int, ...], ...]:
    if not isinstance(given, list) or not 1 <= len(given) <= MOST_TAPES:
        raise AncError(f"give 1 to {MOST_TAPES:,} tapes")
    for tape in given:
        if not isinstance(tape, list) or not all(type(value) is int for value in tape):
            raise AncError("a tape is a list of whole numbers")
    return tuple(fill(tape, memory) for tape in given)


class PlayJob:
    """The process, its folder and what it has said so far."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.folder = Path(tempfile.mkdtemp(prefix="anc-play-"))
        (self.folder / "program.anc").write_text(asked.program, encoding="utf-8")
        lines = (json.dumps({"input": tape}) + "\n" for tape in asked.tapes)
        (self.folder / "tapes.jsonl").write_text("".join(lines), encoding="utf-8")
        self.lines: deque[str] = deque(maxlen=KEPT)
        self.began = self.ended = time.monotonic()
        self.asked_to_stop = False
        self.process = subprocess.Popen(
            [sys.executable, "-m", "anc", *asked.words, "-v"],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        self.is_running = True
        threading.Thread(target=self._watch, daemon=True).start()
        self._timer = threading.Timer(asked.seconds + GRACE, self._end)
        self._timer.daemon = True
        self._timer.start()

    def _watch(self) -> None:
        """Keep the lines of progress, until the process ends."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(plain(line.rstrip("\n"))[:300])
        self.process.wait()
        self._timer.cancel()
        self.ended, self.is_running = time.monotonic(), False

    def stop(self) -> None:
        """End with the best so far; asked twice, at once."""
        if self.is_running and not self.asked_to_stop:
            self.asked_to_stop = True
            self.process.send_signal(signal.SIGINT)
        elif self.is_running:
            self._end()

    def _end(self) -> None:
        """End the process and those that it has started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (AttributeError, ProcessLookupError):
            self.process.kill()

    def close(self) -> None:
        """End it, and remove its folder."""
        if self.is_running:
            self._end()
        self._timer.cancel()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def result(self) -> Path | None:
        """The folder of the result, if there is one."""
        found = self.folder / "result"
        return found if not self.is_running and (found / "result.json").exists() else None

    def to_dict(self) -> dict[str, Any]:
        """How far it is, for the page."""
        result = self.result
        state = "running" if self.is_running else "done" if result is not None else "failed"
        if state == "failed" and self.asked_to_stop:
            state = "stopped"
        now = time.monotonic() if self.is_running else self.ended
        found: dict[str, Any] = {"state": state, "lines": list(self.lines)}
        found["seconds"] = now - self.began
        if result is not None:
            from anc.pages.adaptation import page_data, read_adaptation

            found["result"] = page_data(read_adaptation(result)) | {"examples": []}
        return found

    def report(self) -> str | None:
        """The page about the result."""
        from anc.pages.page import report_page

        return None if self.result is None else report_page(self.result)
