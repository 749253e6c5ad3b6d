import pytest

from anc.compiler import compile_source
from anc.language import Source, parse, print_tree, read_source
from anc.program import Program
from anc.support.diagnostics import AncError, SourceError


def compiled(text: str) -> Program:
    return compile_source(Source(text)).program


def problems(text: str, memory: int | None = None) -> list[tuple[int, int, str]]:
    with pytest.raises(SourceError) as caught:
        compile_source(Source(text, "p.anc"), memory)
    found = caught.value.diagnostics
    return [(d.span.line, d.span.column, d.message) if d.span else (0, 0, d.message) for d in found]


def test_both_styles_of_the_paper_compile_to_the_same():
    plain = "var k = 0\nk = READ(0)\nl: k = INC(k)\nJEZ(k, l)\nSTOP()"
    figure = "var k = 0;\n\nk = READ(0);\nl:\n  k = INC(k);  // next\nJEZ( k , l );\nSTOP();"
    one_line = "var k = 0; k = READ(0); l: k = INC(k); JEZ(k, l); STOP() # done"
    assert compiled(plain) == compiled(figure) == compiled(one_line)


def test_several_labels_on_one_line_and_on_lines_of_their_own():
    program = compiled("a: b: ZERO()\nc:\n\nd: STOP()\nJEZ(0, a)\nJEZ(0, b)\nJEZ(0, c)\nJEZ(0, d)")
    targets = [program.registers[line.second] for line in program.lines[2:]]
    assert targets == [0, 0, 1, 1]


def test_a_label_is_a_constant_wherever_a_number_may_stand():
    program = compiled("var x = end\nx = ADD(x, end)\nWRITE(end, x)\nend: STOP()")
    assert program.registers[program.lines[0].first] == 2
    assert program.registers[program.lines[1].first] == 2


def test_variables_without_a_value_and_with_an_instruction():
    program = compiled("var y = 3\nvar x = READ(y)\nvar z\nz = INC(x)\nWRITE(x, z)\nSTOP()")
    assert [line.op for line in program.lines] == ["READ", "INC", "WRITE", "STOP"]


def test_windows_line_ends_tabs_and_a_byte_order_mark(tmp_path):
    path = tmp_path / "p.anc"
    path.write_bytes(b"\xef\xbb\xbfvar k = 1\r\n\tk = INC(k)\r\nWRITE(0, k)\r\nSTOP()\r\n")
    assert compile_source(read_source(path)).program.L == 3


def test_memory_and_start_are_words_only_where_they_head_a_statement():
    program = compiled(
        "memory 9\nvar memory = 1\nvar start\nstart = INC(memory)\nWRITE(start, 1)\nSTOP()"
    )
    assert (program.memory, program.L) == (9, 3)


def test_printing_a_tree_and_parsing_it_gives_the_tree():
    text = (
        "memory 8\nstart b\nvar x = 1\nvar y\na: x = INC(x)\nb: c: JEZ(x, a)\ny = ADD(x, 2)\nSTOP()"
    )
    text += "\n# run: 1 2 -> 3 4"
    tree = parse(Source(text))
    assert parse(Source(print_tree(tree))) == tree
    assert parse(Source(print_tree(tree))).examples == tree.examples


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("var x = REED(0)", (1, 9), "unknown instruction 'REED'"),
        ("var x = 0\nx = READ()", (2, 5), "READ takes 1 operand, found 0"),
        ("STOP(1)", (1, 1), "STOP takes no operands, found 1"),
        ("JEZ(0)", (1, 1), "JEZ takes 2 operands, found 1"),
        ("JEZ(0, l_stp)\nl_stop: STOP()", (1, 8), "'l_stp' is neither a variable nor a label"),
        ("var a = 0\nvar a = 1\na = INC(a)\nSTOP()", (2, 5), "variable 'a' is defined twice"),
        ("l: ZERO()\nl: STOP()", (2, 1), "label 'l' is defined twice, first in line 1"),
        ("var l = 0\nl: STOP()", (1, 5), "'l' is a variable here and a label in line 2"),
        ("x = INC(1)\nSTOP()", (1, 1), "variable 'x' is not declared"),
        ("l: STOP()\nl = INC(0)", (2, 1), "'l' is a label; only a variable can take an output"),
        ("WRITE(0, 1", (1, 11), "expected ',' or ')', found the end of the line"),
        ("WRITE(0 1)", (1, 9), "expected ',' or ')', found '1'"),
        ("WRITE(, 1)", (1, 7), "expected a number or a name, found ','"),
        ("memory 5\nWRITE(0, 5)\nSTOP()", (2, 10), "5 does not fit in a memory of 5 cells"),
        ("memory 5\nvar x = 7\nx = INC(x)\nSTOP()", (2, 9), "7 does not fit"),
        ("memory 1\nZERO()\nSTOP()", (3, 1), "2 lines, which is more than its memory of 1"),
        ("memory 0\nSTOP()", (1, 8), "a memory of 0 cells"),
        ("memory 5\nmemory 6\nSTOP()", (2, 1), "a second 'memory'"),
        ("memory x\nSTOP()", (1, 8), "expected a number of cells, found 'x'"),
        ("start nowhere\nSTOP()", (1, 7), "'nowhere', which is not a label"),
        ("start 4\nSTOP()", (1, 7), "the program has only lines 0 to 0"),
        ("STOP()\nend:", (2, 1), "label 'end' marks no line"),
        ("", (0, 0), "the program is empty"),
        ("# only a comment", (0, 0), "the program is empty"),
        ("var x = 3", (0, 0), "the program is empty"),
        ("STOP() STOP()", (1, 8), "expected the end of the line, found 'STOP'"),
        ("STOP", (1, 5), "expected ':', '=' or '(', found the end of the line"),
        ("var 3", (1, 5), "expected the name of a variable, found '3'"),
        ("var READ = 3\nSTOP()", (1, 5), "'READ' is an instruction, not a name"),
        ("var x = y\nSTOP()", (1, 9), "'y' is neither a variable nor a label"),
        ("var y = 0\nvar x = y\nSTOP()", (2, 9), "'y' is a variable; an initial value"),
        ("var x = 0\nx = 5\nSTOP()", (2, 5), "expected an instruction, found '5'"),
        ("var x = 0\nx = x\nSTOP()", (2, 6), "expected '(', found the end of the line"),
        ("WRITE(-1, 0)", (1, 7), "expected a number or a name, found '-'"),
        ("$!", (1, 1), "expected a statement, found '$'"),
        ("WRITE(99999999999999, 0)", (1, 7), "too large a number"),
        ("STOP()\n# run: 1 2 3", (2, 1), "expected one '->'"),
        ("STOP()\n# run: 1 x -> 1 2", (2, 10), "expected a number, found 'x'"),
        ("STOP()\n# run: -> 1", (2, 7), "no cells"),
        ("var R9999 = 0\nR9999 = INC(R9999)\nSTOP()", (1, 5), "beyond R1000"),
    ],
)
def test_each_mistake_is_found_at_its_place(text, place, words):
    ((line, column, message),) = problems(text)
    assert words in message
    assert (line, column) == place


def test_all_problems_of_a_pass_are_reported_at_once():
    text = "x = REED(0)\nJEZ(0, nowhere)\nWRITE(1)\nSTOP(2)"
    assert [line for line, _, _ in problems(text)] == [1, 1, 2, 3, 4]
    assert [line for line, _, _ in problems("WRITE(0\nSTOP()\nfoo bar\nx = = 3")] == [1, 3, 4]


def test_a_message_has_the_line_a_caret_and_a_close_match():
    with pytest.raises(SourceError) as caught:
        compile_source(Source("var count = 0\ncount = INC(cuont)\nSTOP()", "p.anc"))
    assert str(caught.value) == (
        "error: 'cuont' is neither a variable nor a label\n"
        " --> p.anc:2:13\n"
        "  |\n"
        "2 | count = INC(cuont)\n"
        "  |             ^^^^^\n"
        "  help: did you mean 'count'?"
    )


def test_the_command_line_s_memory_overrides_the_program_s():
    assert problems("memory 50\nWRITE(20, 0)\nSTOP()", memory=10)[0][:2] == (2, 7)
    assert compile_source(Source("memory 5\nWRITE(20, 0)\nSTOP()"), 30).program.memory == 30


def test_a_very_long_line_is_shown_in_part():
    with pytest.raises(SourceError) as caught:
        compile_source(Source("STOP() " + "x" * 5000))
    assert max(map(len, str(caught.value).split("\n"))) < 130


def test_files_that_are_no_programs(tmp_path):
    with pytest.raises(AncError, match="is a directory"):
        read_source(tmp_path)
    big = tmp_path / "big.anc"
    big.write_bytes(b"ZERO()\n" * 1_500_000)
    with pytest.raises(AncError, match="10,500,000 bytes"):
        read_source(big)
    latin = tmp_path / "latin.anc"
    latin.write_bytes("STOP()\n# façade".encode("latin-1"))
    with pytest.raises(AncError, match="not UTF-8 text: line 2 has the byte 0xe7"):
        read_source(latin)
    with pytest.raises(AncError, match="No such file"):
        read_source(tmp_path / "none.anc")


def test_a_message_shows_some_of_many_problems_and_keeps_all():
    with pytest.raises(SourceError) as caught:
        parse(Source("x = -1\n" * 90))
    assert str(caught.value).count("error: ") == 20
    assert str(caught.value).endswith("... and 70 more; fix these first")
    assert len(caught.value.diagnostics) == 90
