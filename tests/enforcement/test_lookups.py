# SPDX-License-Identifier: Apache-2.0
"""The library beside the routes: which file it takes for the driver, what it answers without one, which
names it finds, and that a program without CUDA sees nothing of it."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

# pylint: disable=wrong-import-position
from harness.container import Container, library_file  # noqa: E402


@pytest.fixture(name="bare")
def fixture_bare(stage):
    """A container behind the library, with no driver in it yet."""
    with Container(stage.world, None, preload="file", library=library_file(stage.world.build),
                   environment={"LD_LIBRARY_PATH": ""}) as made:
        yield made


@pytest.fixture(name="driver")
def fixture_driver(stage, tmp_path):
    """Puts a driver of its own into a folder below the test's; the file's path."""
    def put(folder):
        place = tmp_path / folder
        place.mkdir(parents=True)
        return shutil.copy(stage.places["bin"] / "plain" / "libcuda.so.1", place)
    return put


def _which(container, stage, **environment):
    return container.json([stage.places["bin"] / "which_driver"], env=environment)


def _into_the_cache(container, file):
    """As the container toolkit does it: a file in ld.so.conf.d, and ldconfig."""
    folder = os.path.dirname(file)
    done = container.run(["sh", "-c", f"echo {folder} > /etc/ld.so.conf.d/00-driver.conf && /sbin/ldconfig -X"])
    assert done.returncode == 0, done.stderr


def test_without_a_driver_the_codes_say_so(bare, stage):
    """CUDA_ERROR_NO_DEVICE, and NVML_ERROR_LIBRARY_NOT_FOUND."""
    assert _which(bare, stage) == {"result": 100, "file": "", "nvml": 12}


def test_a_driver_that_comes_later_is_found(bare, stage):
    process = bare.start([stage.places["bin"] / "which_driver", "again"])
    assert json.loads(process.stdout.readline())["result"] == 100
    bare.run(["sh", "-c", "mkdir -p /run/nvidia/driver/usr/lib64 && "
              f"mount --bind {stage.world.libraries} /run/nvidia/driver/usr/lib64"])
    out, _ = process.communicate("\n")
    assert json.loads(out) == {"result": 0, "file": "/run/nvidia/driver/usr/lib64/libcuda.so.1",
                               "nvml": 0}


def test_the_first_folder_of_ld_library_path_wins(bare, stage, driver):
    first, second = driver("first"), driver("second")
    found = _which(bare, stage, LD_LIBRARY_PATH=f"{os.path.dirname(first)}:{os.path.dirname(second)}")
    assert (found["result"], found["file"]) == (0, str(first))


def test_the_loaders_cache_is_read(bare, stage, driver):
    file = driver("cached")
    _into_the_cache(bare, file)
    assert _which(bare, stage)["file"] == str(file)


def test_ld_library_path_comes_before_the_cache(bare, stage, driver):
    cached, named = driver("cached"), driver("named")
    _into_the_cache(bare, cached)
    assert _which(bare, stage, LD_LIBRARY_PATH=os.path.dirname(named))["file"] == str(named)


def test_a_folder_of_stubs_is_passed_over(bare, stage, driver):
    stub, real = driver("cuda/lib64/stubs"), driver("real")
    found = _which(bare, stage, LD_LIBRARY_PATH=f"{os.path.dirname(stub)}:{os.path.dirname(real)}")
    assert found["file"] == str(real)


def test_the_library_never_takes_itself_for_the_driver(bare, stage, driver, tmp_path):
    """Its own file under the driver's name, as a bind mount over libcuda.so.1 would make it."""
    real = driver("real")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "libcuda.so.1").symlink_to(bare.library)
    found = _which(bare, stage, LD_LIBRARY_PATH=f"{tmp_path / 'own'}:{os.path.dirname(real)}")
    assert found["file"] == str(real)


def test_what_is_no_library_is_passed_over(bare, stage, driver, tmp_path):
    real = driver("real")
    for name, content in (("empty", b""), ("text", b"INPUT(libcuda.so.1)\n"), ("other", b"\x7fELF\x01" + bytes(64))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "libcuda.so.1").write_bytes(content)
    found = _which(bare, stage, LD_LIBRARY_PATH=":".join(
        str(tmp_path / name) for name in ("empty", "text", "other", "real")))
    assert found["file"] == str(real)


def test_names_newer_than_the_lists_are_found_and_names_that_the_driver_lacks_are_not(bare, stage):
    """As the driver itself would answer, its words in dlerror included."""
    plain = stage.places["bin"] / "plain"
    said = bare.json([stage.places["bin"] / "names"], env={"LD_LIBRARY_PATH": str(plain)})
    assert said["newer"] == said["newer_default"] == said["newer_next"] == 4711
    assert said["missing"]
    assert said["why"] == f"{plain}/libcuda.so.1: undefined symbol: cuMemAllocAsync"
    assert said["missing_called"] == 500  # CUDA_ERROR_NOT_FOUND


@pytest.mark.parametrize("folder", ["plain", "old_hash"])
def test_a_driver_is_read_by_either_kind_of_hash_table(bare, stage, folder):
    """NVIDIA's NVML has DT_HASH alone."""
    place = stage.places["bin"] / folder
    dynamic = subprocess.run(["readelf", "--dynamic", place / "libcuda.so.1"], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    assert ("(GNU_HASH)" in dynamic) == (folder == "plain")
    assert _which(bare, stage, LD_LIBRARY_PATH=str(place))["result"] == 0
    assert bare.json([stage.places["bin"] / "names"], env={"LD_LIBRARY_PATH": str(place)})["missing_called"] == 500


@pytest.mark.parametrize("environment", [{}, {"LD_BIND_NOW": "1"}, {"LD_AUDIT": "{bin}/audit.so"}],
                         ids=["plain", "LD_BIND_NOW", "LD_AUDIT"])
def test_a_program_without_cuda_sees_nothing_of_it(stage, environment):
    """Words of dlerror, RUNPATH, RTLD_NEXT, versions, exceptions and stack traces are the same."""
    variables = {name: value.format(**stage.places) for name, value in environment.items()}
    command = [stage.places["bin"] / "undisturbed", "libfound_by_runpath.so"]
    free, held = (each.run(command, env=variables) for each in (stage.free, stage.held))
    assert free.returncode == 0, free.stderr
    assert (held.returncode, held.stdout, held.stderr) == (0, free.stdout, free.stderr)
    assert "by RUNPATH: found, no error" in free.stdout
    assert "1000 caught" in free.stdout
