"""Gradient descent is compiled for a size beside the search, once; a budget does not wait for it."""

import time

import anc
from anc.machine.compiled import code_folder
from anc.training.fused import engine


def test_kernels_are_compiled_by_another_process_and_once(monkeypatch, tmp_path):
    monkeypatch.setenv("ANC_CACHE_DIR", str(tmp_path))
    code_folder.cache_clear()
    try:
        with engine.compiling(3, 2) as process:
            assert process is not None and process.wait(120) == 0
        with engine.compiling(3, 2) as process:
            assert process is None
        with engine.compiling(3, 3) as process:
            assert process is not None
        assert process.poll() is not None
    finally:
        code_folder.cache_clear()


def test_a_budget_does_not_wait_for_a_size_that_is_new(monkeypatch):
    text = "memory 21; var k = 3; l: k = DEC(k); JEZ(k, e); k = ADD(k, 0); JEZ(0, l); e: WRITE(0, 1); STOP()"
    samples = [{"input": [n % 9], "output": [1]} for n in range(60)]
    monkeypatch.setattr(engine, "_mark", lambda M, R: code_folder() / "there is none")
    anc.adapt(text, samples=samples, budget=0.5)  # whatever else is compiled
    begin = time.monotonic()
    result = anc.adapt(text, samples=samples, budget=2.0)
    assert time.monotonic() - begin < 8.0
    assert result.improved
    assert any("gradient descent was not compiled in time" in note for note in result.notes)
