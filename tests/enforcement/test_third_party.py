# SPDX-License-Identifier: Apache-2.0
"""Programs of others, unmodified, on the simulated driver under the library: each sees its share,
is refused above it with the driver's own code, and sees its own card and processes alone."""
import json
import mmap
import re

import pytest

from harness.limits import Share
from third_party import environments

_GIB = 1 << 30
_LIMIT = 10 * _GIB
_CARD = 2
_OUT_OF_MEMORY = 2


@pytest.fixture(name="container")
def fixture_container(world, make_container):
    """30 % of the third card, which is the only one that the container has; somebody else holds
    memory of it."""
    card = world.uuids()[_CARD]
    other = make_container(world, [Share(card, core=30, memory=_LIMIT, minor=_CARD)], nodes=True)
    holder = other.start(["alloc", _GIB])
    assert json.loads(holder.stdout.readline())["results"] == [0]
    return make_container(world, [Share(card, core=30, memory=_LIMIT, minor=_CARD)], nodes=True,
                          environment={"CUDA_DEVICE_ORDER": "PCI_BUS_ID"})


def _memory_programs():
    program = environments.PROGRAMS
    yield "cuda-bindings 12.9", "cuda12", [program / "bindings_memory.py"]
    yield "cuda-bindings newest", "newest", [program / "bindings_memory.py"]
    yield "numba-cuda", "cuda12", [program / "numba_memory.py"]
    for name in ("libcuda.so.1", "libcuda.so", "path", "None"):
        yield f"ctypes {name}", "cuda12", [program / "ctypes_memory.py", name]


@pytest.mark.parametrize("environment, words", [row[1:] for row in _memory_programs()],
                         ids=[row[0] for row in _memory_programs()])
def test_it_sees_its_share_and_is_refused_above_it(world, container, environment, words):
    words = [str(world.libraries / "libcuda.so.1") if word == "path" else word for word in words]
    # Not a byte more than the limit; then all of it; then there is no room.
    seen = container.json([environments.python(environment), *words, _LIMIT + 1, _LIMIT, 1])
    assert seen["count"] == 1
    assert seen["uuid"] == world.uuids()[_CARD].removeprefix("GPU-").replace("-", "")
    assert seen["total"] == _LIMIT and seen["begin"] == [_LIMIT, _LIMIT]
    assert seen["results"] == [_OUT_OF_MEMORY, 0, _OUT_OF_MEMORY]
    assert seen["end"] == [0, _LIMIT]


def test_nvitop_shows_the_share_and_its_processes(world, container):
    holder = container.start(["alloc", 3 * _GIB])
    assert json.loads(holder.stdout.readline())["results"] == [0]
    card, = container.json([environments.python("cuda12"), environments.PROGRAMS / "nvitop_view.py"])
    assert card["uuid"] == world.uuids()[_CARD] and card["index"] == 0
    assert [card["total"], card["used"], card["free"]] == [_LIMIT, 3 * _GIB, 7 * _GIB]
    assert list(card["processes"]) == [str(holder.pid)]
    assert card["processes"][str(holder.pid)] >= 3 * _GIB
    table = container.run([environments.python("cuda12"), "-m", "nvitop", "-1", "--ascii"])
    assert table.returncode == 0, table.stderr
    assert "3072MiB / 10240MiB" in table.stdout
    assert re.search(rf"\b{holder.pid}\b", table.stdout)


def _asked_by_nccl(library):
    """The driver's names that stand in NCCL's library: its loader asks for them one by one."""
    with open(library, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        found = re.findall(rb"\0((?:cu|nvml)[A-Z][A-Za-z0-9]{2,60}(?:_v\d)?)(?=\0)", text)
    return sorted({name.decode() for name in found})


def test_nccls_loader_finds_what_it_finds_without_the_library(world, make_container, container):
    library = next(environments.site_packages("nccl").glob("nvidia/nccl/lib/libnccl.so.2"))
    names = _asked_by_nccl(library)
    assert {"cuMemCreate", "cuLaunchKernelEx", "cuMulticastCreate", "nvmlDeviceGetP2PStatus"} <= set(names)
    alone = make_container(world, None, preload=None)
    command = [environments.python("cuda12"), environments.PROGRAMS / "symbols.py"]
    plain, ours = ([json.loads(each.run(command, text_in="\n".join(names)).stdout)
                    for each in (alone, container)])
    assert ours["asked"] == plain["asked"]
    # Some of the strings name structures of NCCL's own; nothing else may be missing.
    assert ours["missing"] == plain["missing"]
    assert "nvmlDeviceGetP2PStatus" not in ours["missing"] and any(row[2] for row in ours["asked"].values())
    # The simulated driver cannot carry NCCL's CUDA runtime past its handshake with the driver.
    ask = [environments.python("cuda12"), environments.PROGRAMS / "nccl_loader.py", library]
    assert container.json(ask) == alone.json(ask)
    assert container.json(ask)[0] == 0
