# SPDX-License-Identifier: Apache-2.0
"""Container images made by hand: a static probe program (probe/probe.c) and Debian's busybox.

One archive holds them all, on one shared layer:

    PAUSE   what a sandbox runs
    PROBE   runs `probe`, whose first line of output says what the container was given
    GREEDY  the same, but the image asks the runtime for all GPUs, as CUDA's images do
    USER    the same, for user 1000

A second archive, for nodes with a simulated driver, holds one more:

    PROGRAMS  the same, and a C library with programs that use a card (harness/simulated_driver.py)
"""
import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import tarfile

PAUSE = "registry.example/pause:3.10"
PROBE = "registry.example/aliquot-probe:plain"
GREEDY = "registry.example/aliquot-probe:greedy"
USER = "registry.example/aliquot-probe:user"
PROGRAMS = "registry.example/aliquot-programs:glibc"

_SOURCE = pathlib.Path(__file__).with_name("probe") / "probe.c"
_PATH = "PATH=/bin"
_IMAGES = {
    PAUSE: {"Entrypoint": ["/bin/probe", "pause"]},
    PROBE: {"Entrypoint": ["/bin/probe"], "Cmd": ["run"], "Env": [_PATH]},
    GREEDY: {"Entrypoint": ["/bin/probe"], "Cmd": ["run"],
             "Env": [_PATH, "NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_DRIVER_CAPABILITIES=all"]},
    USER: {"Entrypoint": ["/bin/probe"], "Cmd": ["run"], "Env": [_PATH], "User": "1000:1000"},
}
# The variable is what the images of CUDA set.
_WITH_PROGRAMS = {
    PROGRAMS: {"Entrypoint": ["/bin/probe"], "Cmd": ["run"], "Env": [
        _PATH, "LD_LIBRARY_PATH=/usr/local/nvidia/lib:/usr/local/nvidia/lib64",
        "ALIQUOT_SPIN_PTX=/share/spin.ptx"]},
}


def _add(archive, name, content=None, mode=0o644, link=None):
    entry = tarfile.TarInfo(name)
    entry.mode = mode
    if link:
        entry.type, entry.linkname = tarfile.SYMTYPE, link
        archive.addfile(entry)
    elif content is None:
        entry.type = tarfile.DIRTYPE
        archive.addfile(entry)
    else:
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))


def _layer(probe, more=()):
    """The one file system: /bin with the probe and busybox, empty mount points, and `more` files:
    (path, content, mode) of each."""
    busybox = pathlib.Path(shutil.which("busybox") or "/bin/busybox")
    assert busybox.exists(), "busybox is missing: tools/install-dependencies.sh --tests brings it"
    applets = subprocess.run([str(busybox), "--list"], check=True, text=True,
                             stdout=subprocess.PIPE).stdout.split()
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        for folder in ("bin", "dev", "etc", "proc", "root", "run", "sys", "usr"):
            _add(archive, folder, mode=0o755)
        _add(archive, "tmp", mode=0o1777)
        _add(archive, "bin/probe", probe, mode=0o755)
        _add(archive, "bin/busybox", busybox.read_bytes(), mode=0o755)
        for applet in applets:
            if applet != "busybox":
                _add(archive, f"bin/{applet}", link="busybox")
        for name, content, mode in more:
            _add(archive, name, content, mode)
    return written.getvalue()


def program(folder):
    """The path of the probe, built in `folder` at the first call."""
    path = pathlib.Path(folder) / "probe"
    if not path.exists():
        subprocess.run([os.environ.get("CC", "cc"), "-static", "-Os", "-s", "-Wall", "-Werror",
                        "-o", str(path), str(_SOURCE)], check=True)
    return path


def write_archive(folder):
    """Builds the probe and writes all images into one docker archive; returns its path."""
    layer = _layer(program(folder).read_bytes())
    return _write(pathlib.Path(folder) / "images.tar", layer, _IMAGES)


def write_programs_archive(folder, files):
    """Writes the image with these files besides the usual, at the first call; returns the
    archive's path."""
    path = pathlib.Path(folder) / "programs.tar"
    if path.exists():
        return path
    layer = _layer(program(folder).read_bytes(), files)
    return _write(path, layer, _WITH_PROGRAMS)


def _write(path, layer, images):
    manifest = []
    with tarfile.open(path, "w") as archive:
        _add(archive, "layer.tar", layer)
        for name, settings in images.items():
            config = json.dumps({
                "architecture": "amd64" if os.uname().machine == "x86_64" else "arm64",
                "os": "linux", "config": settings, "rootfs": {"type": "layers", "diff_ids": [
                    "sha256:" + hashlib.sha256(layer).hexdigest()]}}).encode()
            file_name = hashlib.sha256(config).hexdigest() + ".json"
            _add(archive, file_name, config)
            manifest.append({"Config": file_name, "RepoTags": [name], "Layers": ["layer.tar"]})
        _add(archive, "manifest.json", json.dumps(manifest).encode())
    return path
