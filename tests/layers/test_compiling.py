"""What JAX compiles for a layer is said once, and kept on disk, where a user has not said otherwise."""

import logging

import jax
import pytest
from jax.experimental.compilation_cache import compilation_cache
from layers.subjects import ADD, rows_of

import anc
from anc.layers import compiling

FOLDER = "jax_compilation_cache_dir"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where anc keeps machine code; JAX keeps everything there, and knows nothing of other tests."""
    monkeypatch.setattr(compiling, "code_folder", lambda: tmp_path / "ours")
    least = jax.config.jax_persistent_cache_min_compile_time_secs
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
    yield tmp_path / "ours" / "jax"
    jax.config.update("jax_persistent_cache_min_compile_time_secs", least)
    jax.config.update(FOLDER, None)
    compilation_cache.reset_cache()


def kept(folder):
    return sorted(path.name for path in folder.glob("*-cache")) if folder.exists() else []


def call():
    jax.clear_caches()
    anc.layer(ADD, [0, 1], 2, "soft", memory=6, max_steps=5)(*rows_of(0, 2, 3))


def test_it_is_kept_where_machine_code_is_kept_and_found_again(folder):
    hits = []
    jax.monitoring.register_event_listener(lambda event, **_: hits.append(event))
    call()
    before = kept(folder)
    assert any("outputs" in name for name in before)
    assert jax.config.jax_compilation_cache_dir is None
    hits.clear()
    call()
    assert "/jax/compilation_cache/cache_hits" in hits
    assert kept(folder) == before
    jax.jit(lambda x: x * 3.25 + 1)(2.0)  # somebody else's
    assert kept(folder) == before


def test_the_users_own_settings_stay_as_they_are(folder, tmp_path):
    jax.config.update(FOLDER, str(tmp_path / "theirs"))
    compilation_cache.reset_cache()
    call()
    assert jax.config.jax_compilation_cache_dir == str(tmp_path / "theirs")
    assert kept(tmp_path / "theirs") and not kept(folder)
    jax.config.update(FOLDER, None)
    compilation_cache.reset_cache()
    jax.config.update("jax_enable_compilation_cache", False)
    try:
        call()
    finally:
        jax.config.update("jax_enable_compilation_cache", True)
    assert not kept(folder)


@pytest.mark.parametrize("is_read", [True, False])
def test_it_is_said_once_where_somebody_may_wait(is_read, folder, monkeypatch, capsys, caplog):
    monkeypatch.setattr(compiling, "PATIENCE", 0)
    monkeypatch.setattr(compiling, "_said", [])
    monkeypatch.setattr(compiling, "is_interactive", lambda: is_read)
    with caplog.at_level(logging.INFO, "anc"):
        call()
        call()
    printed = capsys.readouterr().err
    assert printed.count("anc: JAX compiles") == (1 if is_read else 0)
    assert [str(folder) in record.message for record in caplog.records] == [True]


def test_quick_calls_say_nothing(folder, monkeypatch, capsys):
    monkeypatch.setattr(compiling, "PATIENCE", 600)
    monkeypatch.setattr(compiling, "_said", [])
    monkeypatch.setattr(compiling, "is_interactive", lambda: True)
    call()
    assert not capsys.readouterr().err
