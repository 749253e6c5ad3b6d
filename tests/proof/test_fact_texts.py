"""Facts as people write them: text to fact and back, and what is said of wrong ones."""

from __future__ import annotations

import pytest

from anc.proof.parser import parse_fact
from anc.support.diagnostics import AncError, SourceError


@pytest.mark.parametrize(
    "text",
    [
        "tape[0] == 3",
        "2 <= tape[1] <= 7",
        "tape[4] == tape[3] + 2",
        "tape[1] == tape[2]",
        "tape[2] <= tape[3]",
        "tape[1] >= 2 implies tape[3] == 5",
        "tape[3] != 0",
        "tape[1] == tape[4] or tape[1] == tape[6]",
        "not tape[1] == 0 and tape[2] < 3 implies tape[0] == 1 implies tape[1] > 2",
        "(tape[0] == 1 or tape[0] == 2) and tape[1] == 0",
        "tape[0] - tape[1] <= 3",
        "-tape[0] + tape[1] == 2 - tape[2]",
        "2 * tape[0] - 3 * tape[1] <= 3",
        "tape[tape[3]] == 5",
        "tape[tape[tape[1] - 1] + tape[2] + 2] != 2 * tape[tape[0]]",
        "tape[1] % tape[2] == 0",
        "tape[1] % 4 != 3",
        "-2 * tape[1] % 4 == 0",
        "(tape[1] + 2) % (2 * tape[0] - 1) == 1",
        "tape[1] % -4 == -1",
        "tape[1] in (1, 2, 7)",
        "tape[1] + 1 not in (3,)",
        "(tape[1], tape[2]) in ((1, 2), (3, 4))",
        "tape[1:4] in ((1, 2, -1),)",
        "sorted(tape[1:5])",
        "sorted(tape[1], tape[3], tape[2])",
        "different(tape[1:4], tape[7], tape[0] + 1)",
        "not sorted(tape[1:5]) or tape[0] == 0",
        "all(tape[i + 1] == 1 for i in range(6, 21, 3) while tape[i] != 0)",
        "all(2 * tape[i] == i - 14 and tape[tape[i]] < 3 for i in range(16, 46, 2))",
        "sorted(tape[i] for i in range(2, 9) while tape[i] != 0 or tape[0] == 1) or tape[0] == 0",
        "not different(tape[i] - tape[0] for i in range(9, 2, -1) while tape[i] < tape[1])",
        "tape[2:8].count(35) == 1",
        "tape[2:8].count(tape[0] + 1) != 2 or not tape[3:5].count(0) > 1",
        "sum(tape[i] == 35 for i in range(2, 9) while tape[i] != 0) <= 2",
        "sum(tape[i] == tape[i + 1] for i in range(2, 9, 3)) >= 1",
        "sum(tape[i] == i for i in range(2, 9)) < 1",
    ],
)
def test_text_to_fact_to_text(text: str) -> None:
    fact = parse_fact(text)
    assert parse_fact(fact.text) == fact
    assert parse_fact(fact.text).text == fact.text
    if not text.startswith("-"):
        assert fact.text == text


@pytest.mark.parametrize(
    "text",
    [
        "<".join(["tape[0]"] * 450),
        "all(1000000000*(" + "+".join("i" * 1900) + ") < 1 for i in range(3))",
        "sorted(" + ",".join(["tape[1:3]"] * 390) + ")",
    ],
)
def test_what_is_long_when_it_is_printed_can_be_read_again(text: str) -> None:
    fact = parse_fact(text)
    for each in (fact, fact.negated()):
        assert len(each.text) > 4000
        assert parse_fact(each.text) == each


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("3 == tape[1] % 4", "tape[1] % 4 == 3"),
        ("tape[3] * 2 == 2 * (tape[1] - 3)", "2 * tape[3] == 2 * tape[1] - 6"),
        ("not tape[0] in (1, 2)", "tape[0] not in (1, 2)"),
        ("(tape[1],) in ((1,), (2,),)", "tape[1] in (1, 2)"),
        ("sorted(tape[:4])", "sorted(tape[0], tape[1], tape[2], tape[3])"),
        ("sorted(tape[7:])", "sorted(tape[7:10])"),
        ("tape[2:4] in ((1, 2),)", "(tape[2], tape[3]) in ((1, 2),)"),
        ("tape[2 * 3 - 1] == 0", "tape[5] == 0"),
        ("sorted(tape[i] for i in range(3))", "sorted(tape[i] for i in range(0, 3, 1))"),
        ("(1 == 1 and 2 == 2) and 3 == 3", "1 == 1 and 2 == 2 and 3 == 3"),
        ("sum(tape[i] == 3 for i in range(4, 8)) == 1", "tape[4:8].count(3) == 1"),
        ("2 >= tape[4:8].count(3)", "tape[4:8].count(3) <= 2"),
    ],
)
def test_two_texts_of_one_fact(text: str, same: str) -> None:
    assert parse_fact(text, M=10) == parse_fact(same, M=10)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "the fact is empty"),
        (" or ".join(["tape[0]<3"] * 400), "a fact has at most 4,000 characters, found 5,196"),
        ("tape[0] <" + 100_000 * " " + "3", "a fact has at most 4,000 characters, found 100,010"),
        ("tape[0] < 600000000 + 600000000", "this sum is too large"),
        ("tape[0]", "'tape[0]' is a number, expected a fact"),
        ("tape[0] = 3", "equality is written =="),
        ("tpae[0] == 3", "did you mean 'tape'?"),
        ("tape[0] == 3 implise tape[1] == 2", "did you mean 'implies'?"),
        ("tape[20] == 3", "there is no cell 20 in a memory of 10 cells"),
        ("tape[x] == 3", "expected the number of a cell, found 'x'"),
        ("tape[0] == ", "expected a number or a cell such as tape[0], found the end"),
        ("tape[0] == 3 and 4", "'4' is a number, expected a fact"),
        ("(tape[0] == 3) + 1 == 2", "is a fact, expected a number"),
        ("(tape[0] == 3", "expected ')', found the end"),
        ("tape[0] / 2 == 3", "only + - * and % can be used"),
        ("tape[0] in (1, 2", "expected ',' or ')', found the end"),
        ("tape[0] in ()", "there is nothing in the parentheses"),
        ("tape[0] in [1, 2]", "write it as (1, 2)"),
        ("tape[0] in {1, 2}", "write a set of numbers as (1, 2, 7)"),
        ("tape[0] in (1, tape[2])", "expected a number, found 'tape'"),
        ("tape[0] in ((1, 2),)", "expected one number, found 2"),
        ("tape[0:2] in ((1, 2), (3,))", "expected a word of 2 numbers, found 1"),
        ("tape[0] in (1, 2) == 3", "'in' cannot be part of a chain"),
        ("tape[0] not 3", "expected 'in', found '3'"),
        ("(tape[1], tape[2])", "several numbers, expected a fact"),
        ("tape[1:3] == 4", "several numbers, expected one"),
        ("sorted(tape[5:2])", "there are no cells in the slice 'tape[5:2]'"),
        ("sorted(tape[5:12])", "there is no cell 11 in a memory of 10 cells"),
        ("sorted(tape[1:5:2])", "has no step"),
        ("sorted(tape[tape[1]:5])", "expected numbers of cells in the slice"),
        ("sorted(tape[1])", "expected at least two cells"),
        ("sorted(tape[1:5]", "expected ',' or ')', found the end"),
        ("sortd(tape[1:5])", "did you mean 'sorted'?"),
        ("tape[i] == 1", "there is no list for the index i"),
        ("sorted(tape[i], tape[2])", "there is no list for the index i"),
        ("all(tape[i] == 1)", "expected 'for', found ')'"),
        ("all(tape[i] for i in range(3))", "is a number, expected a fact"),
        ("sorted(tape[i] == 1 for i in range(3))", "expected ',' or ')', found '=='"),
        ("all(tape[i] == 1 for j in range(3))", "found 'j'"),
        ("all(tape[i] == 1 for i in (3, 4))", "expected 'range'"),
        ("all(tape[i] == 1 for i in range(3, 1))", "this range has no numbers"),
        ("all(tape[i] == 1 for i in range(3, 9, 0))", "expected a step that is not 0"),
        ("all(tape[i + 1] == 1 for i in range(10))", "there is no cell 10 in a memory of 10"),
        ("all(tape[i - 1] == 1 for i in range(10))", "there is no cell -1 in a memory of 10"),
        ("all(tape[i] == 1 for i in range(3) whlie tape[i] == 0)", "did you mean 'while'?"),
        (
            "all(sorted(tape[i] for i in range(3)) for i in range(3))",
            "a list cannot be nested in another",
        ),
        ("largest(tape[1:5])", "there are sorted, different, all and sum"),
        ("tape[1].count(3) == 1", "expected a slice of cells before '.count'"),
        ("tape[1:4].cuont(3) == 1", "did you mean 'count'?"),
        ("tape[1:4].count(3)", "'tape[1:4].count(3)' is a count, expected a fact"),
        ("tape[1:4].count(3) + 1 == 2", "is a count, expected a number"),
        (
            "tape[1:4].count(3) == tape[1]",
            "expected a number to compare the count with, found 'tape[1]'",
        ),
        ("1 <= tape[1:4].count(3) <= 2", "a count cannot be part of a chain"),
        ("tape[1:4].count(tape[0] == 3) == 1", "expected ')', found '=='"),
        ("tape[1:4].count(tape[i]) == 1", "there is no list for the index i"),
        ("sum(tape[i] for i in range(3)) == 1", "is a number, expected a fact"),
        ("sum(tape[1:4]) == 1", "several numbers, expected a fact"),
        (
            "all(tape[1:4].count(3) == 1 for i in range(3))",
            "a list cannot be nested in another",
        ),
        ("tape[1] % 4", "'tape[1] % 4' is a remainder, expected a fact"),
        ("tape[1] % 4 < 2", "expected == or != after a remainder, found '<'"),
        ("tape[1] % 4 + 1 == 2", "is a remainder, expected a number"),
        ("tape[1] % 4 == tape[2]", "expected a number to compare the remainder with"),
        ("tape[1] % 4 == tape[2] % 4", "is a remainder, expected a number"),
        ("1 <= tape[1] % 4 == 2", "a remainder cannot be part of a chain"),
        ("tape[1] % 0 == 0", "expected a divisor that is not 0"),
        ("tape[1] * tape[2] == 4", "expected a constant factor"),
        ("tape[-1] == 4", "there is no cell -1"),
        ("tape[tape[0] == 3] == 1", "expected ']', found '=='"),
        ("tape[0] == 9999999999", "this number is too large"),
        ("99999 * 99999 * tape[0] == 1", "this product is too large"),
        ("-" * 80 + "1 == 1", "nested too deeply"),
        ("tape[" * 80 + "1" + "]" * 80 + " == 1", "nested too deeply"),
        ("(" * 80 + "1 == 1" + ")" * 80, "nested too deeply"),
        ("not " * 80 + "1 == 1", "nested too deeply"),
        ("1 == 1 and " * 20_000 + "1 == 1", "at most"),
    ],
)
def test_what_is_wrong_is_said(text: str, part: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse_fact(text, M=10)
    assert part in str(caught.value)


def test_the_place_is_shown() -> None:
    with pytest.raises(AncError) as caught:
        parse_fact("tape[0] == 3 adn tape[1] == 2")
    assert "<assume>:1:14" in str(caught.value)
    assert "did you mean 'and'?" in str(caught.value)
