"""GPUs that are missing, old, small or present: the messages, and which engine `auto` is."""

import sys
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
from command_line import anc
from host_device import ROOM, HostDevice

import anc as api
from anc.data.tasks import get
from anc.support.diagnostics import AncError
from anc.support.folders import TRAINING, claimed
from anc.training import engines, gpu
from anc.training import problem as problems
from anc.training.folder import RunFolder
from anc.training.gpu import device as devices
from anc.training.gpu import engine as gpu_engine
from anc.training.members import Members
from anc.training.settings import TrainingSettings, changed
from anc.training.training import Training, run


class CudaError(RuntimeError):
    def __init__(self, status):
        super().__init__(f"cudaError{status}: what it means")
        self.status = status


def cupy(count=1, driver=12040, capability="90", failure=None, compiler=None, held=None):
    """As much of CuPy as finding a GPU needs, on a machine with or without one."""

    def devices():
        if failure is not None:
            raise CudaError(failure)
        return count

    def module(**options):
        raise compiler

    def memory_left():
        if held is not None:
            raise CudaError(held)
        return 2**30, 2**31

    runtime = SimpleNamespace(
        CUDARuntimeError=CudaError,
        getDeviceCount=devices,
        driverGetVersion=lambda: driver,
        runtimeGetVersion=lambda: 12090,
        getDeviceProperties=lambda number: {"name": b"NVIDIA H200"},
        memGetInfo=memory_left,
    )

    class OutOfMemoryError(Exception):
        pass

    def empty(size, kind):
        raise OutOfMemoryError

    attributes = {"MaxSharedMemoryPerBlockOptin": ROOM, "MultiProcessorCount": 132}
    device = SimpleNamespace(id=0, compute_capability=capability, attributes=attributes)
    memory = SimpleNamespace(OutOfMemoryError=OutOfMemoryError)
    cuda = SimpleNamespace(
        runtime=runtime,
        memory=memory,
        Device=lambda: device,
        Stream=lambda non_blocking: nullcontext(),
    )
    pool = SimpleNamespace(free_bytes=lambda: 0)
    return SimpleNamespace(
        cuda=cuda, RawModule=module, empty=empty, uint8=None, get_default_memory_pool=lambda: pool
    )


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (cupy(count=0), "needs an NVIDIA GPU; found none"),
        (cupy(failure=100), "needs an NVIDIA GPU; found none"),
        (cupy(failure=35, driver=0), "needs an NVIDIA GPU; found none"),
        (cupy(failure=35, driver=11080), "supports CUDA 11.8, and CuPy was built for 12.9"),
        (cupy(failure=803), "the GPU cannot be used: cudaError803: what it means"),
        (cupy(held=46), "the GPU cannot be used: cudaError46: what it means"),
        (cupy(capability="61"), "capability 7.0 or later, found NVIDIA H200 with 6.1"),
    ],
)
def test_what_is_wrong_with_a_card_is_said(found, message):
    with pytest.raises(AncError, match=message) as said:
        devices.find_device(lambda: found)
    assert "--engine fused" in said.value.help


def test_a_card_is_known_by_its_name():
    assert devices.find_device(cupy).name == "NVIDIA H200"
    assert devices.find_device(lambda: cupy(capability="120")).name == "NVIDIA H200"


def test_a_compiler_that_is_missing_and_memory_that_is_full_are_said():
    failing = devices.find_device(lambda: cupy(compiler=RuntimeError("no libnvrtc\nat all")))
    with pytest.raises(AncError, match="cannot compile here: no libnvrtc") as said:
        failing.kernels(gpu_engine.Sizes.chosen(7, 3, "float32", ROOM))
    assert "pip install" in said.value.help and "cupy" in said.value.help
    with pytest.raises(AncError, match=r"2\.0 GiB of GPU memory, but only 1\.0 GiB are free"):
        failing.empty(2**31)


def test_a_population_that_is_too_big_for_the_device_is_refused(tmp_path):
    settings = TrainingSettings(max_steps=1000)
    small = HostDevice(tmp_path, free=2**30)
    gpu.check_room(10, 3, 10, settings, small)
    with pytest.raises(AncError, match="training 999999 members for a memory of 10 cells needs"):
        gpu.check_room(10, 3, 999_999, settings, small)
    with pytest.raises(AncError, match=r"0\.9 GiB of GPU memory, but only 1\.0 GiB"):
        gpu.check_room(500, 3, 1, settings, small)


def test_the_estimate_covers_what_is_taken(tmp_path):
    """The slots of runs, which are nearly all of it, are estimated without compiling anything."""
    device = HostDevice(tmp_path)
    sizes = gpu_engine.Sizes.chosen(7, 3, "float32", ROOM)
    assert device.kernels(sizes).slot == 4 * sizes.slot_floats


@pytest.fixture
def no_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    devices.the_device.cache_clear()
    yield
    devices.the_device.cache_clear()


def test_without_cupy_the_command_says_how_to_get_it(no_cupy):
    done = anc("train", "access", "--engine", "gpu", "--seeds", "1")
    assert done.returncode == 2
    assert "needs CuPy, which is not installed" in done.stderr
    assert "help: pip install" in done.stderr and "cupy-cuda12x" in done.stderr


@pytest.fixture
def device(tmp_path, monkeypatch):
    return HostDevice(tmp_path).in_place(monkeypatch)


FRAMED = "=====\nFailed to import CuPy.\n\nOriginal error:\n  no libcuda.so.1\n====="


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (f"raise ImportError({FRAMED!r})", "needs CuPy, which cannot be loaded: no libcuda.so.1"),
        ("raise ValueError('numpy.dtype size changed')", "loaded: numpy.dtype size changed"),
        ("raise RuntimeError", "needs CuPy, which cannot be loaded: RuntimeError"),
        ("", "is not it"),
        (None, "is not it"),
    ],
)
def test_a_cupy_that_cannot_be_used_is_said_and_auto_does_without(
    monkeypatch, tmp_path, source, message
):
    """One for another machine, one that does not fit its numpy, a file or a folder of that name."""
    folder = tmp_path / "cupy"
    folder.mkdir()
    if source is not None:
        (folder / "__init__.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    devices.the_device.cache_clear()
    try:
        with pytest.raises(AncError, match=message) as said:
            engines.engine("gpu")
        assert "--engine fused" in said.value.help
        assert engines.chosen_engine("auto") == "fused"
    finally:
        sys.modules.pop("cupy", None)
        devices.the_device.cache_clear()


def test_auto_is_the_device_where_there_is_one(monkeypatch):
    monkeypatch.setattr(devices, "has_device", lambda: False)
    assert engines.chosen_engine("auto") == "fused"
    monkeypatch.setattr(devices, "has_device", lambda: True)
    assert engines.chosen_engine("auto") == "gpu"
    assert engines.chosen_engine("jax") == "jax"


def test_python_trains_on_the_device_too(device, monkeypatch):
    monkeypatch.setattr(devices, "has_device", lambda: True)
    words = {"seeds": 2, "iterations": 4, "max_steps": 8}
    found = {name: api.train("access", engine=name, **words) for name in ("auto", "gpu", "fused")}
    assert np.array_equal(found["auto"].weights, found["gpu"].weights)
    assert not np.array_equal(found["fused"].weights, found["gpu"].weights)
    assert np.allclose(found["fused"].weights, found["gpu"].weights, atol=1e-3)


@pytest.mark.parametrize(
    "call",
    [
        lambda: api.train("access", engine="cuda"),
        lambda: api.sweep("access", {"rate": [1]}, engine="cuda"),
        lambda: api.table1(["access"], engine="cuda"),
        lambda: api.fill(
            "memory 8; WRITE(0, ?); STOP()", [{"input": [1], "output": [1]}] * 9, engine="cuda"
        ),
    ],
)
def test_python_says_which_engines_there_are(call):
    with pytest.raises(
        AncError, match="engine is 'cuda', expected 'auto', 'fused', 'gpu' or 'jax'"
    ):
        call()


def test_an_objective_has_an_engine_of_its_own():
    aim = {"objective": lambda given, final: final[0], "engine": "fused"}
    with pytest.raises(AncError, match="'engine' does not go with 'objective'"):
        api.train("access", inputs=[[1]], **aim)
    with pytest.raises(AncError, match="'engine' does not go with 'objective'"):
        api.fill("memory 8; WRITE(0, ?); STOP()", inputs=[[1]], **aim)
    done = anc("train", "access", "--objective", "access", "--engine", "fused")
    assert done.returncode == 2 and "--engine does not go with --objective" in done.stderr


def test_an_engine_that_does_not_exist():
    with pytest.raises(AncError, match="no engine 'cuda'"):
        engines.engine("cuda")


ORIGIN = {"kind": "task", "name": "access", "biased": True, "seed": 0, "pool": 64, "test": 20}


def test_a_run_on_a_card_is_kept_and_resumed_as_any_other(device, tmp_path):
    given = problems.from_task(get("access"), pool=64, test=20)
    settings = changed(TrainingSettings(), {"iterations": 6, "validate_every": 2, "noise": 0.01})
    members = Members.alike(settings, 2)
    engines.check_memory(given, members, "gpu")
    engines.prepare(given, members, "gpu")
    whole = run(Training(given, members, engines.engine("gpu")))

    folder = RunFolder(tmp_path / "run")
    with claimed(folder.path, TRAINING) as place:
        folder.begin(place, given, members, "gpu", ORIGIN)
    assert folder.describe()["provenance"]["device"] == device.name
    first = Training(given, members, engines.engine("gpu"))
    first.advance()
    folder.save(first, 1.0)
    again = Training(
        folder.problem(), folder.members(), engines.engine(folder.describe()["engine"])
    )
    folder.restore(again)
    assert again.state.iteration == 2
    resumed = run(again)
    assert np.array_equal(resumed.weights, whole.weights)
    assert np.array_equal(resumed.steps, whole.steps)
    beside = run(Training(given, members, engines.engine("fused")))
    assert np.allclose(beside.weights, whole.weights, atol=1e-3)
