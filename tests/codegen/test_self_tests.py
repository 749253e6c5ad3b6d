"""Headers test themselves: what they are compared with is what Python makes of the same calls."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from codegen import exact_functions as given
from codegen.emitted import COMPILER, c_output, compiled_c
from codegen.test_exact_functions import CALLS, FACTS

from anc.codegen.functions import function_in_c
from anc.codegen.self_tests import UNKNOWN, known_calls
from anc.compiler import compile_source
from anc.language.source import Source
from anc.proof import Fact, parse_fact
from anc.python.function import Function
from anc.support.diagnostics import AncError

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
NAMES = ("total", "lowered", "priced", "is_above", "copied", "moved", "mixed")


def facts_of(function: Function) -> list[Fact]:
    texts = FACTS.get(function.name, ["tape[2] >= 3"])
    return [parse_fact(text, function.M) for text in texts]


def tapes_of(function: Function) -> list[tuple[int, ...]]:
    found = []
    for call in CALLS.get(function.name, [([1, 2], 3), ([15, 15], 15)]):
        try:
            found.append(function.tape(*call))
        except AncError:  # one that goes to the original
            continue
    return found


@pytest.mark.parametrize("name", NAMES)
def test_calls_inside_and_outside_are_known(name):
    function = getattr(given, name)
    facts = facts_of(function)
    calls = known_calls(function, facts, tapes_of(function))
    assert any(call.result != UNKNOWN for call in calls)
    assert any(call.result == UNKNOWN for call in calls)
    outside = [
        call
        for call in calls
        if call.result != UNKNOWN
        and not all(fact.holds(function.tape(*call.arguments)) for fact in facts)
    ]
    assert outside or name in ("priced", "copied", "moved")  # there nothing is outside for Python
    for call in calls if not function.wrap else ():
        arguments = [list(each) if isinstance(each, list) else each for each in call.arguments]
        if call.result != UNKNOWN:
            assert int(function.python(*arguments) or 0) == call.result
            assert tuple(tuple(each) for each in arguments if isinstance(each, list)) == call.lists


def test_headers_of_functions_test_themselves(tmp_path):
    """All in one file: one main calls the others."""
    texts, names = [], []
    for name in NAMES:
        function = getattr(given, name)
        text = function_in_c(function, function.program, facts_of(function), (), tapes_of(function))
        macro = f"{name.upper()}_SELF_TEST"
        assert f"#ifdef {macro}" in text
        renamed = text.replace("int main(void)", f"static int test_{name}(void)")
        for helper in ("is_right", "is_left"):
            renamed = renamed.replace(f"{helper}(", f"{name}_{helper}(")
        texts.append(f"#define {macro}\n{renamed}")
        names.append(name)
    main = f"int main(void) {{ return {' + '.join(f'test_{name}()' for name in names)}; }}"
    output = c_output("\n".join([*texts, main]), tmp_path)
    assert [line.split(" of ")[0] for line in output.splitlines()] == [f"{n}: 0" for n in NAMES]


def test_a_wrong_header_says_which_call_and_ends_with_1(tmp_path: Path):
    function = given.total
    wrong = compile_source(Source("memory 40; var a = READ(1); WRITE(5, a); STOP()")).program
    text = function_in_c(function, wrong, facts_of(function), (), tapes_of(function))
    binary = compiled_c(text, tmp_path, "-DTOTAL_SELF_TEST")
    done = subprocess.run([str(binary)], capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "total([3, 9], 1) is 3, expected 13" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("total: ")


def test_a_wrong_list_is_seen_as_well(tmp_path: Path):
    function = given.copied
    wrong = compile_source(Source("memory 40; var a = READ(3); WRITE(0, a); STOP()")).program
    text = function_in_c(function, wrong, facts_of(function), (), tapes_of(function))
    binary = compiled_c(text, tmp_path, "-DCOPIED_SELF_TEST")
    done = subprocess.run([str(binary)], capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "copied([1, 2], [3, 4]) leaves 3 at [0], expected 6" in done.stdout


def test_lists_that_overlap_are_not_changed(tmp_path):
    text = function_in_c(given.copied, given.copied.program, facts_of(given.copied))
    main = """
    #include <stdio.h>
    int main(void) {
        int32_t cells[4] = {1, 2, 3, 4};
        int one = copied(cells, cells), two = copied(cells, cells + 1), three = copied(cells + 1, cells);
        printf("%d %d %d %d%d%d%d ", one, two, three, cells[0], cells[1], cells[2], cells[3]);
        int four = copied(cells, cells + 2);
        printf("%d %d%d%d%d", four, cells[0], cells[1], cells[2], cells[3]);
        return 0;
    }"""
    assert c_output(f"{text}\n{main}", tmp_path) == "-1 -1 -1 1234 0 4264"
