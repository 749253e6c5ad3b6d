"""What `make demo` shows: a program as weights, and weights as a program."""

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

TAPE = "3 2 2 5 4 7 5 9 6 0 7"


def anc(*words: str) -> None:
    print(f"\n$ anc {shlex.join(words)}", flush=True)
    subprocess.run([Path(sys.executable).parent / "anc", *words], check=True)


with tempfile.TemporaryDirectory() as folder:
    weights = str(Path(folder) / "listk.safetensors")
    print("The program listk finds the k-th element of a linked list.")
    anc("compile", "listk", "--to", "listing")
    anc("trace", "listk", "--tape", TAPE)
    anc("compile", "listk", "--sharpness", "12", "-o", weights)
    anc("run", weights, "--tape", TAPE)
    anc("decompile", weights, "--tape", TAPE)
