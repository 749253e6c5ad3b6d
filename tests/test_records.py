"""Records are written from their declaration and read back by it; what does not fit is named by its place."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anc.support.diagnostics import AncError
from anc.support.records import Finite, Share, Tape, plain, read, record_of, stored


@dataclass(frozen=True)
class Part:
    name: str
    cost: float = stored(key="price", digits=2)
    tape: Tape | None = None


@dataclass(frozen=True, kw_only=True)
class Whole:
    parts: tuple[Part, ...]
    share: Share
    low: Finite
    words: Mapping[str, str] = field(default_factory=dict)
    first: Part | None = stored(only=("name",), default=None)

    def __post_init__(self) -> None:
        if len(self.parts) > 3:
            raise ValueError(f"{len(self.parts)} parts")


parts = st.builds(
    Part,
    name=st.text(),
    cost=st.floats(-1e9, 1e9),
    tape=st.none() | st.lists(st.integers(0, 99)).map(tuple),
)
wholes = st.builds(
    Whole,
    parts=st.lists(parts, max_size=3).map(tuple),
    share=st.floats(0, 1),
    low=st.floats(-1e9, 1e9),
    words=st.dictionaries(st.text(), st.text()),
)


@given(wholes)
def test_what_was_written_is_read_back(whole):
    assert read(Whole, json.loads(json.dumps(plain(whole))), "a file") == whole


def test_names_keys_and_digits_are_declared_once():
    class Live:
        name, cost, tape = "x", 1.23456, (1, 2)

    part = record_of(Part, Live)
    assert plain(part) == {"name": "x", "price": 1.23, "tape": [1, 2]}
    whole = Whole(parts=(), share=0.5, low=-math.inf, first=part)
    assert plain(whole) == {
        "parts": [], "share": 0.5, "low": None, "words": {}, "first": {"name": "x"}
    }  # fmt: skip


def test_what_may_be_missing_may_be_null_and_what_is_not_known_is_let_be():
    found = read(Whole, {"parts": [], "share": 1, "low": None, "words": None, "more": 3}, "a file")
    assert found.words == {} and math.isnan(found.low) and found.first is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"parts": 3}, "parts is 3, expected a list"),
        ({"parts": [{"name": "x", "price": "y"}]}, 'parts[0].price is "y", expected a number'),
        ({"parts": [{"name": "x"}]}, "it lacks 'parts[0].price'"),
        ({"parts": [{"name": "x", "price": 1, "tape": [-1]}]}, "parts[0].tape[0] is -1"),
        ({"parts": 4 * [{"name": "x", "price": 1}]}, "it cannot be: 4 parts"),
        ({"share": 2}, "share is 2, expected a number from 0 to 1"),
        ({"words": {"a": 1}}, "words.a is 1, expected a text"),
        ({"first": []}, "first is [], expected an object"),
    ],
)
def test_what_does_not_fit_is_named_by_its_place(changes, words):
    data = {"parts": [], "share": 1, "low": 0} | changes
    with pytest.raises(AncError, match=re.escape(f"a file is not a whole: {words}")):
        read(Whole, data, "a file", "a whole")
