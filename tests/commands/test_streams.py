"""A stream that is closed, full or read by nobody: the result is not lost, and the status is the usual one."""

import subprocess
import sys

import pytest

ADAPT = "adapt access --evaluations 5000 -v -o result"
RUN = 'run access --tape "3 1 2 3 4"'


def shell(words: str, streams: str, where) -> subprocess.CompletedProcess[str]:
    command = f"{sys.executable} -m anc.commands.main {words} {streams}"
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=where, capture_output=True, text=True
    )


@pytest.mark.parametrize("stderr", ["2> /dev/full", "2>&-", "2> >(true)"])
def test_a_result_does_not_depend_on_who_reads_the_progress(tmp_path, stderr):
    done = shell(ADAPT, stderr, tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("access: 3.00 steps instead of 5.00")
    assert (tmp_path / "result" / "adapted.py").exists()


@pytest.mark.parametrize(
    ("words", "streams", "status"),
    [
        (RUN, "2> /dev/full", 0),
        (RUN, "2>&-", 0),
        (RUN, ">&- 2>&- <&-", 0),
        (RUN, "<&-", 0),
        (RUN, "| true", 0),
        ("programs", "| true", 0),
        ("programs", "> /dev/full", 2),
        ("run - --tape 1", "<&-", 2),
        ("run nothing --tape 1", "2> /dev/full", 2),
        ("run nothing --tape 1", "2>&-", 2),
        ("adapt access --evaluations 1000 --seeds 2 --jobs 2", "2>&-", 0),
    ],
)
def test_the_status_is_the_usual_one(tmp_path, words, streams, status):
    assert shell(words, streams, tmp_path).returncode == status
