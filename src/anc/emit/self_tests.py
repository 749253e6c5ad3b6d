"""A main that tests the function of a header: it prints what is wrong, and ends with 1 if anything is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anc.emit.c import cell_type
from anc.emit.calls import KnownCall
from anc.emit.examples import Example
from anc.emit.printer import INDENT, indented
from anc.emit.signature import Parameter, Signature


def tape_test(
    name: str, M: int, examples: Sequence[Example], counts: Sequence[bool] | None = None
) -> list[str]:
    """Of a function of a tape: examples, and which cells of the result matter (all if not given)."""
    if not examples:
        return []
    cell, n = cell_type(M), len(examples)
    mask = [1] * M if counts is None else [int(each) for each in counts]
    rows = [f"{INDENT * 2}{_braces(map(_braces, pair))}," for pair in examples]
    return _behind_macro(
        name,
        f"""\
int main(void) {{
    /* tapes, what they are afterwards, and the cells that count */
    static const {cell} examples[{n}][2][{M}] = {{
{chr(10).join(rows)}
    }};
    static const uint8_t counts[{M}] = {_braces(mask)};
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
}}""".splitlines(),
    )


def call_test(name: str, says: str, signature: Signature, calls: Sequence[KnownCall]) -> list[str]:
    """Of a function of arguments: calls, what they return and how they leave the lists.

    Where the function does not know, that is -1, and the lists are as they were.
    """
    if not calls:
        return []
    signature = signature.in_c()
    changed = any(p.written for p in signature.parameters)
    lines = _IS_RIGHT + ([""] + _IS_LEFT if changed else []) + ["", "int main(void) {"]
    lines.append(f"{INDENT}int wrong = 0;")
    for call in calls:
        lines += indented(["{", *indented(_call(name, says, signature, call)), "}"])
    lines.append(f'{INDENT}printf("{name}: %d of {len(calls)} calls are wrong\\n", wrong);')
    return _behind_macro(name, [*lines, f"{INDENT}return wrong != 0;", "}"])


_IS_RIGHT = """\
static int is_right(const char *call, int32_t found, int32_t expected) {
    if (found != expected) {
        printf("%s is %ld, expected %ld\\n", call, (long)found, (long)expected);
    }
    return found == expected;
}""".splitlines()
_IS_LEFT = """\
static int is_left(const char *call, const int32_t *found, const int32_t *expected, int n) {
    for (int i = 0; i < n; i++) {
        if (found[i] != expected[i]) {
            printf("%s leaves %ld at [%d], expected %ld\\n", call, (long)found[i], i, (long)expected[i]);
            return 0;
        }
    }
    return 1;
}""".splitlines()


def _call(name: str, says: str, signature: Signature, call: KnownCall) -> list[str]:
    lines, passed, tests = [], [], []
    lists = iter(call.lists)
    for p, value in zip(signature.parameters, call.arguments, strict=True):
        if p.size is None:
            passed.append(_number(int(value)))
            continue
        left = next(lists)
        lines.append(_declared(p, p.name, value))
        passed += [p.name, *([] if p.length is None else [str(len(value))])]
        if p.written and value:
            lines.append(_declared(p, f"{p.name}_left", left).replace("int32_t", "const int32_t"))
            tests.append(f"is_left(call, {p.name}, {p.name}_left, {len(value)})")
    words = ", ".join(str(value) for value in call.arguments)
    lines[:0] = [f'const char *call = "{says}({words})";']
    tests.insert(0, f"is_right(call, {name}({', '.join(passed)}), {_number(call.result)})")
    if len(tests) == 1:
        return [*lines, f"wrong += !{tests[0]};"]
    first, *others = tests
    return [*lines, f"wrong += !({first}", *(f"{INDENT * 2}&& {each}" for each in others[:-1]),
            f"{INDENT * 2}&& {others[-1]});"]  # fmt: skip


def _declared(p: Parameter, name: str, numbers: Sequence[int]) -> str:
    """An array; C has none without elements."""
    shown = _braces(map(_number, map(int, numbers or (0,))))
    return f"{'' if p.written else 'const '}int32_t {name}[{max(1, len(numbers))}] = {shown};"


def _number(number: int) -> str:
    """A number of 32 bits; the lowest one has no words of its own in C."""
    return "INT32_MIN" if number == -(2**31) else str(number)


def _behind_macro(name: str, main: Sequence[str]) -> list[str]:
    macro = f"{name.upper()}_SELF_TEST"
    return [
        f"#ifdef {macro}",
        f"/* cc -std=c11 -D{macro} -x c THIS_FILE && ./a.out */",
        "#include <stdio.h>",
        "#include <string.h>",
        "",
        *main,
        "#endif",
    ]


def _braces(parts: Iterable[object]) -> str:
    return "{" + ", ".join(map(str, parts)) + "}"
