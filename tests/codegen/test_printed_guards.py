"""Guards as they are printed accept what the facts' own meaning accepts: in Python, C and lines."""

from __future__ import annotations

from random import Random

import pytest
from codegen.emitted import COMPILER, c_output
from codegen.guarded_calls import Guard, c_guard, wrong_in_python
from proof.checking import left_by
from search.random_programs import random_tape

from anc.proof.guards.arithmetic import CannotCheck
from anc.proof.guards.facts_to_lines import Check


def test_functions_of_python_accept_the_calls_that_fit_and_no_others():
    calls = 0
    for seed in range(400):
        random = Random(f"guards/{seed}")
        wrong, accepted = wrong_in_python(random, Guard.random(random), 25)
        assert not wrong, f"{seed}\n{wrong}"
        calls += accepted
    assert calls > 2000


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_functions_of_c_do_so_too(tmp_path):
    unit, main = ["#include <assert.h>", "#include <stdint.h>", "#include <stdio.h>"], []
    for seed in range(100):
        random = Random(f"guards in c/{seed}")
        function, calls = c_guard(random, f"f{seed}", Guard.random(random, truths=False), 15)
        unit, main = unit + function, main + calls
    assert c_output("\n".join([*unit, "int main(void) {", *main, "return 0; }"]), tmp_path) == ""


def test_program_lines_do_so_too():
    checked = accepted = 0
    for seed in range(300):
        random = Random(f"guards as lines/{seed}")
        guard = Guard.random(random)
        check = Check(guard.M)
        try:
            error = check.add(guard.facts)
        except CannotCheck:
            continue
        checked += 1
        for _ in range(20):
            tape = random_tape(random, guard.M)
            wanted = all(fact.holds(tape) for fact in guard.facts)
            assert (left_by(check, error, tape) == 0) is wanted, f"{guard}\n{tape}"
            accepted += wanted
    assert checked > 150 and accepted > 300
