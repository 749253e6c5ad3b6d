"""Testing on cases."""

from anc.compiler import compile_source
from anc.data import tasks
from anc.language import Source
from anc.proof import test_on as run_on


def test_counts_and_the_first_wrong_case() -> None:
    task = tasks.get("access")
    cases = task.draw(True, 50, seed=0)
    report = run_on(task.program, cases, 10)
    assert report.all_right and report.cases == 50 and report.mean_steps == 5
    assert report.wrong is None
    wrong = compile_source(Source("var v; v = READ(5); WRITE(0, v); STOP()"), memory=10).program
    report = run_on(wrong, cases, 10)
    assert 0 < report.right < 50 and report.wrong in cases and report.mean_steps == 3
    loop = compile_source(Source("l: JEZ(0, l)"), memory=10).program
    assert run_on(loop, cases, 10).right == 0
