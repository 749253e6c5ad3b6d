"""The GPU, through CuPy: its memory, and kernels compiled at run time, which CuPy caches on disk."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from anc.support import diagnostics
from anc.support.diagnostics import AncError, shortened
from anc.support.job import cores
from anc.training.gpu.sizes import Sizes

OLDEST = (7, 0)  # the compute capability that the kernels need
_WARP = 32
_TOO_OLD_A_DRIVER = 35  # CUDA's error number, also if there is no driver
_NO_CARD = 100
_SHORT = 160  # characters of CuPy's messages
_FUSED = "use --engine fused"


class Device:
    """An NVIDIA GPU, which runs kernels, and its memory."""

    name: str
    room: int  # bytes of shared memory of a block
    processors: int  # multiprocessors, each with registers for a few teams

    def __init__(self, cupy: Any) -> None:
        self.cupy = cupy
        device = _device(cupy)
        name = cupy.cuda.runtime.getDeviceProperties(device.id)["name"]
        self.name = name.decode() if isinstance(name, bytes) else str(name)
        capability = int(device.compute_capability[:-1]), int(device.compute_capability[-1])
        if capability < OLDEST:
            raise AncError(
                f"the engine 'gpu' needs a GPU of compute capability {_version(OLDEST)} or later,"
                f" found {self.name} with {_version(capability)}",
                help=_FUSED,
            )
        self.room = int(device.attributes["MaxSharedMemoryPerBlockOptin"])
        self.processors = int(device.attributes["MultiProcessorCount"])
        self.free_bytes()  # first use: fails here if another process holds the GPU
        self._compiling: dict[Sizes, Future[Kernels]] = {}
        self._lock = threading.Lock()
        self._own = threading.local()
        self._compilers = ThreadPoolExecutor(cores(), thread_name_prefix="anc-compiler")

    def prepare(self, sizes: Sizes) -> Future[Kernels]:
        """Start compiling a size in the background; several are compiled at once."""
        with self._lock:
            if sizes not in self._compiling:
                self._compiling[sizes] = self._compilers.submit(_kernels, self, sizes)
            return self._compiling[sizes]

    def kernels(self, sizes: Sizes) -> Kernels:
        return self.prepare(sizes).result()

    def put(self, array: np.ndarray) -> Any:
        with self._memory(array.nbytes), self.stream:
            return self.cupy.asarray(array)

    def empty(self, bytes: int) -> Any:
        with self._memory(bytes), self.stream:
            return self.cupy.empty(max(1, bytes), self.cupy.uint8)

    @property
    def stream(self) -> Any:
        """This thread's CUDA stream; streams of several threads run concurrently."""
        if not hasattr(self._own, "stream"):
            self._own.stream = self.cupy.cuda.Stream(non_blocking=True)
        return self._own.stream

    def address(self, there: Any) -> int:
        return there.data.ptr

    def get(self, there: Any, out: np.ndarray) -> None:
        with self.stream:
            there.view(out.dtype).reshape(out.shape).get(out=out)

    def free_bytes(self) -> int:
        pool = self.cupy.get_default_memory_pool()
        return int(self.cupy.cuda.runtime.memGetInfo()[0]) + pool.free_bytes()

    @contextmanager
    def _memory(self, bytes: int) -> Iterator[None]:
        """Turn a failed allocation into an error with advice."""
        try:
            yield
        except self.cupy.cuda.memory.OutOfMemoryError:
            raise no_room("a part of the training", bytes, self.free_bytes()) from None


def no_room(what: str, needed: int, free: int) -> AncError:
    """The error for too little GPU memory."""
    return AncError(
        f"{what} needs about {needed / 2**30:,.1f} GiB of GPU memory, but only"
        f" {free / 2**30:,.1f} GiB are free",
        help="lower --seeds, --batch, --registers, --max-steps or --memory, or use --engine fused",
    )


def _device(cupy: Any) -> Any:
    """CuPy's current device, or the reason why there is none."""
    runtime = cupy.cuda.runtime
    try:
        count = runtime.getDeviceCount()
    except runtime.CUDARuntimeError as problem:
        driver = int(runtime.driverGetVersion())
        if problem.status == _TOO_OLD_A_DRIVER and driver:
            needed = int(runtime.runtimeGetVersion())
            raise AncError(
                f"the GPU's driver supports CUDA {_cuda(driver)}, and CuPy was built for"
                f" {_cuda(needed)}",
                help=f"update the driver, install a CuPy for CUDA {driver // 1000}, or {_FUSED}",
            ) from None
        if problem.status not in (_NO_CARD, _TOO_OLD_A_DRIVER):
            raise
        count = 0
    if count == 0:
        raise AncError("the engine 'gpu' needs an NVIDIA GPU; found none", help=_FUSED)
    return cupy.cuda.Device()


def _cuda(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def _version(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))


@dataclass
class Kernels:
    """The compiled kernels of one size."""

    device: Device
    module: Any
    group: int
    team: int  # bytes of a team's shared memory
    each: int  # ... and of each group in the team
    large: int  # bytes of a large record in global memory
    slot: int  # ... and of one step of a run

    def teams(self, name: str, groups: int) -> int:
        """The number of teams of `groups` groups that can run at once."""
        together = self._together(groups)
        at_once = self.device.cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(
            self.module.get_function(name).kernel.ptr,
            together * self.group * groups,
            together * self._bytes(groups),
        )
        return together * max(1, at_once) * self.device.processors

    def launch(self, name: str, record: np.ndarray, teams: int, groups: int) -> None:
        """Launch a kernel asynchronously; later operations on the stream wait for it."""
        together = self._together(groups)
        if teams % together:
            together = 1
        with self.device.stream:
            self.module.get_function(name)(
                (teams // together,),
                (self.group * groups, together),
                (record,),
                shared_mem=together * self._bytes(groups),
            )

    def _bytes(self, groups: int) -> int:
        return self.team + groups * self.each

    def _together(self, groups: int) -> int:
        """The number of teams that share a block, and thereby a warp."""
        return max(1, _WARP // (self.group * groups))


def _kernels(device: Device, sizes: Sizes) -> Kernels:
    """Compile a module or load it from CuPy's cache, and query its record sizes."""
    cupy = device.cupy
    try:
        module = cupy.RawModule(code=sizes.source, options=sizes.options, backend="nvrtc")
        sizes_of = module.get_function("sizes")
    except RuntimeError as problem:  # NVRTC cannot be loaded
        raise AncError(
            f"CuPy cannot compile here: {str(problem).splitlines()[0]}", help=_install()
        ) from None
    there = cupy.zeros(6, cupy.int64)
    sizes_of((1,), (1,), (there,))
    team, each, large, slot, *_ = (int(x) for x in there.get())
    for name in ("train_members", "evaluate_members"):
        module.get_function(name).max_dynamic_shared_size_bytes = sizes.room
    return Kernels(device, module, sizes.group, team, each, large, slot)


def _imported() -> Any:
    """CuPy, or an error that says how to install it. A CuPy that does not fit may fail in any way."""
    try:
        import cupy
    except Exception as problem:
        if isinstance(problem, ImportError) and problem.name == "cupy":
            found = "which is not installed"
        else:
            found = f"which cannot be loaded: {_reason(problem)}"
        raise AncError(f"the engine 'gpu' needs CuPy, {found}", help=_install()) from None
    if not hasattr(cupy, "cuda"):
        where = cupy.__file__ or next(iter(cupy.__path__), "?")  # a folder counts as a package
        raise AncError(f"the engine 'gpu' needs CuPy, but {where} is not it", help=_install())
    return cupy


def _install() -> str:
    return f"{diagnostics.install('cuda')}, or {_FUSED}"


def _reason(problem: Exception) -> str:
    """The last line with letters: CuPy surrounds the cause with advice."""
    lines = [line.strip() for line in str(problem).splitlines()]
    said = [line for line in lines if any(map(str.isalpha, line))]
    return shortened(said[-1], _SHORT) if said else type(problem).__name__


def find_device(imported: Callable[[], Any] = _imported) -> Device:
    """The GPU of this machine, or the reason why there is none."""
    cupy = imported()
    try:
        return Device(cupy)
    except cupy.cuda.runtime.CUDARuntimeError as problem:
        raise AncError(
            f"the GPU cannot be used: {_reason(problem)}",
            help=f"`nvidia-smi` shows its driver and whether other processes use it; or {_FUSED}",
        ) from None


@cache
def the_device() -> Device:
    """The GPU, found once."""
    return find_device()


def has_device() -> bool:
    """Whether a usable GPU exists; loads nothing if CuPy is not installed."""
    from importlib.util import find_spec

    if find_spec("cupy") is None:
        return False
    try:
        the_device()
    except AncError:
        return False
    return True
