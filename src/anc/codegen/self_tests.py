"""A main that tests the function of a header: it prints what is wrong, and ends with 1 if anything is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from anc.codegen.c import cell_type
from anc.codegen.calls import Example, KnownCall
from anc.codegen.names import identifier
from anc.codegen.printer import INDENT, indented
from anc.codegen.signature import Parameter, Signature


def tape_test(
    name: str, M: int, examples: Sequence[Example], counts: Sequence[bool] | None = None
) -> list[str]:
    """Of a function of a tape: examples, and which cells of the result matter (all if not given)."""
    if not examples:
        return []
    cell, n = cell_type(M), len(examples)
    mask = [1] * M if counts is None else [int(each) for each in counts]
    rows = [f"{INDENT * 2}{_braces(map(_braces, pair))}," for pair in examples]
    known, seen, wrong, i, differs, at = (
        identifier(word, {name}) for word in ("examples", "counts", "wrong", "i", "differs", "cell")
    )
    return _behind_macro(
        name,
        f"""\
int main(void) {{
    /* tapes, what they are afterwards, and the cells that count */
    static const {cell} {known}[{n}][2][{M}] = {{
{chr(10).join(rows)}
    }};
    static const uint8_t {seen}[{M}] = {_braces(mask)};
    int {wrong} = 0;
    for (int {i} = 0; {i} < {n}; {i}++) {{
        {cell} tape[{M}];
        memcpy(tape, {known}[{i}][0], sizeof tape);
        {name}(tape);
        int {differs} = 0;
        for (int {at} = 0; {at} < {M}; {at}++) {{
            {differs} |= {seen}[{at}] && tape[{at}] != {known}[{i}][1][{at}];
        }}
        {wrong} += {differs};
    }}
    printf("{name}: %d of {n} examples are wrong\\n", {wrong});
    return {wrong} != 0;
}}""".splitlines(),
    )


def call_test(name: str, says: str, signature: Signature, calls: Sequence[KnownCall]) -> list[str]:
    """Of a function of arguments: calls, what they return and how they leave the lists.

    Where the function does not know, that is -1, and the lists are as they were.
    """
    if not calls:
        return []
    changed = any(p.written for p in signature.parameters)
    words = _Words(*(identifier(word, {name}) for word in ("call", "wrong", "is_right", "is_left")))
    lines = words.first_lines(changed) + ["", "int main(void) {"]
    lines.append(f"{INDENT}int {words.wrong} = 0;")
    for call in calls:
        lines += indented(["{", *indented(_call(name, says, signature, call, words)), "}"])
    said = f'"{name}: %d of {len(calls)} calls are wrong\\n"'
    lines.append(f"{INDENT}printf({said}, {words.wrong});")
    return _behind_macro(name, [*lines, f"{INDENT}return {words.wrong} != 0;", "}"])


class _Words(NamedTuple):
    """What a main has names for beside the function that it tests."""

    call: str
    wrong: str
    is_right: str
    is_left: str

    def first_lines(self, changed: bool) -> list[str]:
        lines = _IS_RIGHT + ([""] + _IS_LEFT if changed else [])
        return [
            line.replace("IS_RIGHT", self.is_right).replace("IS_LEFT", self.is_left)
            for line in lines
        ]


_IS_RIGHT = """\
static int IS_RIGHT(const char *call, int32_t found, int32_t expected) {
    if (found != expected) {
        printf("%s is %ld, expected %ld\\n", call, (long)found, (long)expected);
    }
    return found == expected;
}""".splitlines()
_IS_LEFT = """\
static int IS_LEFT(const char *call, const int32_t *found, const int32_t *expected, int n) {
    for (int i = 0; i < n; i++) {
        if (found[i] != expected[i]) {
            printf("%s leaves %ld at [%d], expected %ld\\n", call, (long)found[i], i, (long)expected[i]);
            return 0;
        }
    }
    return 1;
}""".splitlines()


def _call(name: str, says: str, signature: Signature, call: KnownCall, words: _Words) -> list[str]:
    lines, passed, tests = [], [], []
    lists, taken = iter(call.lists), {name, *words}
    for p, value in zip(signature.parameters, call.arguments, strict=True):
        if p.size is None:
            passed.append(_number(int(value)))
            continue
        left, given = next(lists), identifier(p.name, taken)
        taken.add(given)
        lines.append(_declared(p, given, value))
        passed += [given, *([] if p.length is None else [str(len(value))])]
        if p.written and value:
            expected = identifier(f"{p.name}_left", taken)
            taken.add(expected)
            lines.append(_declared(p, expected, left).replace("int32_t", "const int32_t"))
            tests.append(f"{words.is_left}({words.call}, {given}, {expected}, {len(value)})")
    shown = ", ".join(str(value) for value in call.arguments)
    lines[:0] = [f'const char *{words.call} = "{says}({shown})";']
    result = f"{name}({', '.join(passed)}), {_number(call.result)}"
    tests.insert(0, f"{words.is_right}({words.call}, {result})")
    if len(tests) == 1:
        return [*lines, f"{words.wrong} += !{tests[0]};"]
    first, *others = tests
    return [*lines, f"{words.wrong} += !({first}", *(f"{INDENT * 2}&& {each}" for each in others[:-1]),
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
