# SPDX-License-Identifier: Apache-2.0
"""The container images that an installation of the chart needs: ours, made by tools/build-images.py
from out/, and kube-scheduler's, made from the program that the suite has of the cluster's minor.

    archives(folder, minor)      (archive, name) of each, for InstallCluster
    next_release(folder, ...)    the same allocator image with other programs in it
"""
import functools
import importlib.util
import pathlib
import subprocess

from . import binaries
from .chart import ROOT

ALLOCATOR = "docker.io/library/aliquot-allocator"
AGENT = "docker.io/library/aliquot-agent"
SCHEDULER = "registry.k8s.io/kube-scheduler"


@functools.lru_cache(maxsize=None)
def _builder():
    """tools/build-images.py as a module; its name is no module's."""
    path = ROOT / "tools" / "build-images.py"
    described = importlib.util.spec_from_file_location("build_images", path)
    module = importlib.util.module_from_spec(described)
    # Its data classes look their module up.
    import sys  # pylint: disable=import-outside-toplevel
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
    builder = _builder()
    program = binaries.program("kube-scheduler", minor).read_bytes()
    layer = builder.layer({"usr/local/bin/kube-scheduler": (program, 0o755),
                           **{path: (text.encode(), 0o644)
                              for path, text in builder.ETC.items()}})
    reference = f"{SCHEDULER}:{scheduler_version(minor)}"
    path = pathlib.Path(folder) / "kube-scheduler.tar"
    builder.write_archive(path, reference, {
        "Env": ["PATH=/usr/local/bin:/usr/bin:/bin"], "Entrypoint": ["/usr/local/bin/kube-scheduler"]},
        layer)
    return path, reference


def archives(folder, minor):
    """Everything that an installation with default values runs."""
    return [of_ours(folder, "allocator"), of_ours(folder, "agent"), scheduler(folder, minor)]
