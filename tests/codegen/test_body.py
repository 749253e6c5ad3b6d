"""The statements of emitted functions, before they are written in a language."""

from random import Random

from codegen.emitted import any_program

import anc
from anc.codegen.called import body_of
from anc.codegen.statements import mentioned

WITH_A_SUM_THAT_IS_ALWAYS_0 = """
memory 20
var a = 0; var b = 0; var c = 0; var jump = l
l: jump = READ(17)
b = READ(5)
c = READ(7)
JEZ(c, jump)
c = SUB(a, a)
a = MAX(c, c)
WRITE(19, b)
JEZ(b, jump)
STOP()
"""


def test_no_variable_gets_a_value_for_nothing():
    """A compiler of C warns of one that is never used."""
    programs = [anc.compile(WITH_A_SUM_THAT_IS_ALWAYS_0)]
    programs += [any_program(Random(seed), 12) for seed in range(60)]
    for program in programs:
        body = body_of(program, program.memory or 12)
        assert set(body.first_values) <= set(mentioned(body.statements))
