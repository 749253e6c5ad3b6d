"""What is released: a wheel and an sdist that run in an empty environment, and what they say of themselves."""

import contextlib
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from datetime import date
from pathlib import Path

import hatchling.build
import installed
import pytest
import yaml

from anc.data import programs
from anc.version import __version__

ROOT = Path(__file__).parent.parent


def built(build, source: Path, folder: Path) -> Path:
    """What one of hatchling's functions builds of a source tree."""
    folder.mkdir()
    with contextlib.chdir(source):
        return folder / build(str(folder))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return built(hatchling.build.build_wheel, ROOT, tmp_path_factory.mktemp("wheel") / "made")


def test_the_wheel_holds_what_runs_and_nothing_else(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for name in programs.names():
        assert f"anc/data/programs/{name}.anc" in names
    sources = {
        path.relative_to(ROOT / "src").as_posix()
        for package in ("anc", "anc_experiments")
        for path in (ROOT / "src" / package).rglob("*.*")
        if "__pycache__" not in path.parts
    }
    assert {"anc/py.typed", "anc/training/ours.toml", "anc/pages/static/page.html"} <= names
    about = f"adaptive_neural_compiler-{__version__}.dist-info/"
    assert {name for name in names if not name.startswith(about)} == sources
    assert f"{about}licenses/LICENSE" in names


def test_the_sdist_builds_the_same_wheel(wheel, tmp_path):
    packed = built(hatchling.build.build_sdist, ROOT, tmp_path / "sdist")
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.glob("adaptive_neural_compiler-*")
    assert {"README.md", "CHANGELOG.md", "CITATION.cff", "tests"} <= {
        path.name for path in unpacked.iterdir()
    }
    again = built(hatchling.build.build_wheel, unpacked, tmp_path / "again")
    assert again.read_bytes() == wheel.read_bytes()


def test_the_wheel_runs_in_an_empty_environment(wheel, tmp_path):
    place = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    python = place / "bin" / "python"
    (packages,) = place.glob("lib/python*/site-packages")
    # its dependencies are those of this environment, which are there already; anc itself is not
    others = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "dependencies.pth").write_text("\n".join(others))
    words = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    subprocess.run(
        [*words, "install", "-q", "--no-deps", "--no-index", "--no-compile", wheel], check=True
    )
    where = [python, "-I", "-c", "import anc; print(anc.__file__)"]
    assert Path(subprocess.check_output(where, text=True).strip()).is_relative_to(packages)
    assert installed.try_commands(python, tmp_path, installed.QUICK) == []


def test_a_command_that_fails_is_told(tmp_path):
    (tmp_path / "anc").write_text("#!/bin/sh\necho wrong\nexit 3\n")
    (tmp_path / "anc").chmod(0o755)
    (tmp_path / "python").write_text("#!/bin/sh\necho 1.2.3\n")
    (tmp_path / "python").chmod(0o755)
    found = installed.try_commands(tmp_path / "python", tmp_path, [("--version", "anc VERSION")])
    assert found == ["anc --version: ended with 3\nwrong\n"]


def test_every_dependency_has_a_lower_bound_that_can_be_tried():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert len(installed.oldest_versions()) == len(project["dependencies"])
    for each in installed.oldest_versions():
        assert re.fullmatch(r"[a-z0-9-]+==[0-9.]+", each)
    assert project["requires-python"] == ">=" + ".".join(map(str, installed.OLDEST))
    tried = [f"Programming Language :: Python :: 3.{minor}" for minor in (11, 12, 13, 14)]
    assert set(tried) <= set(project["classifiers"])


def test_the_newest_version_of_the_changelog_is_this_one():
    heads = re.findall(r"^## (\S+) - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert heads[0][0] == __version__
    versions = [tuple(map(int, version.split("."))) for version, _ in heads]
    assert versions == sorted(versions, reverse=True)
    assert all(date.fromisoformat(day) for _, day in heads)


def test_the_citation_names_this_version_and_the_paper():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    needed = {"cff-version", "message", "title", "authors"}
    known = {"abstract", "date-released", "keywords", "license", "references", "type", "version"}
    assert needed <= set(cited) <= needed | known
    assert (cited["cff-version"], cited["type"]) == ("1.2.0", "software")
    assert cited["authors"] == [{"name": "The anc developers"}]
    heads = re.findall(r"^## (\S+) - (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert (cited["version"], cited["date-released"]) == heads[0]
    (paper,) = cited["references"]
    assert {"type", "title", "authors"} <= set(paper)
    assert (paper["title"], paper["year"]) == ("Adaptive Neural Compilation", 2016)
    assert all(set(author) == {"family-names", "given-names"} for author in paper["authors"])
    assert [author["family-names"] for author in paper["authors"]] == [
        "Bunel", "Desmaison", "Kohli", "Torr", "Kumar",
    ]  # fmt: skip
