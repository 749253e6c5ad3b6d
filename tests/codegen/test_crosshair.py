"""An independent tool looks for arguments on which a guarded function is not the original.

CrossHair runs both with symbolic numbers of any size and lists of any length. It is optional:
`pip install .[crosshair]`.
"""

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import functions
import pytest

import anc

pytest.importorskip("crosshair", reason="CrossHair is not installed: pip install .[crosshair]")

SECONDS = 5
CHOSEN = ("clamp", "grade", "two_digits", "median")
BY_NAME = {function.name: (function, draw) for function, draw in functions.FUNCTIONS}


def differences(folder, first: str, second: str) -> subprocess.CompletedProcess:
    """What `crosshair diffbehavior` says about two functions of modules in a folder."""
    words = ["diffbehavior", first, second, "--per_condition_timeout", str(SECONDS)]
    words += ["--exception_equivalence", "SAME_TYPE"]
    paths = [str(folder), str(Path(functions.__file__).parent), *sys.path]
    return subprocess.run(
        [sys.executable, "-m", "crosshair", *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
    )


def written(folder, name: str) -> str:
    """The text of an adapted function, beside the original in a module of its own."""
    function, draw = BY_NAME[name]
    random = Random(name)
    calls = [draw(random) for _ in range(300)]
    result = anc.adapt(function, calls, budget=60, method="specialise")
    assert result.improved and result.verdict.proved
    result.save(folder, write_anyway=True)
    (folder / "original.py").write_text(f"import functions\n\n{name} = functions.{name}.python\n")
    return (folder / "adapted.py").read_text()


@pytest.mark.parametrize("name", CHOSEN)
def test_guarded_functions_are_the_originals(tmp_path, name):
    written(tmp_path, name)
    done = differences(tmp_path, f"adapted.{name}", f"original.{name}")
    assert done.returncode == 0 and "No differences found" in done.stdout, done.stdout + done.stderr


def test_a_guard_that_lets_too_much_through_is_found(tmp_path):
    text = written(tmp_path, "median")
    assert text.count("a <= b") == 1
    (tmp_path / "wrong.py").write_text(text.replace("a <= b", "a <= 63"))
    done = differences(tmp_path, "wrong.median", "original.median")
    assert done.returncode == 1 and "Given:" in done.stdout, done.stdout + done.stderr
