"""The best known answers of programs that lost them, or their proofs, to changes that seemed harmless.

Each needs a method of the search, or a kind of fact, that hardly any other program needs. Work is counted in
evaluations, so every machine finds the same; with much less of it the answers are not found. `title_case` and
`order_total`, which need a minute, are in `benchmarks/frozen.py` only.
"""

import pytest
from judging import POOL, TEST, entry_of

from anc.adaptation.adapt import adapt
from anc.support.job import Job

KNOWN = {  # evaluations, and mean steps on the test cases
    "gcd": (300_000, 3.00),
    "change": (100_000, 8.93),
    "night_hours": (300_000, 13.00),
    "buses_meet": (300_000, 3.00),
    "next_bus": (300_000, 8.00),
}


@pytest.mark.parametrize("name", KNOWN)
def test_the_best_known_answer_is_found_and_proved(name: str) -> None:
    evaluations, steps = KNOWN[name]
    result = adapt(entry_of(name).problem(0, POOL, TEST), Job(evaluations=evaluations))
    assert result.verdict.proved
    assert round(result.steps_adapted, 2) <= steps
