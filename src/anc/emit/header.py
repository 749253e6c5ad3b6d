"""A header of C11: what its functions include, the functions, and a main that tests them."""

from __future__ import annotations

from collections.abc import Sequence


def header(name: str, functions: Sequence[Sequence[str]], test: Sequence[str] = ()) -> str:
    """The text of a header; the test is behind a macro of its own."""
    lines = ["#include <assert.h>", "#include <stdint.h>"]
    for part in (*functions, test):
        lines += ["", *part] if part else []
    guard = f"{name.upper()}_H"
    return "\n".join([f"#ifndef {guard}", f"#define {guard}", "", *lines, "", "#endif", ""])
