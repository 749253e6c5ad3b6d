"""Whatever users call things, emitted functions are the original ones: their own names give way."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import subprocess

import pytest
from codegen.emitted import COMPILER, c_output
from codegen.test_exact_functions import outcome
from python.interpreter import meaning

from anc.codegen.functions import function_in_c, function_in_python
from anc.codegen.names import identifier
from anc.compiler import compile_source
from anc.language.source import Source
from anc.proof import parse_fact
from anc.python.calls import OWN
from anc.python.function import Function, read
from anc.python.source import parse
from anc.support.diagnostics import SourceError

M = 60
TEXT = """\
from typing import Annotated
import anc

def {function}({number}: int, {list}: Annotated[list[int], anc.Size(up_to=3)]) -> int:
    {local} = {number} + {constant}
    for v in {list}:
        {local} += v if v < {number} else {helper}(v)
    return {local}

def {helper}(value):
    return value + {constant}

{constant} = 2
"""
C_KEYWORDS = re.findall(
    r"\w+",
    """
    auto break case char const continue default do double else enum extern float for goto if inline int
    long register restrict return short signed sizeof static struct switch typedef union unsigned void
    volatile while asm typeof bool true false main
    """,
)
HEADERS = "".join(f"#include <{name}.h>\n" for name in ("assert", "stdint", "stdio", "string"))
ROLES = ("function", "number", "list", "local", "constant", "helper")
CALLS = [(3, []), (3, [1]), (0, [2, 1]), (5, [9, 1, 7]), (1, [1, 2, 3, 4]), (True, [1]), (3, [1.5])]
CALLS += [(59, [1]), (-1, [3]), (3, [-2]), (9, (1, 2))]


def own_words() -> set[str]:
    """The names that emitted functions have of their own."""
    function = made(dict(zip(ROLES, ("f", "a", "b", "c", "d", "e"), strict=True)))
    facts = ["sorted(tape[i] for i in range(2, 5))", "tape[0] != 3", "tape[tape[1]] != 4"]
    known = [parse_fact(fact, M) for fact in facts]
    texts = [function_in_python(function, function.program, known)]
    texts += [function_in_c(function, function.program, known)]
    found = set(re.findall(r"[^\W\d]\w*", " ".join(texts)))
    return found | {
        f"{name}{more}" for name in ("a", "b", "int", "f") for more in ("_", "_2", "__")
    }


def of_headers() -> set[str]:
    """All names that C's compiler finds in the headers."""
    if COMPILER is None:
        return set()

    def said(*flags: str) -> str:
        command = [COMPILER or "", *flags, "-E", "-x", "c", "-"]
        return subprocess.run(command, input=HEADERS, capture_output=True, text=True).stdout

    macros = set(re.findall(r"#define ([A-Za-z]\w*)", said("-std=gnu11", "-dM")))
    text = "\n".join(line for line in said("-std=c11").splitlines() if not line.startswith("#"))
    return macros | set(re.findall(r"\b[A-Za-z]\w*", text))


def all_names() -> list[str]:
    names = {
        *dir(builtins),
        *C_KEYWORDS,
        *of_headers(),
        *own_words(),
        *map(str, keyword.softkwlist),
    }
    names |= {"number", "line", "j", "cell_1", "cell_9", "_MAX", "_ADD", "f_original", "v_2", "EOF"}
    good = (name for name in names if name.isidentifier() and not keyword.iskeyword(name))
    return sorted(
        {name for name in good if name not in ("anc", "Annotated", "v", "value", "__debug__")}
    )


def made(names: dict[str, str]) -> Function:
    module = parse(Source(TEXT.format(**names), "x.py"))
    return read(module, module.functions[names["function"]], M)


def original(names: dict[str, str]):
    space: dict = {}
    exec(TEXT.format(**names), space)
    return space[names["function"]]


def emitted(text: str, name: str):
    space: dict = {"__name__": "adapted"}
    exec(text, space)
    return space[name]


def rounds() -> list[dict[str, str]]:
    """Every name in every other role, once."""
    names = all_names()
    found = []
    for place in range(0, len(names), 2):
        chosen = [names[(place + 7 * k) % len(names)] for k, _ in enumerate(ROLES)]
        while chosen[-1] in OWN:  # a helper of such a name is refused
            chosen[-1] = names[(names.index(chosen[-1]) + 1) % len(names)]
        if chosen[-2] == "int":
            chosen[-2] = "another"  # int is what the arguments are said to be
        if len(set(chosen)) == len(ROLES):
            found.append(dict(zip(ROLES, chosen, strict=True)))
    return found


def test_every_name_may_be_anything(tmp_path):
    headers, calls, expected, seen = [HEADERS], [], [], set()
    facts = [parse_fact("tape[0] <= 30", M), parse_fact("tape[1] != 3 or tape[2] <= tape[3]", M)]
    for names in rounds():
        function, python = made(names), original(names)
        new = emitted(function_in_python(function, function.program, facts), names["function"])
        for call in CALLS:
            assert outcome(new, call) == outcome(python, call), (names, call)
        named = {names["number"]: 4, names["list"]: [1, 5]}
        assert new(**named) == python(**named), names
        c_name = identifier(names["function"])
        if c_name not in seen and c_name != "f_generic":  # which stands in the header of f
            seen.add(c_name)
            headers.append(function_in_c(function, function.program, facts))
            for a, b in CALLS[:4]:
                given = ", ".join(map(str, b)) or "0"
                call = f"{c_name}({a}, (int32_t[]){{{given}}}, {len(b)})"
                calls.append(f'    printf("{names["function"]} %d\\n", {call});')
                expected.append(f"{names['function']} {python(a, b)}")
    if COMPILER is not None:
        text = "\n".join([*headers, "int main(void) {", *calls, "    return 0;", "}"])
        assert c_output(text, tmp_path).splitlines() == expected


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
@pytest.mark.parametrize(
    "name", ["call", "wrong", "is_right", "is_left", "i", "cell", "numbers", "a"]
)
def test_headers_test_themselves_whatever_they_are_called(tmp_path, name):
    other = "call" if name == "wrong" else "wrong"
    text = f"""\
from typing import Annotated
import anc
def {name}({name}: Annotated[list[int], anc.Size(2)], {other}_left: int, {other}: Annotated[list[int], anc.Size(2)]):
    {name}[0] = {other}[1] + {other}_left
"""
    module = parse(Source(text, "x.py"))
    function = read(module, module.functions[name], M)
    header = function_in_c(function, function.program, [], (), [function.tape([1, 2], 3, [4, 5])])
    output = c_output(header, tmp_path, f"-D{identifier(name).upper()}_SELF_TEST")
    assert output.startswith(f"{name}: 0 of ")


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
@pytest.mark.parametrize("name", ["examples", "counts", "wrong", "i", "differs", "cell"])
def test_so_do_those_of_a_tape(tmp_path, name):
    from anc.codegen import to_c

    program = compile_source(Source("memory 8; var a = READ(1); WRITE(2, a); STOP()")).program
    assert ": 0 of " in c_output(to_c(program, name=name), tmp_path, f"-D{name.upper()}_SELF_TEST")


def test_variables_of_c_are_apart_from_lengths_and_functions(tmp_path):
    text = """\
from typing import Annotated
import anc
def f(values: Annotated[list[int], anc.Size(up_to=3)], _a: int, a: int, é: int, x: int) -> int:
    values_length = len(values)
    f_min = min(_a, a + é)
    f_generic = max(f_min, values_length)
    for v in values:
        f_min += v
        values_length += f_generic
    return f_min + values_length + x
"""
    module = parse(Source(text, "x.py"))
    function = read(module, module.functions["f"], M)
    space: dict = {}
    exec(text, space)
    new = emitted(function_in_python(function, function.program, []), "f")
    calls = [([], 1, 2, 3, 4), ([3], 9, 2, 3, 4), ([1, 1, 2], 3, 0, 1, 1)]
    for call in calls:
        assert new(*call) == space["f"](*call)
    if COMPILER is not None:
        tapes = [function.tape(*call) for call in calls]
        header = function_in_c(function, function.program, [], (), tapes)
        assert c_output(header, tmp_path, "-DF_SELF_TEST").startswith("f: 0 of ")


@pytest.mark.parametrize("name", sorted(OWN))
def test_an_own_helper_that_python_has_is_refused(name):
    names = dict(zip(ROLES, ("f", "a", "b", "c", "d", name), strict=True))
    with pytest.raises(SourceError, match=f"'{name}' is not Python's own function here"):
        made(names)


@pytest.mark.parametrize("name", ["f_generic", "type", "number", "ValueError", "_XOR"])
def test_where_wrapping_around_is_meant_as_well(name):
    text = f"def {name}({name}: int, x: int) -> int:\n    return ({name} ^ x) + 59\n"
    module = parse(Source(text, "x.py"))
    function = read(module, module.functions[name], M, wrap=True)
    text = function_in_python(function, function.program, [parse_fact("tape[0] <= 3", M)])
    new = emitted(text, name)
    for a, b in ((1, 2), (3, 9), (7, 7), (61, 200)):
        assert new(a, b) == meaning(function, function.tape(a % M, b % M)).result
    assert ast.parse(text)


@pytest.mark.parametrize("name", ["type", "set", "number", "cell", "next", "tape_2"])
def test_helpers_of_a_function_of_the_tape(name):
    text = f"""\
def f(tape: list):
    tape[1] = {name}(tape[0])

def {name}(value: int):
    return value + 1
"""
    module = parse(Source(text, "x.py"))
    function = read(module, module.functions["f"], M)
    space: dict = {}
    exec(text.replace(": list", ""), space)
    for names in (["tape[0] != 3"], ["tape[0] <= 9", "sorted(tape[2:5])"], []):
        facts = [parse_fact(fact, M) for fact in names]
        new = emitted(function_in_python(function, function.program, facts), "f")
        for cells in ([5, 1, 2], [3, 1, 2], [58, 9, 9, 0], [-2, 4], [True, 4]):
            for tape in (cells, cells + [0] * (M - len(cells))):
                assert outcome(new, (tape,)) == outcome(space["f"], (tape,))
