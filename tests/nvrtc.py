"""NVIDIA's compiler for kernels, which needs no card: what `pip install nvidia-cuda-nvrtc-cu12` brings, by ctypes."""

import ctypes
import re
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_PACKAGE = "nvidia.cuda_nvrtc"
_REGISTERS = re.compile(r"Used (\d+) registers")
_SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
_FUNCTION = re.compile(r"Compiling entry function '(\w+)'")


def folder() -> Path | None:
    """Where it is installed."""
    try:
        found = find_spec(_PACKAGE)
    except ModuleNotFoundError:
        return None
    return Path(next(iter(found.submodule_search_locations))) if found else None


@dataclass(frozen=True)
class Kernel:
    """What a thread of a kernel takes."""

    registers: int
    spilled: int  # bytes that found no room in them


@dataclass(frozen=True)
class Compiled:
    log: str
    kernels: dict[str, Kernel]


@cache
def _library() -> ctypes.CDLL:
    where = folder()
    assert where is not None, "NVRTC is not installed: pip install nvidia-cuda-nvrtc-cu12"
    (path,) = (where / "lib").glob("libnvrtc.so.*[0-9]")
    return ctypes.CDLL(str(path))


def compiled(source: str, capability: int, options: tuple[str, ...] = ()) -> Compiled:
    """Compile to machine code for cards of a capability, such as 90; mistakes are an AssertionError."""
    library, program = _library(), ctypes.c_void_p()
    words = [*options, f"--gpu-architecture=sm_{capability}", "--ptxas-options=-v"]
    given = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
    named = ctypes.byref(program), source.encode(), b"kernels.cu"
    assert library.nvrtcCreateProgram(*named, 0, None, None) == 0
    try:
        status = library.nvrtcCompileProgram(program, len(words), given)
        size = ctypes.c_size_t()
        library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        room = ctypes.create_string_buffer(size.value)
        library.nvrtcGetProgramLog(program, room)
        log = room.value.decode()
        assert status == 0, log
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))
    return Compiled(log, _kernels(log))


def _kernels(log: str) -> dict[str, Kernel]:
    """What ptxas says of each kernel, and of all that it calls after it."""
    found = {}
    _, *pieces = _FUNCTION.split(log)
    for name, text in zip(pieces[::2], pieces[1::2], strict=True):
        registers = max(map(int, _REGISTERS.findall(text)))
        spilled = sum(int(number) for pair in _SPILLS.findall(text) for number in pair)
        found[name] = Kernel(registers, spilled)
    return found
