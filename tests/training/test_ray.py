"""Chunks on a Ray cluster of two nodes on this machine: the same table, whatever happens to its workers."""

import json
import os
import pickle
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from command_line import anc
from host_device import HostDevice

from anc.data.tasks import get
from anc.support.diagnostics import AncError
from anc.training.distributed import ray_connection
from anc.training.distributed.chunk import Chunk, portable
from anc.training.distributed.executor import executor
from anc.training.distributed.ray_cluster import train_chunk
from anc.training.distributed.scheduler import trained
from anc.training.members import Members
from anc.training.problem import from_task
from anc.training.result import COLUMNS, TrainingOutcome
from anc.training.settings import changed, load_settings
from anc.version import __version__

needs_ray = pytest.mark.skipif(
    find_spec("ray") is None and not os.environ.get("ANC_NEEDS_RAY"),
    reason="Ray is not installed: make test RAY=ray",
)
PROBLEM = portable(from_task(get("access"), pool=64, test=40))
SETTINGS = load_settings("access", "published")


@pytest.fixture(scope="module", autouse=True)
def environment() -> Iterator[pytest.MonkeyPatch]:
    """What Ray reads when it is imported: nobody else may use the cluster, and it is not reported."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(16))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_worker_niceness", "0")
        patch.setenv("GRPC_ENABLE_FORK_SUPPORT", "false")
        yield patch


CUPY = """
import os
from pathlib import Path

from host_device import HostDevice

from anc.training.gpu import device

cuda = None
folder = Path(__file__).parent
with (folder / "used").open("a") as file:
    print(os.getpid(), os.environ.get("CUDA_VISIBLE_DEVICES"), file=file)
device.Device = lambda cupy: HostDevice(folder)
"""


@pytest.fixture(scope="module")
def used(environment, tmp_path_factory) -> Path:
    """Which process of the cluster used which GPU: a CuPy that only they have stands for GPUs."""
    folder = tmp_path_factory.mktemp("gpus")
    (folder / "cupy").mkdir()
    (folder / "cupy" / "__init__.py").write_text(CUPY)
    others = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    path = [str(folder), str(Path(__file__).parent.parent), *others]
    environment.setenv("PYTHONPATH", os.pathsep.join(path))
    return folder / "cupy" / "used"


def free_port() -> int:
    """One at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@pytest.fixture(scope="module")
def cluster(environment, used) -> Iterator[str]:
    """Two nodes with a core each, which `--on ray` finds; and their address for those elsewhere.

    The second one says that it has a GPU.
    """
    import ray
    from ray.cluster_utils import Cluster

    port = free_port()
    head = {"num_cpus": 1, "include_dashboard": False, "ray_client_server_port": port}
    nodes = Cluster(initialize_head=True, head_node_args=head)
    try:
        nodes.add_node(num_cpus=1, num_gpus=1)
        environment.setenv("RAY_ADDRESS", nodes.address)
        yield f"ray://127.0.0.1:{port}"
    finally:
        ray.shutdown()
        nodes.shutdown()


def trainers() -> dict[int, float]:
    """The processes that train a chunk right now, and the seconds that their cores have worked."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process.joinpath("cmdline").read_bytes().startswith(b"ray::train_chunk"):
                user, system = (
                    process.joinpath("stat").read_text().rpartition(")")[2].split()[11:13]
                )
                ticks = int(user) + int(system)
                found[int(process.name)] = ticks / os.sysconf("SC_CLK_TCK")
        except OSError:
            continue
    return found


class AtWork:
    """Waits for workers that are in the middle of a chunk: they have worked since it was begun."""

    def __init__(self) -> None:
        self.first: dict[int, float] = {}

    def look(self) -> list[int]:
        now = trainers()
        self.first = {process: self.first.get(process, now[process]) for process in now}
        return [process for process in now if now[process] - self.first[process] > 0.3]


class Killer(threading.Thread):
    """Kills the first worker that is in the middle of a chunk, until `over`."""

    def __init__(self) -> None:
        super().__init__()
        self.killed: list[int] = []
        self.over = threading.Event()

    def run(self) -> None:
        workers = AtWork()
        while not self.killed and not self.over.is_set():
            for process in workers.look()[:1]:
                os.kill(process, signal.SIGKILL)
                self.killed.append(process)
            time.sleep(0.02)


def rows_of(folder: Path) -> list[dict]:
    rows = json.loads((folder / "table1.json").read_text())["rows"]
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


@needs_ray
def test_nobody_at_an_address_is_said_at_once():
    address = f"ray://127.0.0.1:{free_port()}"
    with pytest.raises(AncError, match=f"no Ray cluster answers at {address}: "):
        executor(address)


def stand_in(init) -> SimpleNamespace:
    """A Ray that is not connected, and how it tries."""
    return SimpleNamespace(init=init, is_initialized=lambda: False)


@pytest.mark.parametrize("failures", [1, 2])
def test_a_cluster_elsewhere_is_asked_twice(monkeypatch, failures):
    """What it starts for a client may die as it begins."""
    asked = []

    def init(**options: object) -> None:
        asked.append(options)
        if len(asked) <= failures:
            raise ConnectionAbortedError("Initialization failure from server:\nit is a zombie")

    ray = stand_in(init)
    monkeypatch.setattr(ray_connection, "_ray", lambda: ray)
    monkeypatch.setattr(ray_connection, "_check_answers", lambda address: None)
    monkeypatch.setattr(ray_connection, "_speak_on_standard_error", lambda: None)
    monkeypatch.setattr(ray_connection, "_connected_to", None)
    if failures == 1:
        assert ray_connection.connected("ray://far:10001") is ray
    else:
        with pytest.raises(AncError, match="that can be used: it is a zombie") as said:
            ray_connection.connected("ray://far:10001")
        assert "GRPC_ENABLE_FORK_SUPPORT=false" in said.value.help
    assert len(asked) == 2


def test_a_port_that_is_not_for_clients_is_asked_once(monkeypatch):
    asked = []

    def init(**options: object) -> None:
        asked.append(options)
        raise ConnectionError("ray client connection timeout")

    monkeypatch.setattr(ray_connection, "_ray", lambda: stand_in(init))
    monkeypatch.setattr(ray_connection, "_check_answers", lambda address: None)
    with pytest.raises(AncError, match=r"at ray://far:6379 that can be used: .*timeout") as said:
        ray_connection.connected("ray://far:6379")
    assert "is this its port for clients, usually 10001?" in said.value.help
    assert len(asked) == 1


@needs_ray
def test_a_worker_that_dies_does_not_change_the_table(cluster, tmp_path):
    words = ("table1", "--tasks", "access", "--seeds", 80, "--json")
    killer = Killer()
    killer.start()
    try:
        on_ray = anc(*words, "--on", "ray", "-o", tmp_path / "ray")
    finally:
        killer.over.set()
    local = anc(*words, "--jobs", 1, "-o", tmp_path / "local")
    assert on_ray.returncode == local.returncode == 0, on_ray.stderr + local.stderr
    assert len(killer.killed) == 1
    assert json.loads(on_ray.stdout)["rows"], "Ray's words about it are not in the answer"
    assert rows_of(tmp_path / "ray") == rows_of(tmp_path / "local")
    names = [
        sorted(p.name for p in (tmp_path / on / "chunks").iterdir()) for on in ("ray", "local")
    ]
    assert names[0] == names[1] and len(names[0]) == 4


@needs_ray
def test_a_cluster_elsewhere_trains_the_same(cluster, tmp_path):
    """Through its port for clients, from a process that is in no cluster."""
    words = ("table1", "--tasks", "access", "--seeds", 20, "--json")
    command = [
        sys.executable,
        "-m",
        "anc",
        *map(str, words),
        "--on",
        cluster,
        "-o",
        str(tmp_path / "elsewhere"),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert anc(*words, "-o", tmp_path / "local").returncode == 0
    assert rows_of(tmp_path / "elsewhere") == rows_of(tmp_path / "local")


@needs_ray
def test_what_is_stopped_says_where_it_stands(cluster):
    members = Members.alike(changed(SETTINGS, {"iterations": 10**6}), 3)
    workers = AtWork()
    told: list = []
    ((_, found),) = executor("ray").run(
        [Chunk(PROBLEM, members)], lambda: bool(workers.look()), told.append
    )
    assert {each.chunks for each in told} == {1} and told[-1].seconds > told[0].seconds
    assert not found.is_done and found.checkpoint is not None
    assert found.checkpoint.iteration == found.iteration < 10**6
    expected = Chunk(PROBLEM, members, until=found.iteration).run()
    for name in ("found_at", "attempts", "skipped"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name


@needs_ray
def test_chunks_for_a_card_are_trained_where_one_is(cluster, used, tmp_path, monkeypatch):
    """Here is none. Each has a process of its own: one that used a GPU stays with it, whichever Ray gives it later."""
    few = {"iterations": 4, "validate_every": 4, "max_steps": 8}
    plans = [changed(SETTINGS, few | {"rate": rate}) for rate in (0.1, 0.2, 0.3)]
    parts = [Chunk(PROBLEM, Members.alike(one, 2), "gpu") for one in plans]
    workers = executor("ray")
    found = [next(trained([part], workers))[1] for part in parts]
    lines = [line.split() for line in used.read_text().splitlines()]
    assert len({process for process, _ in lines}) == len(lines) == len(parts)
    assert {gpu for _, gpu in lines} == {"0"}
    HostDevice(tmp_path).in_place(monkeypatch)
    for part, one in zip(parts, found, strict=True):
        expected = part.run()
        for name in COLUMNS:
            assert np.array_equal(getattr(one, name), getattr(expected, name)), name


@pytest.mark.parametrize("on", ["ray://", "ray://host", "ray://a b:1", "ray:/host:1", "", "x", 3])
def test_what_is_no_address_is_refused(on):
    with pytest.raises(AncError, match=r"^on is .*, expected .*ray://HOST:PORT"):
        executor(on)


@pytest.mark.parametrize("port", ["65536", "99999", "100000001"])
def test_a_port_that_is_none_is_not_asked(port, monkeypatch):
    with pytest.raises(AncError, match=f"there is no port {port}, they go from 0 to 65535"):
        executor(f"ray://127.0.0.1:{port}")
    monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{port}")
    with pytest.raises(AncError, match=f"^RAY_ADDRESS is .*: there is no port {port}"):
        executor("ray")


def test_ray_is_optional(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    found = anc("sweep", "access", "--grid", "grid.toml", "--on", "ray")
    assert found.returncode == 2
    assert "Ray is not installed" in found.stderr and "pip install 'ray[client]" in found.stderr


def test_processes_of_this_machine_are_not_those_of_a_cluster():
    with pytest.raises(AncError, match="jobs are processes on this machine"):
        executor("ray", jobs=2)


def answered(chunk: Chunk, version: str = __version__, key: str | None = None) -> object:
    """What a worker answers, here in this process."""
    rest = pickle.dumps((chunk.members, chunk.engine, chunk.until, chunk.begin))
    return train_chunk(version, key or chunk.key, 1, pickle.dumps(chunk.problem), rest)


def test_a_worker_answers_what_the_chunk_gives():
    chunk = Chunk(PROBLEM, Members.alike(changed(SETTINGS, {"iterations": 100}), 2))
    before = signal.getsignal(signal.SIGINT)
    found, expected = answered(chunk), chunk.run()
    assert isinstance(found, TrainingOutcome)
    for name in COLUMNS:
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
    assert signal.getsignal(signal.SIGINT) is before


def test_a_worker_with_another_anc_trains_nothing():
    chunk = Chunk(PROBLEM, Members.alike(SETTINGS, 2))
    older = answered(chunk, version="0.0.1")
    assert isinstance(older, AncError) and "0.0.1" in older.message
    other = answered(chunk, key="0" * 64)
    assert isinstance(other, AncError) and "other instructions or settings" in other.message
