# SPDX-License-Identifier: Apache-2.0
"""The container images that an installation of the chart needs: ours, made by tools/build-images.py
from out/, and kube-scheduler's, made from the program that the suite has of the cluster's minor.

    archives(folder, minor)    (archive, name) of each, for InstallCluster
    next_release(folder)       ours again, with the programs of next_release/, under the tag NEXT
    coredns(folder)            the cluster's DNS
"""
import functools
import importlib.util
import pathlib
import shutil
import subprocess
import sys

from . import binaries
from .chart import ROOT

ALLOCATOR = "docker.io/library/aliquot-allocator"
AGENT = "docker.io/library/aliquot-agent"
SCHEDULER = "registry.k8s.io/kube-scheduler"
COREDNS = "registry.example/coredns:test"
NEXT = "0.2.0-next"
_NEXT_PROGRAMS = ROOT / "build" / "release" / "tests" / "e2e" / "next_release" / "bin"


@functools.lru_cache(maxsize=None)
def _builder():
    """tools/build-images.py as a module; its name is no module's."""
    path = ROOT / "tools" / "build-images.py"
    described = importlib.util.spec_from_file_location("build_images", path)
    module = importlib.util.module_from_spec(described)
    # Its data classes look their module up.
    sys.modules["build_images"] = module
    described.loader.exec_module(module)
    return module


def version():
    """The tag of our images."""
    return _builder().version()


def of_ours(folder, name, programs=ROOT / "out", tag=None):
    """One of our images: (archive, its name)."""
    builder = _builder()
    image = builder.IMAGES[name]
    tag = tag or builder.version()
    output = pathlib.Path(folder) / f"images-{tag}"
    path = builder.build(image, programs, output, tag)
    return path, f"docker.io/library/{image.repository}:{tag}"


def scheduler_version(minor):
    """What the cluster's kube-scheduler calls itself, "v1.34.4"."""
    told = subprocess.run([str(binaries.program("kube-scheduler", minor)), "--version"], check=True,
                          text=True, stdout=subprocess.PIPE).stdout
    return told.split()[1]


def scheduler(folder, minor):
    """Kubernetes' own image, as far as its users see: the program in PATH."""
    return _of_program(folder, binaries.program("kube-scheduler", minor),
                       f"{SCHEDULER}:{scheduler_version(minor)}")


def coredns(folder):
    """The cluster's DNS server."""
    return _of_program(folder, binaries.program("coredns"), COREDNS)


def _of_program(folder, program, reference):
    builder = _builder()
    layer = builder.layer({f"usr/local/bin/{program.name}": (program.read_bytes(), 0o755),
                           **{path: (text.encode(), 0o644)
                              for path, text in builder.ETC.items()}})
    path = pathlib.Path(folder) / f"{program.name}-{reference.rsplit(':', 1)[1]}.tar"
    builder.write_archive(path, reference, {
        "Env": ["PATH=/usr/local/bin:/usr/bin:/bin"],
        "Entrypoint": [f"/usr/local/bin/{program.name}"]}, layer)
    return path, reference


def next_release(folder):
    """Allocator and agent of the next release, which write another version of the record."""
    programs = pathlib.Path(folder) / "next-programs"
    if not programs.exists():
        missing = [each for each in ("aliquot-allocator", "aliquot-agent")
                   if not (_NEXT_PROGRAMS / each).exists()]
        assert not missing, (
            f"{', '.join(missing)} of the next release is missing: "
            "run tools/build.sh release aliquot-allocator-next aliquot-agent-next")
        shutil.copytree(ROOT / "out" / "lib", programs / "lib")
        shutil.copytree(_NEXT_PROGRAMS, programs / "bin")
        shutil.copy(ROOT / "out" / "bin" / "aliquotctl", programs / "bin")
    return [of_ours(folder, each, programs, NEXT) for each in ("allocator", "agent")]


def archives(folder, minor):
    """Everything that an installation with default values runs."""
    return [of_ours(folder, "allocator"), of_ours(folder, "agent"), scheduler(folder, minor)]
