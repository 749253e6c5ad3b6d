"""What is said about installing: commands that work for a clone or a wheel, and no stranger's package."""

import importlib.metadata
import re
import sys
import tomllib
from pathlib import Path

import pytest

import anc
from anc.support import diagnostics as extras

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
TEXTS = [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/anc/**/*.py")]


def test_an_extra_is_installed_by_the_names_of_its_packages(monkeypatch):
    stated = [
        f"{package.partition(';')[0]}; (sys_platform != 'darwin') and extra == '{extra}'"
        for extra, packages in PROJECT["optional-dependencies"].items()
        for package in packages
    ]
    monkeypatch.setattr(importlib.metadata, "requires", lambda name: ["numpy>=2.0", *stated])
    assert extras.install("torch") == "pip install 'torch>=2.2'"
    assert extras.install("ray") == "pip install 'ray[client]>=2.40'"
    assert extras.install("cuda").count(">=") == 2

    def none(name):
        raise importlib.metadata.PackageNotFoundError

    monkeypatch.setattr(importlib.metadata, "requires", none)
    assert extras.install("ray") == "in a clone of anc: pip install '.[ray]'"


def test_the_distribution_is_called_as_it_is_called():
    assert PROJECT["name"] == extras.DISTRIBUTION


def test_no_command_asks_an_index_for_a_package_of_ours():
    for path in TEXTS:
        for line in path.read_text().splitlines():
            for asked in re.findall(r"pip install ['\"]?([^\s'\"`]+)", line):
                is_ours = re.fullmatch(r"(anc|adaptive-neural-compiler)(\[.*)?", asked)
                assert not is_ours or "a stranger's package" in line, f"{path}: {line}"
                if extra := re.fullmatch(r"\.\[(\w+)\]", asked):
                    assert extra[1] in PROJECT["optional-dependencies"]


def test_without_torch_a_module_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "anc.layers.torch", raising=False)
    layer = anc.layer("access", 0, 0)
    with pytest.raises(anc.AncError, match=r"(?s)PyTorch is not installed.*pip install .*torch"):
        layer.module()
