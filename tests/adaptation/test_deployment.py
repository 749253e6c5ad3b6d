"""What is deployed is the fastest of all that is proved, and does what the original does on every call."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import pytest
from codegen.emitted import COMPILER, c_output

import anc
from anc.adaptation import deployment
from anc.adaptation import worth as measuring
from anc.adaptation.lookup import look_up, table_on
from anc.adaptation.texts import report
from anc.codegen.functions import function_in_c, function_in_python
from anc.codegen.tables import shortened

Three = Annotated[list[int], anc.Size(3)]


class Whole(int):
    """It computes in another way."""

    def __mod__(self, other: Any) -> Any:
        return 99

    def __gt__(self, other: Any) -> Any:
        return False


class Row(list):
    def __getitem__(self, place: Any) -> Any:
        return 1


@anc.function(memory=64)
def days(month: int, leap: bool) -> int:
    total = 3 * (month - 1)
    if leap and month > 2:
        total += 1
    return total % 60


@anc.function(memory=300)
def ratio(values: Three, divisor: int) -> bool:
    return (values[0] + 2 * values[1]) % divisor == values[2]


@anc.function(memory=600)
def common(size: int, n: int) -> int:
    while n:
        size, n = n, size % n
    return size


@anc.function(memory=2200)
def leap(year: int, shown: bool) -> bool:
    return shown and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


SIZES = [((300, 312, 360)[n % 3], 1 + n * 7 % 500) for n in range(600)]
YEARS = [(2000 + n % 50, n % 3 == 0) for n in range(60)]
DAYS = [(n % 6 + 1, n % 4 == 0) for n in range(60)]
RATIOS = [([n % 9, n % 5, 1], 7) for n in range(60)]
STRANGE = (
    True,
    False,
    1.0,
    2.0,
    "1",
    None,
    -1,
    10**30,
    Whole(1),
    Whole(3),
    64,
    300,
    -24,
    13,
    1999,
    2051,
    -52,
    -2051,
    Whole(2004),
    2004.0,
    [1],
    (1,),
)


def outcome(function: Any, call: Any) -> tuple[Any, Any]:
    """What a call returns, and its type; or the kind of its error."""
    try:
        found = function(*call)
    except Exception as problem:
        return "error", type(problem)
    return found, type(found)


def calls_of(good: list) -> list:
    """Good calls, and each with something strange in each place."""
    found = list(good[:10])
    for call in good[:3]:
        for place, argument in enumerate(call):
            others = list(STRANGE)
            if isinstance(argument, list):
                others += [
                    argument[:-1],
                    [*argument, 1],
                    tuple(argument),
                    Row(argument),
                    [],
                    iter(argument),
                ]
                for strange in STRANGE:
                    others += [[*argument[:i], strange, *argument[i + 1 :]] for i in range(3)]
            found += [(*call[:place], other, *call[place + 1 :]) for other in others]
    return found


@pytest.mark.parametrize(
    ("function", "good"), [(days, DAYS), (ratio, RATIOS), (common, SIZES), (leap, YEARS)]
)
@pytest.mark.parametrize("is_table", [True, False])
def test_it_is_the_original_on_every_call(function, good, is_table):
    tapes = [function.tape(*call) for call in good]
    known = look_up(function, tapes)
    assert known is not None
    body = known.table if is_table else function.exact
    space: dict[str, Any] = {}
    exec(function_in_python(function, body, known.facts), space)
    original, reached = space[f"{function.name}_original"], []
    space[f"{function.name}_original"] = lambda *call: reached.append(call) or original(*call)
    for call in good:
        assert outcome(space[function.name], call) == outcome(original, call)
    assert not reached
    for call in calls_of(good):
        wanted = outcome(original, call)
        assert outcome(space[function.name], call) == wanted, call


def test_an_iterator_reaches_the_original_as_it_was():
    """No check takes elements out of it."""
    known = look_up(ratio, [ratio.tape(*call) for call in RATIOS])
    assert known is not None
    space: dict[str, Any] = {}
    exec(function_in_python(ratio, known.table, known.facts), space)
    space["ratio_original"] = lambda values, divisor: list(values)
    assert space["ratio"](iter([1, 2, 3]), 7) == [1, 2, 3]


def test_a_table_has_only_what_the_original_answers():
    @anc.function(memory=64)
    def share(n: int, parts: int) -> int:
        return n // parts

    def on(calls):
        return look_up(share, [share.tape(*call) for call in calls])

    known = on([(n % 20 + 1, n % 5 + 1) for n in range(100)])
    assert known is not None  # 0 parts were not seen, and are an error
    assert [str(fact) for fact in known.facts] == ["1 <= tape[0] <= 20", "1 <= tape[1] <= 5"]
    assert known.table.numbers == [n // parts for n in range(1, 21) for parts in range(1, 6)]
    assert on([(n, n + 1) for n in range(63)]) is not None
    assert on([(5, 0), (5, 3)]) is None


def test_a_table_leaves_out_what_does_not_matter_but_checks_it():
    @anc.function(memory=64)
    def first(a: int, b: int) -> int:
        return a * 2 if b < 10 else a

    known = look_up(first, [first.tape(n % 4, n % 3) for n in range(60)])
    assert known is not None and len(known.table.cells) == 1
    assert [str(fact) for fact in known.facts] == ["0 <= tape[0] <= 3", "0 <= tape[1] <= 2"]


def test_a_table_has_the_values_themselves_where_few_come_again_and_again():
    known = look_up(common, [common.tape(*call) for call in SIZES])
    assert known is not None
    assert [str(fact) for fact in known.facts] == [
        "tape[0] in (300, 312, 360)",
        "1 <= tape[1] <= 500",
    ]
    assert known.table.sets == ((0, 300, 312, 360),) and len(known.table.numbers) == 1500
    text = function_in_python(common, known.table, known.facts)
    assert "_results = {" in text and "type(size) is int and type(n) is int and n >= 1" in text
    few = [common.tape(*call) for call in SIZES[::70]]
    assert look_up(common, few) is None  # too few to tell


@pytest.mark.parametrize("is_table", [True, False])
def test_large_values_with_gaps_are_checked_where_they_are_no_index(is_table):
    known = table_on(leap, {0: (1146, 1629, 2011), 1: (1,)})
    assert known is not None and not known.table.cells
    space: dict[str, Any] = {}
    exec(function_in_python(leap, known.table if is_table else leap.exact, known.facts), space)
    reached = []
    space["leap_original"] = lambda *call: reached.append(call)
    for year in (1146, 1629, 2011):
        assert space["leap"](year, True) is False
    assert not reached
    for year in (80, 1145, 2012, 2199):
        space["leap"](year, True)
    assert len(reached) == 4


def test_where_a_table_ends_no_number_is_compared_with_its_last():
    known = look_up(leap, [leap.tape(*call) for call in YEARS])
    assert known is not None
    text = function_in_python(leap, known.table, known.facts)
    assert "*((),) * 2000," in text and "<= 2049" not in text and "year >= 2000" in text


@anc.function(memory=128)
def both(n: int, k: int) -> tuple[int, int]:
    total = n * k + 3
    return total % 7, total // 7


@anc.function(memory=128)
def tally(n: int) -> Annotated[list[int], anc.Size(up_to=3)]:
    found = []
    for i in range(n):
        found.append(i * 2)
    return found


@anc.function(memory=128)
def binary(n: int) -> Annotated[str, anc.Size(up_to=3)]:
    text = ""
    while n:
        text = str(n % 2) + text
        n //= 2
    return text


@anc.function(memory=128)
def same(values: Three) -> Three:
    return values


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (both, [(n % 6, n % 5) for n in range(60)]),
        (tally, [(n % 4,) for n in range(60)]),
        (binary, [(n % 8,) for n in range(60)]),
        (same, [([n % 3, n % 2, 1],) for n in range(60)]),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_several_results_come_back_whole(function, calls):
    """A table holds one number for each call, so it is none of what may be deployed here."""
    found = anc.adapt(function, calls, evaluations=20_000, method="specialise")
    assert all(each.table is None for each in found.may_be_deployed)
    for each in found.may_be_deployed:
        space: dict[str, Any] = {}
        exec(each.python, space)
        for call in calls:
            new, old = outcome(space[function.name], call), outcome(function, call)
            assert new == old and type(new[0]) is type(old[0])


@anc.function(memory=128)
def is_code(text: Annotated[str, anc.Size(2)]) -> bool:
    return text[0] in "ab" and text[1].isdigit()


@anc.function(memory=64)
def all_even(n: int, most: int) -> bool:
    if most == 0:
        return True
    if n % 2:
        return False
    return all_even(n // 2, most - 1)


@anc.function(memory=64)
def first_flag(a: int, b: int) -> bool:
    flags = [a > b, a == b, b > 3]
    return flags[a % 3]


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (is_code, [(text,) for text in ("a1", "b2", "c3", "ax") * 15]),
        (all_even, [(n % 9, n % 4) for n in range(60)]),
        (first_flag, [(n % 5, n % 4) for n in range(60)]),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_a_truth_is_a_truth(function, calls):
    found = anc.adapt(function, calls, evaluations=20_000, method="specialise")
    for each in found.may_be_deployed:
        space: dict[str, Any] = {}
        exec(each.python, space)
        for call in calls:
            assert outcome(space[function.name], call) == outcome(function, call)
            assert space[function.name](*call) is function(*call)
    assert (found.may_be_deployed == []) == (function is first_flag)  # its text does not tell


@pytest.fixture(scope="module")
def result():
    found = anc.adapt(days, DAYS, evaluations=30_000, method="specialise")
    assert [each.kind for each in found.may_be_deployed][-1] == "table"
    return found


def clock(monkeypatch, table: float, program: float = 80, original: float = 100):
    def seconds(function, calls):
        is_table = "_results" in function.__code__.co_names or "_results" in function.__globals__
        taken = original if "original" in function.__name__ else table if is_table else program
        return len(calls) * 1e-9 * taken

    monkeypatch.setattr(measuring, "_seconds", seconds)


@pytest.mark.parametrize(("table", "expected"), [(50, "table"), (79, "first"), (120, "first")])
def test_the_clock_has_the_last_word_and_the_first_wins_if_times_are_close(
    result, monkeypatch, table, expected
):
    clock(monkeypatch, table)
    again = replace(result)
    program, last = deployment.Deployed(again, again.proved), again.may_be_deployed[-1]
    last = replace(last, table=replace(last.table, rows=(*last.table.rows, (0,) * 99)))
    assert deployment.fastest([program, last]) is (last if expected == "table" else program)


def test_what_is_not_faster_is_not_written_and_that_is_said_first(result, monkeypatch, tmp_path):
    clock(monkeypatch, 99, 99)
    again = replace(result)
    again.save(tmp_path)
    assert not (tmp_path / "adapted.py").exists() and (tmp_path / "adapted.h").exists()
    first, second, *_ = str(again).splitlines()
    assert first.startswith("days: as fast in Python as before")
    assert second == "  nothing that was found is faster with its check: keep your function"


def test_a_saved_table_is_proved_again_and_a_wrong_one_is_refuted(result, monkeypatch, tmp_path):
    again = replace(result)
    again.__dict__["deployed"] = again.may_be_deployed[-1]
    again.save(tmp_path / "out", write_anyway=True)
    assert "what is deployed, a table: proved" in str(anc.verify(tmp_path / "out"))
    path = Path(tmp_path / "out" / "result.json")
    told = json.loads(path.read_text())
    assert told["function"]["deployed"]["kind"] == "table"
    told["function"]["deployed"]["table"]["numbers"][0] += 1
    path.write_text(json.dumps(told))
    wrong = anc.verify(tmp_path / "out")
    assert wrong.refuted and "the table has another" in str(wrong)


def test_a_terminal_shows_a_long_table_shortened(result, tmp_path):
    again = replace(result)
    known = look_up(common, [common.tape(*call) for call in SIZES])
    assert known is not None
    text = function_in_python(common, known.table, known.facts)
    again.__dict__["deployed"] = deployed = replace(again.may_be_deployed[-1])
    assert deployed.worth.calls > 0  # it is measured before its text is another one
    deployed.__dict__["python"] = text
    shown, whole = report(again), report(again, verbose=True)
    assert "more lines: adapted.py has them all" in shown and text in whole + "\n"
    assert len(shown.splitlines()) < 60 < len(whole.splitlines())
    assert "return _results[size][n]" in shown
    with pytest.raises(SyntaxError):  # nobody pastes it by mistake
        compile(shortened(text), "adapted.py", "exec")


def test_types_may_be_trusted_and_the_text_says_so(result):
    known = look_up(ratio, [ratio.tape(*call) for call in RATIOS])
    assert known is not None
    text = function_in_python(ratio, known.table, known.facts, trusts_types=True)
    guard = text.split("def ratio_original")[0]
    assert "type(" not in guard and "types of its arguments are not checked" in guard
    assert "type(values) is list" in function_in_python(ratio, known.table, known.facts)


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_a_table_with_gaps_is_right_in_c(tmp_path):
    tapes = [common.tape(*call) for call in SIZES]
    known = look_up(common, tapes)
    assert known is not None
    text = function_in_c(common, known.table, known.facts, (), tapes)
    assert "[12] = {" in text and "[60] = {" in text
    told = c_output(text, tmp_path, "-DCOMMON_SELF_TEST")
    assert re.fullmatch(r"common: 0 of \d+ calls are wrong\n", told)


@anc.function(memory=64)
def fourth(n: int, values: Annotated[list[int], anc.Size(up_to=4)]) -> int:
    result = 0
    for _ in range(8):
        if result > 31:
            raise ValueError(n)
        result = result * 2 + n % 2
        n //= 2
    return result + len(values)


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
@pytest.mark.parametrize("size", [0, 1, 4])
def test_in_c_a_list_of_known_length_is_one_of_fixed_size_and_a_raise_compiles(size, tmp_path):
    tapes = [fourth.tape(n, [3] * size) for n in (8, 16, 24)]
    known = table_on(fourth, {0: (8, 16), fourth.layout.parameters[1].length: (size,)})
    assert known is not None
    for number, body in enumerate((known.table, fourth.exact)):
        place = tmp_path / f"{number}"
        place.mkdir()
        text = function_in_c(fourth, body, known.facts, (), tapes)
        assert f"if (values_length != {size}) {{" in text
        told = c_output(text, place, "-DFOURTH_SELF_TEST")
        assert re.fullmatch(r"fourth: 0 of \d+ calls are wrong\n", told)


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_a_table_in_c_passes_its_own_test(result, tmp_path):
    text = result.may_be_deployed[-1].c
    assert re.search(r"static const uint8_t results\[\d+\]", text)
    told = c_output(text, tmp_path, "-DDAYS_SELF_TEST")
    assert re.fullmatch(r"days: 0 of \d+ calls are wrong\n", told)
