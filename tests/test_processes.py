"""Processes that help start wherever this one is, and fail without a word."""

from anc.processes import started


def test_a_helper_starts_where_the_folder_is_gone(tmp_path, monkeypatch):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    helper = started("anc.adaptation.examining")
    helper.communicate(b"")  # nobody has orders any more
    assert helper.returncode == 0


def test_a_helper_that_cannot_start_shows_no_traceback(tmp_path, monkeypatch, capfd):
    (tmp_path / "broken.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("ANC_DEBUG", raising=False)
    helper = started("broken")
    assert helper.communicate(b"")[0] == b"" and helper.returncode == 1
    assert capfd.readouterr().err == ""
