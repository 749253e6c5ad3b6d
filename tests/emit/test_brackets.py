"""A condition of a guard stands beside others: its words join nothing but its own parts."""

from __future__ import annotations

import pytest

from anc.emit.python_called import condition
from anc.emit.python_facts import PythonFacts
from anc.verify import parse_fact


@pytest.mark.parametrize(
    "text",
    [
        "tape[0] == 1 or tape[1] == 2",
        "tape[0] == 1 implies tape[1] == 2",
        "not (tape[0] == 1 and tape[1] == 2)",
        "not (tape[0] == 1 implies tape[1] == 2)",
        "tape[0] % tape[1] == 0",
        "sorted(tape[i] for i in range(0, 2) while tape[i] != 0)",
    ],
)
def test_one_fact_that_is_left_does_not_let_others_pass(text):
    tests = ["False", *PythonFacts(4).conditions([parse_fact(text, 4)])]
    lines = [*condition(tests), "    passed = True"]
    for tape in ([a, b, 0, 0] for a in range(4) for b in range(4)):
        space = {"tape": tape}
        exec("\n".join(lines), space)
        assert "passed" not in space
