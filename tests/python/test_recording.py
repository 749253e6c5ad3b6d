"""Recorded calls: a uniform sample, whatever threads, processes and crashes do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import warnings
from collections import Counter
from pathlib import Path
from random import Random

import pytest

import anc
from anc.python.recording import read_calls
from anc.python.recording.store import Reservoir, Sample, journals_of, merged, sample_of, save_calls

SOURCE = Path(anc.__file__).parents[1]


def identity(*values):
    return values


def chosen(calls: int, size: int, random: Random) -> list[int]:
    """The calls that a reservoir holds in the end."""
    reservoir, places, wanted = Reservoir(size, random), {}, 0
    for call in range(calls):
        if call >= wanted:
            place, wanted = reservoir.keep(call)
            places[place] = call
    return list(places.values())


def chi_square(counts: Counter, calls: int, expected: float) -> float:
    return sum((counts[call] - expected) ** 2 / expected for call in range(calls))


def test_every_call_is_as_likely_as_any_other():
    random, counts = Random(1), Counter()
    for _ in range(2000):
        found = chosen(50, 5, random)
        assert len(set(found)) == 5
        counts.update(found)
    # 49 degrees of freedom: 85.4 is exceeded once in a thousand times.
    assert chi_square(counts, 50, 2000 * 5 / 50) < 85.4


def test_most_calls_are_not_looked_at():
    reservoir, wanted, kept = Reservoir(100, Random(2)), 0, 0
    while wanted < 1_000_000:
        _, wanted = reservoir.keep(wanted)
        kept += 1
    assert 700 < kept < 1400  # 100 * (1 + ln(10,000)) is 1021


def test_merged_samples_are_uniform_over_all_calls():
    random, counts = Random(3), Counter()
    for _ in range(2000):
        parts, begin = [], 0
        for calls in (3, 12, 35):
            found = tuple([begin + call] for call in chosen(calls, 5, random))
            parts.append(Sample(found, calls))
            begin += calls
        whole = merged(parts, 5, random)
        assert whole.seen == 50
        counts.update(call for (call,) in whole.calls)
    assert counts.total() == 2000 * 5
    assert chi_square(counts, 50, 2000 * 5 / 50) < 85.4


def test_calls_are_kept_as_they_were_made_and_results_are_unchanged(tmp_path):
    @anc.record(tmp_path / "calls.jsonl")
    def emptied(values, limit=7, *, more=0):
        found = sum(values) + limit + more
        values.clear()
        return found

    assert emptied([1, 2]) == 10
    assert emptied([3], more=4, limit=5) == 12
    assert emptied.__name__ == "emptied"
    emptied.recorder.save()
    assert (tmp_path / "calls.jsonl").read_text() == "[[1,2],7,0]\n[[3],5,4]\n"
    assert read_calls(tmp_path / "calls.jsonl").seen == 2


def test_the_sample_is_bounded_and_goes_on_where_it_ended(tmp_path):
    path = tmp_path / "calls.jsonl"
    for begin in (0, 1000):
        recorded = anc.record(identity, path, size=50)
        for value in range(begin, begin + 1000):
            recorded(value)
        recorded.recorder.save()
    assert len(path.read_text().splitlines()) == 50
    sample = read_calls(path)
    assert sample.seen == 2000
    assert 10 < sum(call[0] < 1000 for call in sample.calls) < 40
    assert not journals_of(path)


def test_it_can_be_read_while_it_is_written(tmp_path):
    recorded = anc.record(identity, tmp_path / "calls.jsonl")
    for value in range(5):
        recorded(value)
    assert read_calls(tmp_path / "calls.jsonl") == Sample(([0], [1], [2], [3], [4]), 5)


def test_what_cannot_be_written_down_is_left_out_and_does_no_harm(tmp_path):
    recorded = anc.record(identity, tmp_path / "calls.jsonl")
    with pytest.warns(RuntimeWarning, match="a call was not recorded"):
        assert recorded(object) == (object,)
    recorded(5)
    assert read_calls(tmp_path / "calls.jsonl").calls == ([5],)


def test_a_warning_that_is_an_error_does_not_reach_the_caller(tmp_path):
    recorded = anc.record(identity, tmp_path / "calls.jsonl")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert recorded(object) == (object,)


def test_a_disk_that_fails_ends_the_recording_and_not_the_function(tmp_path, monkeypatch):
    recorded = anc.record(identity, tmp_path / "calls.jsonl")
    recorded(1)
    monkeypatch.setattr(os, "write", lambda file, data: 3)
    with pytest.warns(RuntimeWarning, match="the disk is full"):
        assert recorded(2) == (2,)
    assert recorded(3) == (3,)


def test_threads_lose_no_call(tmp_path):
    recorded = anc.record(identity, tmp_path / "calls.jsonl", size=10_000)
    threads = [
        threading.Thread(target=lambda n=n: [recorded(n, i) for i in range(500)]) for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    recorded.recorder.save()
    sample = read_calls(tmp_path / "calls.jsonl")
    assert sample.seen == 4000
    assert sorted(sample.calls) == [[n, i] for n in range(8) for i in range(500)]


def test_threads_keep_the_sample_full(tmp_path):
    recorded = anc.record(identity, tmp_path / "calls.jsonl", size=20)
    threads = [
        threading.Thread(target=lambda: [recorded(i) for i in range(2000)]) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    recorded.recorder.save()
    sample = read_calls(tmp_path / "calls.jsonl")
    assert (len(sample.calls), sample.seen) == (20, 8000)


def test_forked_processes_have_samples_of_their_own(tmp_path):
    recorded = anc.record(identity, tmp_path / "calls.jsonl", size=10_000)
    recorded(0, 0)
    children = []
    for n in range(1, 4):
        child = os.fork()
        if child == 0:
            for i in range(100):
                recorded(n, i)
            os._exit(0)  # as multiprocessing does: nothing is saved
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    recorded(0, 1)
    recorded.recorder.save()
    sample = read_calls(tmp_path / "calls.jsonl")
    assert sample.seen == 302
    assert sorted(sample.calls) == [[0, 0], [0, 1]] + [
        [n, i] for n in (1, 2, 3) for i in range(100)
    ]


WINDOWS = """
import fcntl, os, sys, types
sys.path[:0] = [{source!r}]

def locking(handle, mode, count):  # a byte where the file stands, for one process
    assert os.lseek(handle, 0, os.SEEK_CUR) > 10**9
    can_write = fcntl.fcntl(handle, fcntl.F_GETFL) & (os.O_WRONLY | os.O_RDWR)
    kind = fcntl.LOCK_EX if can_write else fcntl.LOCK_SH  # as only files for writing can have
    fcntl.lockf(handle, kind | fcntl.LOCK_NB, count, 0, os.SEEK_CUR)

sys.modules["msvcrt"] = types.SimpleNamespace(locking=locking, LK_NBLCK=2)
from anc import record
sys.modules.pop("anc.support.locks", None)
ours, sys.platform = sys.platform, "win32"
from anc.support import locks
sys.platform = ours
from anc.python.recording import store
store.lock_of, store.try_lock = locks.lock_of, locks.try_lock
recorded = record(lambda value: value, {path!r}, size=100)
for value in range({calls}):
    recorded(value)
if {wait}:
    print("on", flush=True)
    sys.stdin.read()
"""


def test_locks_of_windows(tmp_path):
    """With a lock of bytes in place of Windows' own; two processes, of which one is killed."""
    path = tmp_path / "calls.jsonl"
    words = {"source": str(SOURCE), "path": str(path)}
    scripts = [WINDOWS.format(**words, calls=7, wait=wait) for wait in (True, False)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    first = subprocess.Popen([sys.executable, "-c", scripts[0]], **pipes)
    assert first.stdout is not None and first.stdout.readline() == b"on\n"
    subprocess.run([sys.executable, "-c", scripts[1]], check=True)
    assert (tmp_path / ".anc-recording.lock").exists()
    assert len(journals_of(path)) == 1  # of the one that still runs
    assert (read_calls(path).seen, len(path.read_text().splitlines())) == (14, 7)
    first.kill()
    first.communicate()
    subprocess.run([sys.executable, "-c", scripts[1]], check=True)
    assert read_calls(path).seen == 21
    assert not journals_of(path)


CALLING = """
import sys
sys.path[:0] = [{source!r}]
from anc import record
recorded = record(lambda value: value, {path!r}, size=100)
for value in range(10**9):
    recorded(value)
    if value == 5000:
        print("on", flush=True)
"""


def test_a_killed_process_leaves_its_sample(tmp_path):
    path = tmp_path / "calls.jsonl"
    script = CALLING.format(source=str(SOURCE), path=str(path))
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert child.stdout is not None and child.stdout.readline() == b"on\n"
    child.send_signal(signal.SIGKILL)
    child.wait()
    sample = read_calls(path)
    assert len(sample.calls) == 100
    assert sample.seen >= 4000  # all but the calls since the last one that was kept
    assert max(call[0] for call in sample.calls) < sample.seen
    other = anc.record(identity, path, size=100)
    other(7)
    other.recorder.save()
    assert read_calls(path).seen == sample.seen + 1
    assert not journals_of(path)


def test_a_torn_line_is_left_out():
    lines = [b"[0,1,[5]]", b"[1,2,[6]]", b"[0,9,[7]]"]
    assert sample_of(lines) == Sample(([7], [6]), 9)
    assert sample_of([*lines, b"[1,12,[6"]) == Sample(([7], [6]), 9)


def test_a_crash_while_saving_counts_nothing_twice(tmp_path, monkeypatch):
    path = tmp_path / "calls.jsonl"
    recorded = anc.record(identity, path)
    recorded(1)
    with monkeypatch.context() as broken:
        broken.setattr(Path, "unlink", lambda self: (_ for _ in ()).throw(OSError("killed here")))
        with pytest.warns(RuntimeWarning, match="killed here"):
            recorded.recorder.save()
    assert len(journals_of(path)) == 1
    assert read_calls(path) == Sample(([1],), 1)
    save_calls(path, 10, Random(0))
    assert read_calls(path) == Sample(([1],), 1)
    assert not journals_of(path)


def test_a_file_that_was_edited_counts_its_lines(tmp_path):
    path = tmp_path / "calls.jsonl"
    path.write_text("[[1, 2], 3]\n\n[[4], 5]\n")
    assert read_calls(path) == Sample(([[1, 2], 3], [[4], 5]), 2)
    with pytest.raises(anc.AncError, match="no calls were recorded"):
        read_calls(tmp_path / "other.jsonl")


@pytest.mark.parametrize("name", ["", "."])
def test_a_folder_is_no_recording(name):
    with pytest.raises(anc.AncError, match="it is a folder"):
        anc.record(len, name)
