"""Mistakes that cost time or memory, or ended in a bug: a message with the limit, before any work."""

import os
import threading

import pytest
from command_line import anc

from anc.support import resources

GIB = 2**30
M64K = "memory 65536\nvar x = READ(0)\nx = ADD(x, x)\nWRITE(1, x)\nSTOP()\n"
SKETCH = "memory 65536\nvar x = READ(0)\nx = ?(x, ? in (1, 2))\nWRITE(1, x)\nSTOP()\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Files to be wrong with, on a machine with 8 GiB to spare."""
    files = {
        "m1.anc": "memory 1\nSTOP()\n",
        "m1.jsonl": '{"input": [0]}\n',
        "grid.toml": "rate = [0.1, 0.3]\n",
        "m64k.anc": M64K,
        "m64k.jsonl": '{"input": [3, 0]}\n',
        "sketch.anc": SKETCH,
        "sketch.jsonl": '{"input": [3, 0], "output": [3, 5]}\n',
        "big.anc": "",
        "red.anc": "memory 5\nvar x\x1b[31m = 3\nSTOP()\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    os.truncate(tmp_path / "big.anc", GIB)
    monkeypatch.setattr(resources, "free_bytes", lambda: 8 * GIB)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("adapt m1.anc --data m1.jsonl", "is 1, expected a whole number from 2 to 65536"),
        ("adapt m1.anc --data m1.jsonl --seeds 2", "a whole number from 2 to 65536"),
        ("train m1.anc --data m1.jsonl", "is 1, expected a whole number from 2 to 65536"),
        ("sweep m1.anc --data m1.jsonl --grid grid.toml", "a whole number from 2 to 65536"),
        ("run m64k.anc -t 3 --machine soft", "needs about 128.0 GiB of memory, but only 8.0 GiB"),
        ("trace m64k.anc -t 3 --machine soft", "needs about 128.0 GiB of memory"),
        ("train m64k.anc --data m64k.jsonl", "lower --seeds, --batch, --registers, --max-steps"),
        ("fill sketch.anc --data sketch.jsonl --method gradient", "training 100 members"),
        ("train access --batch 1000000", "training 100 members with 1000000 cases each"),
        ("train access --seeds 100000 --registers 500", "training 100000 members"),
        ("train access --engine jax --max-steps 1000000", "of memory, but only 8.0 GiB are free"),
        ("compile m64k.anc --registers 9999 -o x.safetensors", "softening a program of 10002"),
        ("adapt access --seed 11111111111111111111111111", "whole number from 0 to 4294967295"),
        ("adapt access --budget 99999999h", "from 0.001 to 3.16224e+07"),
        ("adapt access --freeze 0-99999", "a program has at most 65536 lines"),
        ("train access --batch 1000000000", "'1000000000' is not a whole number from 1 to"),
        ("train access --seeds 1000000000", "'1000000000' is not a whole number from 1 to"),
        ("compile access --registers 100000000", "is not a whole number from 0 to 10000"),
        ("compile access --sharpness 1e300", "'1e300' is not a number from 1e-30 to 1e+30"),
        ("compile /dev/zero", "/dev/zero has more than 1,000,000 bytes; a program file has"),
        (
            "compile big.anc",
            "big.anc has 1,073,741,824 bytes; a program file has at most 1,000,000",
        ),
        ("adapt access --data big.anc", "a file of cases has at most 268,435,456"),
        ("train access --settings big.anc", "a file of settings has at most 1,000,000"),
        ("run access -t 3 --max-steps 9999999999", "is not a whole number from 1 to 1000000000"),
        ("trace access -t 3 --max-steps 1000001", "is not a whole number from 1 to 1000000"),
        ("sample access -n 99999999", "is not a whole number from 1 to 1000000"),
        ("compile red.anc", "var x␛[31m = 3"),
    ],
)
def test_a_mistake_is_explained_before_any_work(words, said, folder, nothing_begins):
    done = anc(*words.split(), cwd=folder)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "\x1b" not in done.stderr


def test_the_largest_memory_runs_and_is_filled_exactly(folder):
    done = anc("run", "m64k.anc", "-t", "40000 1", cwd=folder)
    assert (done.returncode, done.stdout[:11]) == (0, "40000 14464")
    done = anc("fill", "sketch.anc", "--data", "sketch.jsonl", cwd=folder)
    assert "ADD" in done.stdout


def test_standard_input_has_an_end(folder):
    done = anc("compile", "-", stdin="ZERO()\n" * 200_000)
    assert done.returncode == 2
    assert "<stdin> has more than 1,000,000 bytes" in done.stderr


def test_a_pipe_can_be_read(folder):
    """As `anc run <(...)` needs it."""
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("memory 5\nSTOP()\n",))
    writer.start()
    done = anc("run", str(pipe), "-t", "1")
    writer.join()
    assert (done.returncode, done.stdout) == (0, "1 0 0 0 0\n")


def test_a_name_that_is_not_utf_8_is_shown_with_escapes(folder):
    name = os.fsdecode(b"n\xff.anc")
    (folder / name).write_text("memory 5\nSTOP()\n")
    assert anc("compile", name, "--to", "c", cwd=folder).returncode == 0
    done = anc("compile", name + "x", cwd=folder)
    assert "'n\\udcff.ancx' is neither a file" in done.stderr


def test_the_name_of_a_file_that_was_written_is_shown_with_escapes(folder):
    done = anc("compile", "access", "-o", "\x1b[31m.anc", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "wrote \\x1b[31m.anc\n")


def test_the_steps_of_a_run_are_kept_as_long_as_there_is_memory(monkeypatch, folder):
    monkeypatch.setattr(resources, "free_bytes", lambda: 10 * 2**20)
    (folder / "long.anc").write_text("memory 65536\nl: JEZ(0, l)\n")
    done = anc("trace", "long.anc", "-t", "1", "--max-steps", "100000", cwd=folder)
    assert done.returncode == 2
    assert "keeping all steps of a run needs about 0.1 GiB of memory" in done.stderr
    assert "lower max_steps" in done.stderr
