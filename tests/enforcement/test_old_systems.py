# SPDX-License-Identifier: Apache-2.0
"""The library in the /etc/ld.so.preload of older Debian releases: every program of such an image loads it, and
none may notice; one that uses CUDA is held to the share. A library that needed a newer C library would keep each
program from starting."""
import json
import pathlib
import subprocess

import pytest

import old_roots
from harness.container import library_file
from harness.limits import LimitsFile, Share, UsageFile
from harness.world import REPOSITORY
from route_programs import ROUTES

_SHIPPED = REPOSITORY / "out" / "lib" / "libaliquot.so"
_LIMIT = 10 << 30
_UUID = "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"  # of the driver of routes/plain_driver.c

# $1 the release's root, $2 a folder for mounts, $3 the library or nothing; the rest is the command.
_ENTER = """
limits=$2/limits usage=$2/usage library=$3 driver=$2/libcuda.so.1 client=$2/client.py place=$2/place
mkdir -p $place && mount -t tmpfs tmpfs $place && mkdir $place/upper $place/work $place/root
mount -t overlay overlay -o lowerdir=$1,upperdir=$place/upper,workdir=$place/work $place/root && root=$place/root
mount -t proc proc $root/proc
mount -t tmpfs -o mode=755 tmpfs $root/run && mkdir -p $root/run/aliquot/limits && touch $root/run/aliquot/usage
mount --bind $limits $root/run/aliquot/limits && mount --bind $usage $root/run/aliquot/usage
for node in null urandom; do [ -e $root/dev/$node ] || touch $root/dev/$node; mount --bind /dev/$node $root/dev/$node; done
cp $driver $root/usr/lib/x86_64-linux-gnu/libcuda.so.1 && cp $client $root/client.py
if [ -n "$library" ]; then mkdir $root/usr/lib/aliquot && cp $library $root/usr/lib/aliquot/libaliquot.so
  echo /usr/lib/aliquot/libaliquot.so > $root/etc/ld.so.preload; fi
shift 3
exec chroot $root /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin ROUTE_LIMIT=$LIMIT "$@"
"""

_PROGRAMS = {
    "true": ["/bin/true"],
    "false": ["/bin/false"],
    "ls": ["ls", "/", "/not-there"],
    "shell": ["sh", "-c", "echo to both; echo to both >&2; (exit 3) | cat; exit 7"],
    "killed": ["sh", "-c", "sh -c 'kill -9 $$'; echo $?"],
    "name service": ["getent", "passwd", "root", "nobody"],
    "set-user-ID": ["su", "nobody", "-s", "/bin/sh", "-c", "id -un; exit 5"],
    "perl": ["perl", "-e", "print join(' ', sort keys %ENV), qq(\\n); exit 9"],
    "package manager": ["apt-get", "--version"],
    "python": ["python3", "-c", "import ctypes, hashlib, json, threading, subprocess\n"
               "threads = [threading.Thread(target=subprocess.call, args=(['true'],)) for _ in range(8)]\n"
               "[each.start() for each in threads]; [each.join() for each in threads]\n"
               "try: ctypes.CDLL('libnot-there.so.1')\n"
               "except OSError as error: print(error)\n"
               "print(ctypes.CDLL(None).abs(-5), hashlib.sha256(b'').hexdigest())"],
}


class _System:
    """One old release, with a driver and a record in it."""

    def __init__(self, release, folder):
        self.release = release
        self.root = old_roots.root_of(release)
        self.folder = folder
        LimitsFile(folder / "limits", [Share(_UUID, core=100, memory=_LIMIT)])
        self.usage = UsageFile(folder / "usage")
        (folder / "client.py").write_bytes((ROUTES / "by_ctypes.py").read_bytes())
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-nostdlib", "-Wl,-soname,libcuda.so.1", "-o", folder / "libcuda.so.1",
                        ROUTES / "plain_driver.c"], check=True)

    def run(self, command, library):
        words = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", _ENTER, "sh", self.root, self.folder,
                 library or "", *command]
        done = subprocess.run([str(word) for word in words], check=False, text=True, capture_output=True, timeout=120,
                              stdin=subprocess.DEVNULL, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LIMIT": str(_LIMIT)})
        return done.returncode, done.stdout, done.stderr


@pytest.fixture(name="system", scope="module", params=old_roots.RELEASES)
def fixture_system(request, tmp_path_factory):
    return _System(request.param, tmp_path_factory.mktemp(request.param))


@pytest.fixture(name="library", params=["built", "shipped"] if _SHIPPED.exists() else ["built"])
def fixture_library(request):
    return library_file() if request.param == "built" else _SHIPPED


def test_the_release_is_as_old_as_it_should_be(system):
    _, said, _ = system.run(["getconf", "GNU_LIBC_VERSION"], None)
    assert said.split() == ["glibc", old_roots.RELEASES[system.release]]


@pytest.mark.parametrize("program", _PROGRAMS)
def test_a_program_does_and_says_what_it_does_alone(system, library, program):
    alone = system.run(_PROGRAMS[program], None)
    assert alone[1] or program in ("true", "false"), alone
    assert system.run(_PROGRAMS[program], library) == alone


def test_the_library_is_in_every_program(system, library):
    """Otherwise nothing here would show anything."""
    for command in (["cat", "/proc/self/maps"], ["su", "nobody", "-s", "/bin/sh", "-c", "cat /proc/self/maps"]):
        status, maps, error = system.run(command, library)
        assert (status, error) == (0, "")
        assert "/usr/lib/aliquot/libaliquot.so" in maps


def test_a_program_that_uses_cuda_is_held_to_the_share(system, library):
    status, free, error = system.run(["python3", "/client.py", "libcuda.so.1"], None)
    assert (status, error) == (0, "")
    assert json.loads(free)["total"] > 2 * _LIMIT and json.loads(free)["over"] == 0
    for name in ("libcuda.so.1", "/usr/lib/x86_64-linux-gnu/libcuda.so.1"):
        status, held, error = system.run(["python3", "/client.py", name], library)
        assert (status, error) == (0, "")
        assert json.loads(held) == {"total": _LIMIT, "over": 2, "under": 0, "driver": True, "library": True}


def test_nothing_is_left_mounted(system):
    system.run(["/bin/true"], library_file())
    assert str(system.folder) not in pathlib.Path("/proc/mounts").read_text(encoding="utf-8")
