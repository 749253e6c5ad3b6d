"""The kernels of the engine `gpu` as compilers see them: they compile, and every block of them can begin on a card."""

import os
import shutil
import subprocess

import pytest
from host_device import ROOM, WORDS
from nvrtc import compiled, folder

from anc.training.gpu.device import OLDEST
from anc.training.gpu.sizes import Sizes

SMALLER = 101_376  # bytes that a block of many smaller GPUs has
REGISTERS, PROCESSORS = 65_536, 132  # of a multiprocessor, and how many of these there are
BATCHES = (1, 2, 5, 8, 100)
SHAPES = ((2, 1), (10, 5), (20, 7), (33, 4), (100, 18), (256, 6))


needs_nvrtc = pytest.mark.skipif(
    folder() is None and not os.environ.get("ANC_NEEDS_NVRTC"),
    reason="NVRTC is not installed: make test NVRTC=nvidia-cuda-nvrtc-cu12",
)


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize(("M", "R"), SHAPES)
def test_a_team_has_room_for_its_groups(M, R, tmp_path):
    """The sizes are estimated before anything is compiled; here the records themselves are asked."""
    for number, (dtype, room) in enumerate(
        [("float32", ROOM), ("float32", SMALLER), ("float64", ROOM)]
    ):
        sizes = Sizes.chosen(M, R, dtype, room)
        own = f"#define WARP 32\n#define ROOM_BYTES {room}\n#define ORDER 1\n"
        checks = "".join(
            f'_Static_assert(INSIDE({sizes.groups(batch)}) <= {room}, "{dtype}, {batch}");\n'
            for batch in BATCHES
        )
        path = tmp_path / f"{number}.c"
        path.write_text(own + sizes.source_with(WORDS.read_text()) + checks)
        subprocess.run(["cc", "-fsyntax-only", str(path)], check=True)


@needs_nvrtc
@pytest.mark.parametrize("capability", [10 * OLDEST[0] + OLDEST[1], 89])
def test_they_compile_for_old_and_new_cards_without_a_warning(capability):
    sizes = Sizes.chosen(10, 3, "float32", SMALLER)
    found = compiled(sizes.source, capability, sizes.options)
    assert set(found.kernels) == {"train_members", "evaluate_members", "sizes"}
    assert "kernels.cu" not in found.log  # nothing to say about the source


@needs_nvrtc
@pytest.mark.parametrize(("M", "R"), [(20, 7), (100, 18), (256, 6)])
def test_a_block_takes_no_more_registers_than_there_are(M, R):
    """A block that would is never begun. Few members have all the registers that they want, so nothing is spilled."""
    found = {}
    for members in (PROCESSORS, PROCESSORS + 1):
        for batch in BATCHES:
            sizes = Sizes.chosen(M, R, "float32", ROOM).shared_by(members, batch, PROCESSORS)
            if sizes not in found:
                found[sizes] = compiled(sizes.source, 90, sizes.options).kernels
            threads = max(32, sizes.group * sizes.groups(batch))
            for name in ("train_members", "evaluate_members"):
                kernel = found[sizes][name]
                assert -(-kernel.registers // 8) * 8 * threads <= REGISTERS, (members, batch, name)
                if sizes.registers is None:
                    assert kernel.spilled == 0, (members, batch, name)
                assert kernel.spilled < 400, (members, batch, name)
