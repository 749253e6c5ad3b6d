"""Commands that write files, run in a folder; another process runs them, too, so little is imported."""

import shlex
from pathlib import Path

from command_line import anc

COMMANDS = [
    *(f"compile access -o access.{form}" for form in ("safetensors", "anc", "json", "py", "h")),
    "decompile access.safetensors --to c",
    "trace access --tape '3 1 2 3 4' --html trace.html",
    "report access",
    "sample listk --biased -n 5",
    "compile access --to listing",
]


def run_all(folder: Path) -> None:
    """Run the commands in a folder, and keep what they print there, too."""
    folder.mkdir(parents=True)
    for number, command in enumerate(COMMANDS):
        done = anc(*shlex.split(command), cwd=folder)
        assert done.returncode == 0, done.stderr
        (folder / f"{number}.txt").write_text(done.stdout)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
