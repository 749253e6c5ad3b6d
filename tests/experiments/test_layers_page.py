"""The script with which the page about layers begins runs as it stands."""

import os
import re
import subprocess
import sys

import pytest
from handbook import DOCS
from handbook.blocks import blocks

PAGE = DOCS / "layers.md"


def test_the_script_learns_digits_from_sums(tmp_path):
    for needed in ("torch", "sklearn"):
        pytest.importorskip(needed)
    script = blocks(PAGE, "py")[0]
    assert len([line for line in script.splitlines() if line]) <= 32
    short = script.replace("range(600)", "range(100)")
    assert short != script
    (tmp_path / "sums.py").write_text(short)
    one_thread = os.environ | {"OMP_NUM_THREADS": "1"}
    words = [sys.executable, "sums.py"]
    done = subprocess.run(words, cwd=tmp_path, env=one_thread, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = re.fullmatch(
        r"([\d.]+) % of the digits on new pictures are read correctly\n", done.stdout
    )
    assert found is not None and float(found[1]) > 70
