"""Extras: optional dependencies, and the command that installs them."""

from __future__ import annotations

import importlib.metadata
import re
import shlex

DISTRIBUTION = "adaptive-neural-compiler"  # `anc` belongs to another project on the package index


def install(extra: str) -> str:
    """The command that installs an extra.

    It names the packages themselves, so that it works with a clone and with a wheel: pip may not find
    our own distribution.
    """
    try:
        stated = importlib.metadata.requires(DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:  # running from source
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
