"""Does what is released run where it is installed? A table for each, and exit status 1 if one fails.

    python benchmarks/installed.py pythons    # on every Python that is found, with the newest dependencies
    python benchmarks/installed.py oldest     # on the oldest Python, with the oldest versions that pyproject allows

Each builds the wheel, makes an empty environment, installs the wheel with its dependencies and tries commands that
reach all of them; `oldest` runs a part of the tests, too. Pythons are looked for on the path and where
pyenv and uv keep theirs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
OLDEST = (3, 11)
SHOWN = ("numpy", "jax", "numba", "z3-solver", "matplotlib", "safetensors", "click")
PARTS = (  # of the tests: what stands directly on a dependency
    "tests/machine",
    "tests/compiler",
    "tests/commands/test_cli.py",
    "tests/pages/test_figures.py",
    "tests/pages/test_page.py",
    "tests/proof/test_symbolic.py",
    "tests/layers/test_exact.py",
)

# words after `anc`, and what they print
QUICK: tuple[tuple[str, str], ...] = (
    ("--version", r"anc VERSION"),
    ("run access --tape '3 1 2 3 4'", r"4 1 2 3 4 0 0 0 0 0"),
    ("compile listk --sharpness 12 -o listk.safetensors", r"wrote listk\.safetensors"),
    ("report access", r"wrote access\.html \(access on its first example.*"),
)
REST: tuple[tuple[str, str], ...] = (
    ("run listk.safetensors --tape '3 2 2 5 4 7 5'", r"3 2 5 5 4 7 5 .*"),
    ("decompile listk.safetensors --tape '3 2 2 5 4 7 5'", r".*type 1:.*"),
    ("test access listk", r".*\n\d+ passed, 0 failed"),
    ("figure access --format svg,png", r"wrote weights\.svg\nwrote weights\.png"),
    ("train access --seeds 8 --iterations 400 -o run", r"access: .*saved in run"),
    ("report run", r"wrote run/report\.html.*"),
    ("adapt access --budget 60s --method specialise", r"access: 3\.00 steps .*proved.*"),
)


def interpreters() -> dict[tuple[int, int], Path]:
    """A Python of each minor version that anc allows."""
    homes = [Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"]
    homes.append(Path.home() / ".local/share/uv/python")
    found = [path for home in homes for path in home.glob("*/bin/python3")]
    names = [f"python3.{minor}" for minor in range(OLDEST[1], OLDEST[1] + 20)]
    found += [Path(path) for path in map(shutil.which, names) if path is not None]
    ask = "import sys; print(*sys.version_info[:2])"
    pythons: dict[tuple[int, int], Path] = {}
    for path in found:
        answer = subprocess.run([path, "-c", ask], capture_output=True, text=True)
        version = tuple(map(int, answer.stdout.split()))
        if answer.returncode == 0 and version >= OLDEST:
            pythons.setdefault((version[0], version[1]), path)
    return dict(sorted(pythons.items()))


def oldest_versions() -> list[str]:
    """Each dependency at its lower bound: ``numpy>=2.0`` is ``numpy==2.0``."""
    return [each.replace(">=", "==") for each in PROJECT["dependencies"]]


def make_environment(python: Path, folder: Path, packages: Sequence[str]) -> Path:
    """The Python of a new environment with these packages and nothing else."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    own = folder / "bin" / "python"
    pip = [own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *packages], check=True)
    return own


def try_commands(python: Path, folder: Path, commands: Sequence[tuple[str, str]]) -> list[str]:
    """What went wrong with the commands of the environment of this Python, run in this folder."""
    ask = "from anc.version import __version__; print(__version__)"
    version = subprocess.check_output([python, "-I", "-c", ask], text=True).strip()
    problems = []
    for words, wanted in commands:
        environment = {name: os.environ[name] for name in os.environ if name != "PYTHONPATH"}
        done = subprocess.run(
            f"{python.parent / 'anc'} {words}",
            shell=True,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
        )
        pattern = wanted.replace("VERSION", re.escape(version))
        if not re.fullmatch(pattern, done.stdout.rstrip("\n"), flags=re.DOTALL):
            problems.append(
                f"anc {words}: ended with {done.returncode}\n{done.stdout}{done.stderr}"
            )
    return problems


def try_tests(python: Path) -> list[str]:
    """What the chosen part of the tests says of an environment."""
    words = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", ROOT / "pyproject.toml"]
    done = subprocess.run([*words, *PARTS], cwd=ROOT, capture_output=True, text=True)
    return [] if done.returncode == 0 else [done.stdout[-3000:] + done.stderr[-1000:]]


def installed_versions(python: Path) -> dict[str, str]:
    words = [python, "-m", "pip", "list", "--format", "json", "--disable-pip-version-check"]
    found = json.loads(subprocess.check_output(words, text=True))
    return {each["name"].lower(): each["version"] for each in found}


def row_of(
    python: Path, folder: Path, packages: Sequence[str], with_tests: bool
) -> tuple[str, bool]:
    """A line of the table for one environment, and whether all went well."""
    began = time.monotonic()
    own = make_environment(python, folder / "environment", packages)
    problems = try_commands(own, folder, (*QUICK, *REST))
    if with_tests and not problems:
        problems = try_tests(own)
    for problem in problems:
        print(problem, file=sys.stderr)
    found = installed_versions(own)
    version = subprocess.check_output([own, "--version"], text=True).split()[1]
    cells = [version, *(found.get(name, "-") for name in SHOWN)]
    cells += ["passes" if not problems else "FAILS", f"{time.monotonic() - began:.0f}"]
    return "| " + " | ".join(cells) + " |", not problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("what", choices=("pythons", "oldest"))
    what = parser.parse_args().what
    pythons = interpreters()
    if not pythons:
        print("no Python from 3.11 on was found", file=sys.stderr)
        return 1
    all_went_well = True
    with tempfile.TemporaryDirectory() as place:
        build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", place, ROOT]
        subprocess.run(build, check=True)
        (wheel,) = Path(place).glob("*.whl")
        packages = [str(wheel)]
        if what == "oldest":
            pythons = dict(list(pythons.items())[:1])
            packages += [*oldest_versions(), "pytest", "hypothesis"]
        print("| Python | " + " | ".join(SHOWN) + " | result | seconds |")
        print("|---|" + "---|" * (len(SHOWN) + 2))
        for version, python in pythons.items():
            folder = Path(place) / ".".join(map(str, version))
            folder.mkdir()
            row, went_well = row_of(python, folder, packages, with_tests=what == "oldest")
            all_went_well &= went_well
            print(row, flush=True)
    return 0 if all_went_well else 1


if __name__ == "__main__":
    sys.exit(main())
