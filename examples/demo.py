"""What `make demo` shows: the loop of a program disappear, with a proof."""

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path


def anc(*words: str) -> None:
    print(f"\n$ anc {shlex.join(words)}", flush=True)
    subprocess.run([Path(sys.executable).parent / "anc", *words], check=True)


TAPE = "3 3 2 5 4 7 5 9 6 0 7"

print("listk finds the k-th element of a linked list by following its pointers, in a loop:")
anc("compile", "listk", "--to", "listing")
anc("trace", "listk", "--tape", TAPE)
print("\nBut in the lists that we have, the nodes lie in order, one behind the other:")
anc("sample", "listk", "--biased", "-n", "3")
with tempfile.TemporaryDirectory() as folder:
    print("\nSo adapt the program to them (gradient descent, exact search, proof; half a minute):")
    anc("adapt", "listk", "--budget", "30s", "-o", folder)
    print("\nThe loop is gone:")
    anc("trace", str(Path(folder) / "adapted.anc"), "--tape", TAPE)
