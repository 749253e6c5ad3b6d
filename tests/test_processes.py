"""Worker processes start wherever this one is, share orders, and fail without a word."""

from queue import SimpleQueue
from types import SimpleNamespace

import pytest

from anc.support.diagnostics import AncError
from anc.support.processes import Boss, Done, Gone, Pool, Process, Thread, started

WORK = """
import os, signal, time
from anc.support.diagnostics import AncError

def work(order, boss):
    boss.say(f"doing {order}")
    if order == "refuse":
        raise AncError("no", help="never")
    if order == "fail":
        1 / 0
    if order == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    while order == "wait" and not boss.asked_to_stop():
        time.sleep(0.01)
    return order, os.getpid()
"""


@pytest.fixture
def work(tmp_path, monkeypatch):
    """A function that a process finds in a module of its own."""
    (tmp_path / "some_work.py").write_text(WORK)
    monkeypatch.syspath_prepend(tmp_path)
    return SimpleNamespace(__module__="some_work", __name__="work")


def pool(work, count: int, **settings) -> Pool[str]:
    return Pool(lambda place, heard: Process(work, heard), count, lambda order: order, **settings)


def test_a_helper_starts_where_the_folder_is_gone(tmp_path, monkeypatch):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    helper = started("from anc.support.processes import serve; serve(None)")
    helper.communicate(b"")  # nobody has orders any more
    assert helper.returncode == 0


def test_a_helper_that_cannot_start_shows_no_traceback(tmp_path, monkeypatch, capfd):
    (tmp_path / "broken.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("ANC_DEBUG", raising=False)
    said = SimpleQueue()
    helper = Process(SimpleNamespace(__module__="broken", __name__="work"), said.put)
    assert said.get(timeout=60) == Gone("it ended with the status 1")
    helper.end()
    assert capfd.readouterr().err == ""


def test_orders_are_shared_and_every_process_is_ended(work):
    shared = pool(work, 2)
    heard = [each for each in shared.run("abcd", lambda: False) if each is not None]
    assert [(order, f"doing {order}") for order in "abcd"] == sorted(
        (order, said) for order, said in heard if isinstance(said, str)
    )
    done = {order: said.value for order, said in heard if isinstance(said, Done)}
    assert {order: value[0] for order, value in done.items()} == {order: order for order in "abcd"}
    assert {value[1] for value in done.values()} <= {w.popen.pid for w in shared.workers}
    assert all(worker.popen.poll() is not None for worker in shared.workers)


def test_a_process_that_dies_loses_its_order_and_no_other(work):
    heard = list(filter(None, pool(work, 1, tries=2).run(["die", "a"], lambda: False)))
    assert [each for each in heard if each[1] == "doing die"] == 2 * [("die", "doing die")]
    lost = [said for order, said in heard if order == "die" and isinstance(said, Gone)]
    assert len(lost) == 1 and lost[0].how.startswith("SIGKILL ended it")
    assert any(order == "a" and isinstance(said, Done) for order, said in heard)


def test_what_is_wrong_with_an_order_is_raised(work):
    with pytest.raises(AncError, match="no"):
        list(pool(work, 1).run(["refuse"], lambda: False))
    with pytest.raises(RuntimeError, match=r"(?s)fail failed:.*ZeroDivisionError"):
        list(pool(work, 1).run(["fail"], lambda: False))
    with pytest.raises(RuntimeError, match="pickle"):
        list(pool(work, 1).run([lambda: 0], lambda: False))


def test_who_is_asked_to_stop_ends_with_what_there_is(work):
    told = []
    for order, said in filter(None, pool(work, 1).run(["wait", "a"], lambda: bool(told))):
        told.append((order, type(said)))
    assert told == [("wait", str), ("wait", Done)]
    assert list(pool(work, 1).run(["a"], lambda: True)) == []
    first, second = filter(None, pool(work, 1, least=1).run(["wait", "a"], lambda: True))
    assert first == ("wait", "doing wait") and second[1].value[0] == "wait"


def test_threads_share_orders_alike():
    def halved(order: int, boss: Boss) -> float:
        boss.tell(-order)
        return 1 / order

    def of(orders):
        shared = Pool(lambda place, heard: Thread(halved, heard), 2, str)
        return sorted(filter(None, shared.run(orders, lambda: False)), key=str)

    assert of([1, 2]) == sorted([(1, -1), (2, -2), (1, Done(1.0)), (2, Done(0.5))], key=str)
    with pytest.raises(ZeroDivisionError):
        of([1, 0])
