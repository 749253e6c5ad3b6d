"""Self-tests of emitted headers: calls with what they must return, and a main that makes them.

The main prints what is wrong, and ends with 1 if anything is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from anc.codegen.c import LARGEST, UNKNOWN, cell_type
from anc.codegen.names import identifier
from anc.codegen.printer import INDENT, indented
from anc.codegen.signature import Parameter, Signature
from anc.machine import exact
from anc.machine.exact import Stop
from anc.machine.tapes import fill
from anc.program import Program
from anc.proof.facts import Fact
from anc.support.diagnostics import AncError

if TYPE_CHECKING:
    from anc.python.function import Function

_SAMPLES = 8
_OUTSIDE = 4
_TRIED = 300
_MAX_STEPS = 10_000


@dataclass(frozen=True)
class KnownCall:
    """The arguments of a call, its result, and its final lists."""

    arguments: tuple[Any, ...]
    result: int
    lists: tuple[tuple[int, ...], ...]


def known_calls(
    function: Function, facts: Sequence[Fact], tapes: Iterable[Sequence[int]]
) -> list[KnownCall]:
    """Calls of samples and examples, calls outside of the precondition, and calls out of range."""
    arguments_of = function.layout.arguments_of
    examples = [fill(example.input, function.M) for example in function.examples]
    samples = _distinct(map(arguments_of, (*examples, *tapes)))
    found = list(_judged(function, samples, _SAMPLES))
    others = _distinct(map(arguments_of, _around(function, samples)))
    outside = [a for a in others if not all(fact.holds(function.tape(*a)) for fact in facts)]
    found += _judged(function, outside, _OUTSIDE, answered=True)
    for arguments in samples[:1]:
        found += _judged(function, _beyond(function, arguments), _TRIED)
    return found


def _distinct(calls: Iterable[list[Any]]) -> list[list[Any]]:
    """The first calls, without duplicates."""
    return list({str(call): call for call in islice(calls, _TRIED)}.values())


def _judged(
    function: Function, calls: Iterable[list[Any]], most: int, answered: bool = False
) -> Iterator[KnownCall]:
    """The first calls with a known outcome; `answered`: only those with a result in Python."""
    judged = (known_call(function, arguments) for arguments in calls)
    good = (call for call in judged if call is not None)
    return islice((call for call in good if not answered or call.result != UNKNOWN), most)


def known_call(function: Function, arguments: Sequence[Any]) -> KnownCall | None:
    """The outcome of a call in Python; None if it takes too long."""
    lists = tuple(tuple(map(int, each)) for each in arguments if isinstance(each, list))
    given = tuple(arguments)
    unknown = KnownCall(given, UNKNOWN, lists)
    try:
        function.layout.check_lengths(arguments, function.M)
        tape = function.tape(*arguments)
    except AncError:
        return unknown
    if function.wrap:
        left = exact.run(function.program, tape, _MAX_STEPS)
        if left.stop is not Stop.STOPPED:
            return None
        _, changed = function.layout.changed(left.tape)
        return KnownCall(
            given, int(function.layout.result_of(left.tape) or 0), tuple(map(tuple, changed))
        )
    end = exact.run(function.exact, tape, _MAX_STEPS).stop
    if end is not Stop.STOPPED:
        return unknown if end is Stop.PAST_END else None
    outcome = function.in_python(*arguments)
    return KnownCall(given, int(outcome.result or 0), outcome.lists)


def _around(function: Function, calls: Sequence[list[Any]]) -> Iterator[tuple[int, ...]]:
    """Tapes that differ from those of calls in one cell of an argument."""
    M, layout = function.M, function.layout
    cells = range(M) if layout.tape else range(layout.cells - (layout.result is not None))
    for tape in (function.tape(*arguments) for arguments in calls):
        for cell in cells:
            for number in dict.fromkeys((0, 1, tape[cell] + 1, tape[cell] - 1, M // 2, M - 1)):
                if 0 <= number < M and number != tape[cell]:
                    yield (*tape[:cell], number, *tape[cell + 1 :])


def _beyond(function: Function, arguments: list[Any]) -> Iterator[list[Any]]:
    """Variants of a call with a number that does not fit, or a list that is too long."""
    for place, value in enumerate(arguments):
        for number in (-1, function.M, LARGEST, -LARGEST - 1):
            other: Any = number
            if isinstance(value, list):
                if not value:
                    continue
                other = [*value[:-1], number]
            yield [*arguments[:place], other, *arguments[place + 1 :]]
        p = None if function.layout.tape else function.layout.parameters[place]
        if p is not None and p.size is not None and p.length is not None:
            yield [*arguments[:place], [0] * (p.size + 1), *arguments[place + 1 :]]


# -- tapes ----------------------------------------------------------------------------


Example = tuple[Sequence[int], Sequence[int]]  # an initial and a final tape

_SHOWN = 8
_RUN = 200


def examples_of(
    program: Program, M: int, tapes: Iterable[Sequence[int]] | None = None
) -> list[Example]:
    """The first tapes, given or random, on which a program stops."""
    found: list[Example] = []
    for tape in islice(_drawn(M) if tapes is None else tapes, _RUN):
        run = exact.run(program, tape, _MAX_STEPS)
        if run.stop is Stop.STOPPED:
            found.append((tuple(tape), run.tape))
        if len(found) == _SHOWN:
            break
    return found


def _drawn(M: int) -> Iterable[tuple[int, ...]]:
    random = Random(f"examples/{M}")
    while True:
        yield tuple(random.randrange(M) for _ in range(M))


# -- the main of a header ------------------------------------------------------------


def tape_test(
    name: str, M: int, examples: Sequence[Example], counts: Sequence[bool] | None = None
) -> list[str]:
    """The self-test of a function of a tape; `counts` are the cells that it compares, or all."""
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
    /* initial and final tapes, and the cells that count */
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
    """The self-test of a function of arguments: calls, their results and final lists.

    If the function's guard fails, the result is -1, and lists are unchanged.
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
    """The names that a main uses in addition to the function that it tests."""

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
    """The declaration of an array; C has no empty arrays."""
    shown = _braces(map(_number, map(int, numbers or (0,))))
    return f"{'' if p.written else 'const '}int32_t {name}[{max(1, len(numbers))}] = {shown};"


def _number(number: int) -> str:
    """A number of 32 bits; C has no literal for the least one."""
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
