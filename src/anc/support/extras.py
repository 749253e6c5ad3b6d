"""Extras: packages that only a part of anc needs, and how they are installed."""

from __future__ import annotations

import importlib.metadata
import re
import shlex

DISTRIBUTION = "adaptive-neural-compiler"  # `anc` is somebody else's on the package index


def install(extra: str) -> str:
    """The command that installs an extra.

    It names the packages themselves, so it works for whoever installed a clone, a wheel or neither:
    our own distribution may not be where pip looks for it.
    """
    try:
        stated = importlib.metadata.requires(DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:  # the sources, as they are
        stated = []
    marked = (text.partition(";") for text in stated)
    wanted = [
        package.strip()
        for package, _, marker in marked
        if re.search(rf"""\bextra == ['"]{extra}['"]""", marker)
    ]
    if not wanted:
        return f"in a clone of anc: pip install '.[{extra}]'"
    return f"pip install {shlex.join(wanted)}"
