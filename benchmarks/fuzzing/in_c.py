"""Programs of C, compiled with all warnings and sanitizers, and run."""

from __future__ import annotations

import resource
import shutil
import tempfile
from pathlib import Path

from codegen.emitted import c_output

from fuzzing.entry import Wrong, same

HAS_COMPILER = shutil.which("cc") is not None


def prints_nothing(what: str, unit: str) -> None:
    """A program that prints what is wrong prints nothing; sanitizers want all addresses that there are."""
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (limits[1], limits[1]))
    try:
        with tempfile.TemporaryDirectory() as folder:
            same(what, c_output(unit, Path(folder)), "")
    except AssertionError as problem:
        raise Wrong(f"{what}: {problem}") from None
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
