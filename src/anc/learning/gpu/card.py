"""The graphics card: memory there, and kernels compiled at run time, which CuPy keeps on disk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np

from anc.diagnostics import AncError
from anc.learning.gpu.sizes import INSIDE, Sizes


class Kernels(Protocol):
    """The kernels of one size, wherever they run."""

    block: int  # bytes of a block's own memory
    each: int  # ... and of each group in it
    large: int  # bytes of a large record outside of that
    slot: int  # ... and of one step of a run

    def blocks(self, name: str, groups: int) -> int:
        """How many blocks of so many groups can work at once."""
        ...

    def launch(self, name: str, record: np.ndarray, blocks: int, groups: int) -> None: ...


class Card(Protocol):
    """Where kernels run, and its memory."""

    def kernels(self, sizes: Sizes) -> Kernels: ...
    def put(self, array: np.ndarray) -> Any: ...
    def empty(self, bytes: int) -> Any: ...
    def address(self, there: Any) -> int: ...
    def get(self, there: Any, out: np.ndarray) -> None: ...
    def free_bytes(self) -> int: ...


class CudaCard:
    """An NVIDIA card, by CuPy."""

    def __init__(self) -> None:
        try:
            import cupy
        except ImportError:
            raise AncError(
                "the engine 'gpu' needs CuPy, which is not installed",
                help="pip install 'adaptive-neural-compiler[cuda]', or use --engine fused",
            ) from None
        self.cupy = cupy
        try:
            count = cupy.cuda.runtime.getDeviceCount()
        except cupy.cuda.runtime.CUDARuntimeError as problem:
            raise AncError(
                f"there is no graphics card that can be used: {problem}",
                help="use --engine fused",
            ) from None
        if count == 0:
            raise AncError("there is no graphics card", help="use --engine fused")

    @cache  # noqa: B019 (there is one card)
    def kernels(self, sizes: Sizes) -> Kernels:
        return _CudaKernels.made(self.cupy, sizes)

    def put(self, array: np.ndarray) -> Any:
        return self.cupy.asarray(array)

    def empty(self, bytes: int) -> Any:
        return self.cupy.empty(max(1, bytes), self.cupy.uint8)

    def address(self, there: Any) -> int:
        return there.data.ptr

    def get(self, there: Any, out: np.ndarray) -> None:
        there.get(out=out)

    def free_bytes(self) -> int:
        pool = self.cupy.get_default_memory_pool()
        return int(self.cupy.cuda.runtime.memGetInfo()[0]) + pool.free_bytes()


@dataclass(frozen=True)
class _CudaKernels:
    cupy: Any
    module: Any
    group: int
    block: int
    each: int
    large: int
    slot: int

    @classmethod
    def made(cls, cupy: Any, sizes: Sizes) -> _CudaKernels:
        module = cupy.RawModule(code=sizes.source, options=("--std=c++14",), backend="nvrtc")
        there = cupy.zeros(6, cupy.int64)
        module.get_function("sizes")((1,), (1,), (there,))
        block, each, large, slot, *_ = (int(x) for x in there.get())
        for name in ("train_members", "evaluate_members"):
            module.get_function(name).max_dynamic_shared_size_bytes = INSIDE
        return cls(cupy, module, sizes.group, block, each, large, slot)

    def blocks(self, name: str, groups: int) -> int:
        at_once = self.cupy.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor(
            self.module.get_function(name).kernel.ptr,
            self.group * groups,
            self.block + groups * self.each,
        )
        device = self.cupy.cuda.Device()
        return max(1, at_once) * int(device.attributes["MultiProcessorCount"])

    def launch(self, name: str, record: np.ndarray, blocks: int, groups: int) -> None:
        self.module.get_function(name)(
            (blocks,), (self.group * groups,), (record,), shared_mem=self.block + groups * self.each
        )


@cache
def the_card() -> Card:
    """The card of this machine, or the reason that there is none."""
    return CudaCard()


def is_there_a_card() -> bool:
    """Whether kernels can run on a card here."""
    try:
        the_card()
    except AncError:
        return False
    return True
