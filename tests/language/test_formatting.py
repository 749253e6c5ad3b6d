"""Listings in canonical form: the same program, every comment, and nothing left to change."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anc.data import programs
from anc.language import Source, parse
from anc.language.formatting import format_listing
from anc.support.diagnostics import SourceError

MESSY = """\
// how to count down
  memory   020 ;start l_begin

var k=3;var x   # two
var y = READ( k )   // and a line


l_begin : l_a:
   # between a label and its line
@frozen
  k = ?in( ADD,SUB )( k,? in (1,x) ) // the first
JEZ(k , ?) # and a longer comment
@frozen l_end: STOP( ) ;   ;
#run: 3 4,5->1 2   3
"""
CLEAN = """\
// how to count down
memory 20
start l_begin

var k = 3
var x            # two
var y = READ(k)  // and a line

# between a label and its line
l_begin: l_a: @frozen k = ? in (ADD, SUB)(k, ? in (1, x))  // the first
JEZ(k, ?)                                                  # and a longer comment
l_end: @frozen STOP()
# run: 3 4 5 -> 1 2 3
"""


def formatted(text: str) -> str:
    return format_listing(Source(text, "p.anc"))


def comments(text: str) -> list[str]:
    """The comments that are no examples, in order."""
    found = re.findall(r"(?:#|//).*", text)
    return [comment.rstrip() for comment in found if not re.match(r"(#|//)\s*run:", comment)]


def test_a_messy_listing():
    assert formatted(MESSY) == CLEAN


@pytest.mark.parametrize("name", programs.names())
def test_shipped_programs_are_in_canonical_form(name):
    assert formatted(programs.source(name).text) == programs.source(name).text


NAMES = st.sampled_from(["a", "b", "memory", "start", "l_x", "_", "R3"])
OPERANDS = st.one_of(
    NAMES,
    st.sampled_from(["0", "7", "007"]),
    st.just("?"),
    st.lists(NAMES, max_size=3).map(lambda names: f"? in ({' , '.join(names)} )"),
)
CALLS = st.tuples(
    st.sampled_from(["ADD", "NOP", "?", "? in(INC,DEC)"]), st.lists(OPERANDS, max_size=3)
).map(lambda call: f"{call[0]} ( {' ,'.join(call[1])})")
LINES = st.one_of(
    CALLS,
    st.tuples(NAMES, CALLS).map(" = ".join),
    st.tuples(NAMES, CALLS).map(lambda both: f"var {both[0]}={both[1]}"),
)
OTHERS = st.one_of(
    NAMES.map(lambda name: f"var {name}"),
    st.tuples(NAMES, OPERANDS).map(lambda both: f"var {both[0]}  ={both[1]}"),
)
MARKS = st.lists(st.one_of(NAMES.map(lambda name: f"{name} :"), st.just("@frozen")), max_size=3)
COMMENTS = st.one_of(
    st.text("x #/;:?\t", max_size=9).map(lambda text: f"# c{text}"),
    st.sampled_from(["//", "#", "// run: 1 2->3", "#run:1->2 ,3"]),
)
PIECES = st.one_of(
    st.tuples(MARKS, LINES).map(lambda both: " ".join([*both[0], both[1]])),
    MARKS.map(" ".join),
    COMMENTS,
    st.just(""),
)


@st.composite
def listings(draw) -> str:
    """Listings that parse, laid out in any way."""
    head = [
        draw(st.sampled_from(["memory 9", "start  l_x", ""])),
        *draw(st.lists(OTHERS, max_size=2)),
    ]
    pieces = [*head, *draw(st.lists(PIECES, max_size=8)), draw(LINES)]
    text = ""
    for piece in pieces:
        is_comment = piece.startswith(("#", "//"))
        text += draw(st.sampled_from(["", " ", "\t"])) + piece
        ends = ["\n", "\r\n", "\n\n\n", " # more\n", " // run: 0 -> 0\n"]
        if not is_comment:
            ends += [";", " ; ; ", ";\n"] if piece.strip() else [" "]
        text += draw(st.sampled_from(ends[:3] if is_comment else ends))
    return text


@settings(max_examples=60, deadline=None)
@given(listings())
def test_nothing_is_lost_and_nothing_is_left_to_do(text):
    try:
        tree = parse(Source(text))
    except SourceError:
        # a piece that ends with marks swallows the next one's meaning now and then
        with pytest.raises(SourceError):
            formatted(text)
        return
    found = formatted(text)
    again = parse(Source(found))
    assert (again, again.examples) == (tree, tree.examples)
    assert formatted(found) == found
    assert comments(found) == comments(text)
    assert not re.search(r"[ \t]$|\n\n\n|\r", found, flags=re.MULTILINE)


def test_wrong_listings_are_refused_with_all_their_mistakes():
    with pytest.raises(SourceError) as caught:
        formatted("x = \nWRITE(0 1)\nSTOP()")
    assert [d.span.line for d in caught.value.diagnostics if d.span] == [1, 2]
