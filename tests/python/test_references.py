"""A name means what it means when the function is called; what the text cannot tell is refused by name."""

import functools
import importlib.util
import sys
from itertools import count

import pytest

import anc
from anc.data.loading import load
from anc.language.source import Source
from anc.python.function import read
from anc.python.source import parse
from anc.support.diagnostics import AncError, SourceError

NUMBER = count()
HEAD = "import anc\n\n"
F = "@anc.function(memory=32)\ndef f(x: int) -> int:\n    return {}\n\n"
USES_LIMIT, USES_HELPER = F.format("x + LIMIT"), F.format("helper(x)")
HELPER = "def helper(a):\n    return a + 1\n\n"
# Of a file that is read: what its text is, and what is said of it.
UNKNOWN = {
    "bound again": ("LIMIT = 3\n" + USES_LIMIT + "LIMIT = 5\n", "'LIMIT' is bound in lines 3 and 8"),
    "added to": ("LIMIT = 3\nLIMIT += 1\n" + USES_LIMIT, "'LIMIT' is bound in lines 3 and 4"),
    "bound by a loop": ("LIMIT = 3\nfor LIMIT in (1, 2):\n    pass\n" + USES_LIMIT, "'LIMIT' is bound"),
    "only in a loop": ("for LIMIT in (1, 2):\n    pass\n" + USES_LIMIT, "only running line 3 tells"),
    "deleted": ("LIMIT = 3\n" + USES_LIMIT + "del LIMIT\n", "'LIMIT' is bound in lines 3 and 8"),
    "global": (
        "LIMIT = 3\n\ndef grow():\n    global LIMIT\n    LIMIT += 1\n\n" + USES_LIMIT,
        "'LIMIT' is bound in lines 3 and 6",
    ),
    "global in a class": ("LIMIT = 3\nclass C:\n    global LIMIT\n    LIMIT = 4\n" + USES_LIMIT, "bound in"),
    "conditional": ("if x:\n    LIMIT = 3\nelse:\n    LIMIT = 4\n" + USES_LIMIT, "only running line"),
    "walrus": ("LIMIT = 3\nprint([LIMIT := n for n in (1, 2)])\n" + USES_LIMIT, "is bound in lines"),
    "imported": ("from limits import LIMIT\n" + USES_LIMIT, "only running line 3 tells what 'LIMIT' is"),
    "as a module": ("LIMIT = 3\nimport limits as LIMIT\n" + USES_LIMIT, "is bound in lines 3 and 4"),
    "star behind": ("LIMIT = 3\nfrom x import *\n" + USES_LIMIT, "'import \\*' in line 4"),
    "star in a branch": ("LIMIT = 3\nif x:\n    from y import *\n" + USES_LIMIT, "in line 5"),
    "exception": ("LIMIT = 3\ntry:\n    x\nexcept E as LIMIT:\n    pass\n" + USES_LIMIT, "is bound in"),
    "with": ("LIMIT = 3\nwith x as LIMIT:\n    pass\n" + USES_LIMIT, "is bound in lines 3 and 4"),
    "match": ("LIMIT = 3\nmatch x:\n    case [*LIMIT]: pass\n" + USES_LIMIT, "is bound in lines 3 and 5"),
    "helper twice": (HELPER + USES_HELPER + HELPER, "'helper' is bound in lines 3 and 10"),
    "helper replaced": (HELPER + USES_HELPER + "helper = print\n", "'helper' is bound in lines 3 and 10"),
    "helper and import": (
        HELPER + "try:\n    from fast import helper\nexcept ImportError:\n    pass\n" + USES_HELPER,
        "'helper' is bound in lines 3 and 7",
    ),
    "helper and star": (HELPER + "from fast import *\n" + USES_HELPER, "'helper' may be bound by"),
    "helper decorated": ("@twice\n" + HELPER + USES_HELPER, "'helper' has a decorator"),
    "helper of a class": (HELPER + "class helper: pass\n" + USES_HELPER, "'helper' is bound in"),
    "helper decorated by another's function": (
        "import numba\n@numba.function\n" + HELPER + USES_HELPER,
        "'helper' has a decorator",
    ),
    "gone through": (
        "LIMIT = 3\nLIMIT = 4\n" + F.format("sum(LIMIT for LIMIT in range(LIMIT))"),
        "'LIMIT' is bound in lines 3 and 4",
    ),
    "in a helper": (
        "LIMIT = 3\nLIMIT = 4\ndef helper(a):\n    return a + LIMIT\n" + USES_HELPER,
        "x.py:6:16",
    ),
    "numpy's all": (
        "from numpy import all\n" + F.format("1 if all(x > i for i in range(3)) else 0"),
        "'all' is not Python's own function here: line 3 binds it",
    ),
    "own abs": ("abs = int\n" + F.format("abs(x)"), "'abs' is not Python's own function"),
    "own max": ("def max(a, b):\n    return a\n" + F.format("max(x, 2)"), "'max' is not Python's own"),
    "own len": ("def len(a):\n    return 3\n" + F.format("len((1, x))"), "'len' is not Python's own"),
    "own range": (
        "def range(n):\n    return (7,)\n" + F.format("sum(i for i in range(x))"),
        "'range' is not Python's own",
    ),
    "starred built-in": ("from numpy import *\n" + F.format("max(x, 2)"), "'max' may be bound by"),
    "function bound again": (F.format("x") + "f = print\n", "'f' is bound in lines 4 and 7"),
    "function twice": (F.format("x") + F.format("x + 1"), "'f' is bound in lines 4 and 8"),
    "function and star": (F.format("x") + "from x import *\n", "'f' may be bound by the 'import"),
    "function decorated by another's": (
        "import numba\n" + F.format("x").replace("anc", "numba"),
        "this decorator is not supported",
    ),
}  # fmt: skip
# What the text alone says for good.
KNOWN = {
    "once": "LIMIT = 3\n" + USES_LIMIT,
    "below": USES_LIMIT + "LIMIT = 3\n",
    "said first": "LIMIT: int\nLIMIT = 3\n" + USES_LIMIT,
    "star in front": "from x import *\nLIMIT = 3\n" + USES_LIMIT,
    "another's": "LIMIT = 3\nclass C:\n    LIMIT = 4\n\ndef g(LIMIT):\n    LIMIT = 5\n" + USES_LIMIT,
    "of a comprehension": "LIMIT = 3\nall(LIMIT for LIMIT in (1, 2))\n" + USES_LIMIT,
    "a local one": "LIMIT = 5\nLIMIT = 6\n"
    + F.format("y").replace("    return", "    LIMIT = 3\n    y = x + LIMIT\n    return"),
    "in a loop of its own": "LIMIT = 6\nLIMIT = 7\n" + F.format("x + sum(LIMIT for LIMIT in (1, 2))"),
    "of what a comprehension goes through": "LIMIT = 3\n"
    + F.format("x - 3 + sum(LIMIT for LIMIT in range(LIMIT + 1))"),
    "a variable of the same name": F.format("x - 3 + sum(x for x in range(x))"),
    "helper of anc": "@anc.function(memory=9)\ndef helper(a: int) -> int:\n    return a + 3\n\n"
    + USES_HELPER,
}  # fmt: skip


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_a_text_cannot_tell_is_refused_by_name(tmp_path, name):
    text, message = UNKNOWN[name]
    file = tmp_path / "x.py"
    file.write_text(HEAD + text)
    with pytest.raises(AncError, match=message) as caught:
        load(f"{file}:f")
    assert "help: " in str(caught.value)


@pytest.mark.parametrize("name", KNOWN)
def test_what_it_says_for_good_is_known(name):
    module = parse(Source(HEAD + KNOWN[name], "x.py"))
    function = read(module, module.functions["f"])
    assert function.result(anc.run(function, function.tape(4)).tape) == 7


@pytest.mark.parametrize("name", ["len", "all", "range", "zip", "max", "abs", "helper"])
def test_a_variable_is_no_function(name):
    text = (
        HELPER
        + f"def f(x: int, {name}: int) -> int:\n    if {name}(x):\n        x = 1\n    return x\n"
    )
    module = parse(Source(text, "x.py"))
    with pytest.raises(SourceError, match=f"'{name}' is a number or a list, not a function"):
        read(module, module.functions["f"], 32)


@pytest.fixture
def imported(tmp_path, monkeypatch):
    """Imports a text as a module, beside another one."""
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])

    def module(text, others=()):
        for name, other in dict(others).items():
            (tmp_path / f"{name}.py").write_text(other)
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        file = tmp_path / f"names_{next(NUMBER)}.py"
        file.write_text(HEAD + text)
        spec = importlib.util.spec_from_file_location(file.stem, file)
        found = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found)
        return found

    return module


def computed(function, *arguments):
    return function.result(anc.run(function, function.tape(*arguments)).tape)


REFUSED_LATER = {
    "star": ("LIMIT = 3\n" + USES_LIMIT + "from other import *\n", "'LIMIT' is 7, expected 3"),
    "now true": ("LIMIT = 1\n" + USES_LIMIT + "from truth import *\n", "'LIMIT' is True, expected 1"),
    "no number": ("LIMIT = 1\n" + USES_LIMIT + "from text import *\n", "'LIMIT' is '7', expected 1 as before"),
    "helper": (HELPER + USES_HELPER + "from other import *\n", "'helper' is other.helper, expected the"),
    "below": (USES_HELPER + HELPER + "from other import *\n", "'helper' is other.helper, expected the"),
    "max": (F.format("max(x, 2)") + "from other import *\n", "'max' is other.max, expected Python's"),
    "gone": ("LIMIT = 1\n" + USES_LIMIT + "globals().pop('LIMIT')\n", "'LIMIT' has no value"),
    "in a loop": (
        "for LIMIT in (1, 2):\n    if LIMIT == 1:\n"
        + "".join(f"        {line}\n" for line in USES_LIMIT.splitlines()),
        "'LIMIT' is 2, expected 1",
    ),
    "in a helper": (
        "LIMIT = 3\ndef helper(a):\n    return a + LIMIT\n" + USES_HELPER + "from other import *\n",
        "'LIMIT' is 7, expected 3",
    ),
}  # fmt: skip
REFUSED_AT_ONCE = {
    "star": ("from other import *\n" + F.format("max(x, 2)"), "'max' is other.max"),
    "any": ("from other import max as any\n" + F.format("1 if any((x, 2)) else 0"), "'any' is other.max"),
    "helper": ("def made(g):\n    return lambda a: g(a) + 1\n@made\n" + HELPER + USES_HELPER,
               "'helper' is names_.*made.<locals>.<lambda>, expected the function of line 6"),
    "wrapped": ("import functools\ndef made(g):\n    @functools.wraps(g)\n    def new(a):\n"
                "        return g(a) + 1\n    return new\n@made\n" + HELPER + USES_HELPER, "'helper' is"),
    "wrapped program": ("import functools\ndef made(g):\n    @functools.wraps(g)\n    def new(a):\n"
                "        return g(a) + 1\n    return new\n@made\n@anc.function(memory=32)\n"
                "def helper(a: int) -> int:\n    return a\n" + USES_HELPER, "'helper' is"),
    "private": ("__K = 3\nclass C:\n"
                + "".join(f"    {line}\n" for line in F.format("x + __K").splitlines()),
                "'__K' is private in a class"),
    "patched": ("import builtins\nbuiltins.max, kept = min, max\ntry:\n"
                + "".join(f"    {line}\n" for line in F.format("max(x, 2)").splitlines())
                + "finally:\n    builtins.max = kept\n", "'max' is builtins.min, expected Python's"),
    "bound twice": ("LIMIT = 3\nLIMIT = 4\n" + USES_LIMIT, "'LIMIT' is bound in lines 3 and 4"),
    "global": ("LIMIT = 3\ndef g():\n    global LIMIT\n    LIMIT = 4\n" + USES_LIMIT, "lines 3 and 5"),
    "closed over helper": (
        HELPER + "def make():\n    def helper(a):\n        return a\n"
        + "".join(f"    {line}\n" for line in USES_HELPER.splitlines()) + "make()\n",
        "'helper' is names_.*make.<locals>.helper, expected the function of line 3"),
    "not yet closed over": (
        "LIMIT = 3\ndef make():\n" + "".join(f"    {line}\n" for line in USES_LIMIT.splitlines())
        + "    LIMIT = 4\nmake()\n", "'LIMIT' has no value"),
    "nonlocal": (
        "def make():\n    LIMIT = 3\n    def g():\n        nonlocal LIMIT\n        LIMIT = 4\n"
        + "".join(f"    {line}\n" for line in USES_LIMIT.splitlines()) + "make()\n",
        "'LIMIT' is nonlocal in line 6"),
    "two of one name": (
        "LIMIT = 3\ndef helper(a):\n    return a + LIMIT\ndef make():\n    LIMIT = 4\n"
        + "".join(f"    {line}\n" for line in F.format("helper(x) + LIMIT").splitlines()) + "make()\n",
        "'LIMIT' is 3, expected 4"),
}  # fmt: skip
OTHER = {
    "other": "LIMIT = 7\ndef helper(a):\n    return 9\ndef max(*a):\n    return 0\n",
    "truth": "LIMIT = True\n",
    "text": "LIMIT = '7'\n",
}


@pytest.mark.parametrize("name", REFUSED_LATER)
def test_what_changes_behind_a_function_is_refused_when_something_is_made_of_it(imported, name):
    text, message = REFUSED_LATER[name]
    f = imported(text, OTHER).f
    for use in (
        lambda: f.program,
        lambda: f.exact,
        lambda: f.in_python(3),
        lambda: anc.run(f, [3]),
    ):
        with pytest.raises(SourceError, match=message):
            use()


@pytest.mark.parametrize("name", REFUSED_AT_ONCE)
def test_what_is_not_what_it_seems_is_refused_where_it_is_decorated(imported, name):
    text, message = REFUSED_AT_ONCE[name]
    with pytest.raises(SourceError, match=message):
        imported(text, OTHER)


def test_a_compiled_function_is_looked_at_again(imported, tmp_path):
    module = imported("LIMIT = 3\n" + F.format("LIMIT + sum(i for i in range(x)) - 6"))
    assert module.f(4) == computed(module.f, 4) == 3
    result = anc.adapt(module.f, samples=[[4]], method="specialise", seed=0)
    assert result.improved
    module.LIMIT = 5
    assert module.f(4) == 5  # calls of it stay Python's
    for use in (
        lambda: anc.run(module.f, module.f.tape(4)),
        lambda: anc.adapt(module.f, samples=[[4]], method="specialise", seed=0),
        lambda: result.save(tmp_path / "out"),
    ):
        with pytest.raises(AncError, match="'LIMIT' is 5, expected 3 as before"):
            use()
    module.LIMIT = 3
    assert computed(module.f, 4) == 3


ACCEPTED = {
    "imported": "from other import LIMIT\n" + USES_LIMIT,
    "tried": "try:\n    from nowhere import LIMIT\nexcept ImportError:\n    LIMIT = 7\n" + USES_LIMIT,
    "chosen": "if len([]):\n    LIMIT = 3\nelse:\n    LIMIT = 7\n" + USES_LIMIT,
    "computed": "LIMIT = len('sevenes')\n" + USES_LIMIT,
    "below": USES_LIMIT + "LIMIT = 7\n",
    "starred": "from other import *\n" + USES_LIMIT,
    "closure": "LIMIT = 3\ndef make(LIMIT):\n"
    + "".join(f"    {line}\n" for line in USES_LIMIT.splitlines()) + "    return f\nf = make(7)\n",
    "two closures": "def make():\n    LIMIT = 7\n    def inner():\n"
    + "".join(f"        {line}\n" for line in USES_LIMIT.splitlines())
    + "        return f\n    return inner()\nf = make()\n",
    "a method": "LIMIT = 7\nclass C:\n    LIMIT = 2\n"
    + "".join(f"    {line}\n" for line in USES_LIMIT.splitlines()) + "f = C.f\n",
    "helpers of anc": "@anc.record('calls.jsonl')\n@anc.function(memory=32)\ndef helper(a: int) -> int:\n"
    "    return a + 7\n\n" + USES_HELPER,
    "helper that failed to be replaced": "def helper(a):\n    return a + 7\ntry:\n    import nowhere\n"
    "except ImportError:\n    pass\n" + USES_HELPER,
}  # fmt: skip


@pytest.mark.parametrize("name", ACCEPTED)
def test_what_python_itself_finds_is_taken(imported, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    f = imported(ACCEPTED[name], OTHER).f
    assert f(4) == computed(f, 4) == 11


def test_a_wrapper_around_a_program_is_not_that_program(imported):
    f = imported(F.format("x")).f

    @functools.wraps(f)
    def more(x):
        return f(x) + 1

    with pytest.raises(AncError, match="expected a program"):
        anc.run(more, [3])


def test_truths_of_a_module_stay_truths(imported, tmp_path):
    text = (
        "OPEN, N = True, 2\nSHUT = False\nEACH = (True, False)\nMIXED = (True, 0, 3)\nALSO = SHUT\n"
    )
    text = text.replace("OPEN, N = True, 2", "OPEN = True\nN = -True")
    text += "@anc.function(memory=32, wrap=False)\ndef f(x: int) -> bool:\n"
    text += "    if x == 5 + MIXED[1]:\n        return EACH[1] or SHUT\n    return OPEN if x > 3 - N else ALSO\n"
    module = imported(text)
    result = anc.adapt(module.f, samples=[[3], [4], [9]], method="specialise", seed=0)
    result.save(tmp_path / "out", write_anyway=True)
    written = (tmp_path / "out" / "adapted.py").read_text()
    for line in (
        "OPEN = True",
        "N = -1",
        "SHUT = False",
        "EACH = (True, False)",
        "MIXED = (True, 0, 3)",
        "ALSO = False",
    ):
        assert f"{line}\n" in written
    space = {}
    exec(written, space)
    for x in (*range(12), 99, -5):
        assert repr(space["f"](x)) == repr(module.f(x))


def test_a_function_with_holes_is_looked_at_when_it_is_filled(imported):
    module = imported("LIMIT = 3\n" + F.format("x + anc.hole((1, 2)) + LIMIT"))
    cases = [[[4], 9], [[1], 6]]
    assert "x + 2 + LIMIT" in str(anc.fill(module.f, cases))
    module.LIMIT = 4
    with pytest.raises(SourceError, match="'LIMIT' is 4, expected 3 as before"):
        anc.fill(module.f, cases)
    with pytest.raises(SourceError, match="expected Python's own function"):
        text = "from other import max\n" + F.format("max(x, anc.hole((1, 2)))")
        anc.fill(imported(text, OTHER).f, cases)


def test_two_things_of_the_name_that_is_compiled_are_refused(imported):
    inner = F.format("helper(x)").replace("def f", "def other")
    text = "def other(a):\n    return a\n\ndef helper(a):\n    return other(a)\n\ndef make():\n"
    text += "".join(f"    {line}\n" for line in inner.splitlines()) + "make()\n"
    with pytest.raises(SourceError, match="'other' is also the name of the function"):
        imported(text)
