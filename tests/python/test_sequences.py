"""Lists, tuples, text, slices, tables and recursion: a program that stops has Python's result."""

import ast
from copy import deepcopy
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random

import pytest
from python.test_meaning import function_of

from anc.codegen.functions import function_in_python
from anc.language.source import read_source
from anc.machine.exact import Stop, run
from anc.python.function import read
from anc.python.source import parse
from anc.support.diagnostics import AncError

PROGRAMS = Path(__file__).parents[2] / "benchmarks" / "python_programs" / "sequences.py"
NAMES = [f.name for f in ast.parse(PROGRAMS.read_text()).body if isinstance(f, ast.FunctionDef)]
HEAD = "from typing import Annotated\nimport anc\n"
EIGHT = "Annotated[list[int], anc.Size(up_to=8)]"


def drawn(random: Random, p):
    if p.size is None:
        return random.choice(
            (random.randrange(6), random.randrange(40), random.randrange(-3, 3000))
        )
    numbers = [random.randrange(random.choice((3, 12))) for _ in range(random.randint(0, p.size))]
    if p.kind == "bytes":
        return bytes(numbers)
    letters = random.choice(("0123456789", "aeiouAbcX", "01a"))
    return "".join(random.choice(letters) for _ in numbers) if p.kind == "str" else numbers


def compared(function, call, python, emitted, arguments) -> bool:
    """Whether the exact program stops; then it and what is emitted have Python's result."""
    done = run(function.exact, function.tape(*arguments), 20_000)
    if done.stop is not Stop.STOPPED:
        assert done.stop is Stop.PAST_END
        return False
    given, again = deepcopy(arguments), deepcopy(arguments)
    wanted, found = python(*given), function.layout.result_of(done.tape)
    assert (found, isinstance(found, str)) == (wanted, isinstance(wanted, str)), (call, arguments)
    assert emitted(*again) == wanted and again == given
    return True


@pytest.fixture(scope="module")
def programs():
    spec = spec_from_file_location("sequences", PROGRAMS)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", NAMES)
def test_the_programs_do_what_python_does(name, programs):
    module = parse(read_source(PROGRAMS))
    function = read(module, module.functions[name])
    emitted: dict = {}
    exec(function_in_python(function, function.exact, ()), emitted)
    random, stopped = Random(name), 0
    for _ in range(60):
        arguments = [drawn(random, p) for p in function.layout.parameters]
        try:
            function.tape(*arguments)
        except AncError:  # a number that does not fit
            continue
        stopped += compared(function, name, getattr(programs, name), emitted[name], arguments)
    assert stopped > 3


# the arguments, the result, the body, a call that stops and one that the original makes
CASES = [
    ("v: EIGHT", "int", "return v[-1] + sum(v[1:]) + max(v[::2])", [([1, 2, 3],)], [([],)]),
    ("v: EIGHT", "EIGHT", "r = list(v)\nr.insert(1, 9)\nr.pop(0)\nr.remove(4)\nreturn r",
     [([3, 4],), ([4, 3, 4],)], [([3],)]),
    ("v: EIGHT", "EIGHT", "r = [4]\nfor e in v:\n    r.append(e)\nreturn r", [([1] * 7,)], [([1] * 8,)]),
    ("n: int", "int", "return (3, 1, 4, 1, 5, 9, 2, 6)[n] + [[1], [2, 3]][n % 2][0]", [(7,), (0,)], [(8,)]),
    ("n: int", "int", "if n > 5:\n    raise ValueError(f'{n}')\nassert n != 4, 'four'\nreturn n",
     [(5,)], [(6,), (4,)]),
    ("n: int", "int", "for i in range(n):\n    t = (i, 2)\nreturn t[0]", [(3,)], [(0,)]),
    ("s: WORD", "int", "return int(s) + ord(s[0])", [("12",)], [("1a",), ("",), ("-1",)]),
    ("s: WORD", "bool", "return s.isdigit() and s[0] in '123' and s != '12'", [("13",), ("",)], [("\u00b2",)]),
    ("n: int", "WORD", "s: WORD = ''\nwhile n:\n    s = str(n % 2) + s\n    n //= 2\nreturn s or '0'",
     [(10,), (0,)], []),
    ("a: int, b: int", "int", "return (a * 77 - b + 1000) % 256 + (a - b) % 10", [(200, 255), (0, 9)], []),
    ("n: int", "int", "return n * f(n - 1) if n else 1", [(5,), (0,)], [(7,)]),
    ("n: int, k: int = 2", "tuple[int, int]", "q, r = divmod(n, k)\nreturn r, q", [(7,), (7, 3)], [(7, 0)]),
    ("v: EIGHT, n: int", "int", "return v.index(n) * 8 + v.count(n)", [([3, 1, 3], 3)], [([3], 4)]),
    ("v: EIGHT", "int", "for e in v[1:]:\n    v[0] += e\n    v[-1] = 0\nreturn v[0]", [([1, 2, 3],)], [([],)]),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "result", "body", "good", "bad"), CASES)
def test_what_stops_is_python_s_and_the_original_makes_the_other_calls(
    arguments, result, body, good, bad
):
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    text = f"{HEAD}\ndef f({arguments}) -> {result}:\n{lines}\n"
    text = text.replace("WORD", "Annotated[str, anc.Size(up_to=8)]").replace("EIGHT", EIGHT)
    function = function_of(text.replace("\ndef f", "\n@anc.function(memory=256)\ndef f"))
    names: dict = {}
    exec(text, names)
    emitted: dict = {}
    exec(function_in_python(function, function.exact, ()), emitted)
    for call in good:
        assert compared(function, "f", names["f"], emitted["f"], list(call))
    for call in bad:
        assert not compared(function, "f", names["f"], emitted["f"], list(call))


def test_a_memory_that_is_left_out_is_the_smallest_for_the_calls():
    text = f"{HEAD}@anc.function()\ndef f(n: int) -> int:\n    return n * n % 10\n"
    function = function_of(text)
    assert function.M == 64 and function.is_sized
    assert function.fitted_to([[3], [40]]).M == 1601
    assert function.fitted_to([["x"], [-1]]).M == 64  # calls that say nothing
    with pytest.raises(AncError, match="how large is the memory"):
        function_of(text.replace("()", "(wrap=True)", 1))
