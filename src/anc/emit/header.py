"""A header of C11 with functions of a tape, and a main that tests itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anc.emit.c import cell_type
from anc.emit.examples import Example
from anc.emit.printer import INDENT


def header(
    name: str,
    functions: Sequence[Sequence[str]],
    M: int,
    examples: Sequence[Example],
    counts: Sequence[bool] | None = None,
) -> str:
    """What the functions include, the functions, and a main that runs the last one on examples.

    `counts` says which cells of the result matter; if it is not given, all of them.
    """
    lines = ["#include <assert.h>", "#include <stdint.h>"]
    for function in functions:
        lines += ["", *function]
    if examples:
        mask = [True] * M if counts is None else list(counts)
        lines += ["", *_self_test(name, M, examples, mask)]
    guard = f"{name.upper()}_H"
    return "\n".join([f"#ifndef {guard}", f"#define {guard}", "", *lines, "", "#endif", ""])


def _self_test(name: str, M: int, examples: Sequence[Example], counts: Sequence[bool]) -> list[str]:
    cell, macro, n = cell_type(M), f"{name.upper()}_SELF_TEST", len(examples)
    rows = [f"{INDENT * 2}{_braces(map(_braces, pair))}," for pair in examples]
    return f"""\
#ifdef {macro}
/* cc -std=c11 -D{macro} -x c THIS_FILE && ./a.out */
#include <stdio.h>
#include <string.h>

int main(void) {{
    /* tapes, what they are afterwards, and the cells that count */
    static const {cell} examples[{n}][2][{M}] = {{
{chr(10).join(rows)}
    }};
    static const uint8_t counts[{M}] = {_braces(int(each) for each in counts)};
    int wrong = 0;
    for (int i = 0; i < {n}; i++) {{
        {cell} tape[{M}];
        memcpy(tape, examples[i][0], sizeof tape);
        {name}(tape);
        int differs = 0;
        for (int cell = 0; cell < {M}; cell++) {{
            differs |= counts[cell] && tape[cell] != examples[i][1][cell];
        }}
        wrong += differs;
    }}
    printf("{name}: %d of {n} examples are wrong\\n", wrong);
    return wrong != 0;
}}
#endif""".splitlines()


def _braces(parts: Iterable[object]) -> str:
    return "{" + ", ".join(map(str, parts)) + "}"
