"""Everything of Python's grammar is supported, or refused with its own message and what to write instead."""

import ast
import sys

import pytest

from anc.language.source import Source
from anc.machine.exact import Stop, run
from anc.python.check import REFUSED
from anc.python.function import read
from anc.python.lowering import BRANCHES, STATEMENTS, VALUES
from anc.python.source import parse
from anc.support.diagnostics import AncError, SourceError

# Kinds that are a part of something that is supported.
PARTS = frozenset(
    {"Module", "Interactive", "Expression", "FunctionType", "TypeIgnore", "FunctionDef", "alias"}
    | {"Load", "Store", "Del", "And", "Or", "Not", "Invert", "UAdd", "USub", "Add", "Sub", "Mult"}
    | {"FloorDiv", "Mod", "Pow", "LShift", "RShift", "BitAnd", "BitOr", "BitXor"}
    | {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE", "In", "NotIn", "comprehension", "arguments"}
    | {"arg", "keyword", "Slice"}
)
HEAD = "import anc\n\n\ndef helper(a):\n    return a + 1\n\n\n@anc.function(memory=64)\n"
# One snippet for every kind of node that is refused: statements of a function with the argument x.
SNIPPETS = {
    "ClassDef": "class C: pass",
    "Lambda": "y = lambda: 3",
    "Delete": "del x",
    "With": "with x: pass",
    "Match": "match x:\n        case 1: pass",
    "Try": "try: pass\n    except ValueError: pass",
    "TryStar": "try: pass\n    except* ValueError: pass",
    "Import": "import os",
    "ImportFrom": "from os import path",
    "Global": "global y",
    "Nonlocal": "nonlocal x",
    "NamedExpr": "if (y := x): pass",
    "Dict": "y = {1: 2}",
    "Set": "y = {1, 2}",
    "SetComp": "y = sum({a for a in (1, 2)})",
    "DictComp": "y = sum({a: a for a in (1, 2)})",
    "Yield": "yield x",
    "YieldFrom": "yield from x",
    "JoinedStr": 'y = f"{x}"',
    "Attribute": "y = x.real",
    "Starred": "y = max(*(1, 2))",
    "Div": "y = x / 2",
    "MatMult": "y = x @ 2",
    "Is": "y = x is 2",
    "IsNot": "y = x is not 2",
}
# These can only stand inside one that is refused already, or in another kind of function.
INSIDE = {
    "AsyncFunctionDef": "async def f(x: int) -> int:\n    return x\n",
    "AsyncFor": "async def f(x: int) -> int:\n    async for y in x: pass\n",
    "AsyncWith": "async def f(x: int) -> int:\n    async with x: pass\n",
    "Await": "async def f(x: int) -> int:\n    await x\n",
    "ExceptHandler": SNIPPETS["Try"],
    "FormattedValue": SNIPPETS["JoinedStr"],
    "withitem": SNIPPETS["With"],
} | dict.fromkeys([name for name in REFUSED if name.lower().startswith("match")], SNIPPETS["Match"])
NEWER = {"TypeAlias", "TypeVar", "TypeVarTuple", "ParamSpec", "Interpolation", "TemplateStr"}
DEPRECATED = {"Num", "Str", "Bytes", "NameConstant", "Ellipsis", "Index", "ExtSlice", "Suite"} | {
    "AugLoad",
    "AugStore",
    "Param",
}


def refusal(text: str) -> SourceError:
    module = parse(Source(HEAD + text, "x.py"))
    with pytest.raises(SourceError) as caught:
        read(module, module.functions["f"])
    return caught.value


def body(snippet: str) -> str:
    return f"def f(x: int) -> int:\n    {snippet}\n    return x\n"


def test_every_kind_of_node_has_its_place():
    kinds = {
        name
        for name, kind in vars(ast).items()
        if isinstance(kind, type) and issubclass(kind, ast.AST) and not kind.__subclasses__()
    } - DEPRECATED
    lowered = {kind.__name__ for kind in (*STATEMENTS, *VALUES, *BRANCHES)}
    assert kinds <= lowered | PARTS | REFUSED.keys()
    assert not lowered & REFUSED.keys() and not PARTS & REFUSED.keys()
    tried = SNIPPETS.keys() | INSIDE.keys() | NEWER | {"Match"}
    assert tried >= REFUSED.keys()


@pytest.mark.parametrize("name", SNIPPETS)
def test_each_is_refused_with_its_own_message(name):
    what, instead = REFUSED[name]
    found = refusal(body(SNIPPETS[name]))
    match = [d for d in found.diagnostics if d.message == f"{what} is not supported"]
    assert match and match[0].help == instead
    assert match[0].span is not None and match[0].span.line == 10
    assert "^" in str(found) and "help:" in str(found)


@pytest.mark.parametrize("name", INSIDE)
def test_what_stands_inside_of_something_refused(name):
    text = INSIDE[name]
    found = refusal(text if text.startswith("async") else body(text))
    assert "is not supported" in str(found)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="newer grammar")
def test_type_parameters():
    assert "a type parameter" in str(refusal("def f[T](x: int) -> int:\n    return x\n"))
    assert "a type statement" in str(refusal(body("type T = int")))


def test_all_problems_at_once_each_in_its_line():
    found = refusal(body("y = x / 2\n    z = x @ y\n    del z"))
    assert [d.span.line for d in found.diagnostics] == [10, 11, 12]
    assert "/ does not give a whole number and is not supported" in str(found)


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        ("x", "what is 'x'?"),
        ("x: float", "no kind of argument"),
        ("x: list[int]", "how long is this list?"),
        ("x: Annotated[list[int], anc.Size(0)]", "whole number from 1 to 65536"),
        ("x: Annotated[list[int], anc.Size(x)]", "whole number from 1 to 65536"),
        ("*x", "*x is not supported"),
        ("**x", "**x is not supported"),
        ("x: int = y", "a default must be a known number or text"),
        ("x: str", "how long is this text?"),
        ("x: int, /", "by position only, or by name only"),
        ("*, x: int", "by position only, or by name only"),
    ],
)
def test_signatures(signature, message):
    assert message in str(refusal(f"def f({signature}) -> int:\n    return 1\n"))


@pytest.mark.parametrize(
    ("snippet", "message"),
    [
        ("y = z", "'z' is neither a variable nor a whole number of the module"),
        ("y = helperr(x)", "did you mean 'helper'?"),
        ("y = helper", "'helper' is a function, not a number"),
        ("y = helper(x, x)", "helper() takes 1 argument, found 2"),
        ("y = x(3)", "'x' is a number or a list, not a function"),
        ("y = print(x)", "the function 'print' is not supported"),
        ("y = x[0]", "only a list, a tuple, text or the tape has elements"),
        ("y = 64", "64 does not fit in a memory of 64 cells"),
        ("y = 2.5", "a number with a point is not supported"),
        ("y = x + 'a'", "this cannot be done with text"),
        ("y = max(x, key=x)", "max() takes plain arguments only"),
        ("raise Mine(x)", "this error is not Python's own"),
        ("y = [0] * x", "how long can this become?"),
        ("y = []\n    while x: y.append(x)", "how long can 'y' become?"),
        ("y = [1]; z = y; z[0] = 2", "another name of a list that changes"),
        ("y = [1]\n    for v in y: y.append(v)", "becomes longer or shorter in this loop"),
        ("y = (1, 2); y[0] = 3", "a tuple cannot be changed"),
        ("y = 'ab'.split()", "the method split() is not supported"),
        ("y = 'ab' in 'abc'", "only one character is looked for in text"),
        ("y = 1; y = (2, 3)", "'y' is a number elsewhere"),
        ("y = None", "None is not supported"),
        ("return 1, 2", "this returns a tuple: say so, and how long it can be"),
        ("y, z = 1, 2, 3", "2 targets for 3 values"),
        ("y, z = x", "this cannot be unpacked"),
        ("y = (v for v in (1, 2))", "expected a value, found a generator"),
        ("y = range(3)", "range() is not a number"),
        ("y = sum(x)", "this is not iterable"),
        ("y = len(x)", "len() takes a list, a tuple, text or the tape"),
        ("y = (1, 2)[5]", "there is no element 5"),
        ("for i in range(0, 9, 0): pass", "the step of a range must not be 0"),
        ("for i in range(x, -5, -1): pass", "must end at -1"),
        ("for i in range(-3, 3): pass", "this range leaves the numbers from 0 to 63"),
        ("for i in reversed(zip((1, 2))): pass", "can be reversed"),
        ("for i, j in range(3): pass", "each iteration gives one number here"),
        ("for i in enumerate((1, 2)): pass", "2 names are needed here"),
        ("if x: return", "other paths return a number"),
        ("def g(): pass", "a function inside a function is not supported"),
        ("y = sum([v async for v in x])", "async for is not supported"),
        ("assert z > 3", "'z' is neither a variable"),
    ],
)
def test_what_is_wrong_with_names_and_numbers(snippet, message):
    assert message in str(refusal(body(snippet)))


def test_a_path_without_a_result():
    text = "def f(x: int) -> int:\n    while x != 3:\n        return x\n"
    assert "does not return a number on every path" in str(refusal(text))
    text = "def f(x: int) -> int:\n    while True:\n        if x == 3:\n            return x\n"
    module = parse(Source(HEAD + text, "x.py"))
    assert read(module, module.functions["f"]).program.L > 0


def test_a_path_may_end_with_raise():
    text = "def f(x: int) -> int:\n    if x == 3:\n        return 1\n    raise ValueError(x)\n"
    module = parse(Source(HEAD + text, "x.py"))
    function = read(module, module.functions["f"])
    assert function.result(run(function.program, function.tape(3), 100).tape) == 1
    assert run(function.exact, function.tape(4), 100).stop is not Stop.STOPPED


def test_recursion_is_named():
    text = "def odd(x):\n    return f(x)\n\n@anc.function(memory=9)\ndef f(x: int) -> int:\n    return odd(x)\n"
    module = parse(Source("import anc\n" + text, "x.py"))
    with pytest.raises(SourceError, match="recursion: 'f' calls 'odd' calls 'f'"):
        read(module, module.functions["f"])


def test_what_is_no_python_at_all():
    for text in ("def f(:\n", "def f(x):\n\treturn\n        return", "\0", "(" * 5_000):
        with pytest.raises(SourceError, match="not Python"):
            parse(Source(text, "x.py"))


def test_what_python_parses_and_does_not_compile():
    assert "not Python: duplicate argument 'x'" in str(refusal("def f(x: int, x: int): pass\n"))
    assert "not Python: 'break' outside loop" in str(refusal("def f(x: int):\n    break\n"))
    helper = "def g(a, a):\n    return a\n\n"
    assert "duplicate" in str(refusal(f"{helper}def f(x: int) -> int:\n    return g(x, x)\n"))
    elsewhere = "def f(x: int) -> int:\n    return x\n\nawait x\n"  # as in a notebook
    module = parse(Source(HEAD + elsewhere, "x.py"))
    assert read(module, module.functions["f"], memory=64).program


def test_what_is_nested_too_deeply():
    text = f"def f(x: int) -> int:\n    return {'x + ' * 3_000}1\n"
    with pytest.raises(AncError, match=r"nested too deeply|not Python"):
        module = parse(Source(text, "x.py"))
        read(module, module.functions["f"], memory=64)
