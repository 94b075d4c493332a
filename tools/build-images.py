#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the container images of Aliquot from the programs in out/, without a container builder.

    build-images.py [allocator] [agent] [--output DIR] [--tag TAG] [--programs DIR]
    build-images.py --root DIR allocator|agent      only its files, for images/*/Dockerfile

Each image becomes one archive, DIR/aliquot-NAME.tar (out/images): an OCI image layout that
`docker load`, `ctr images import`, `kind load image-archive` and `skopeo copy oci-archive:` take.

An image holds a program, the shared libraries that it needs from this machine with their licences,
and the few files of /etc that a C library asks for: no shell, no package manager. The same programs
and libraries give the same bytes: names are sorted, times are the epoch and owners root.
"""
import argparse
import dataclasses
import gzip
import hashlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Nobody in particular, as in most images that need no rights.
USER = 65532
_ARCHITECTURES = {"x86_64": "amd64"}
ETC = {
    "etc/passwd": "root:x:0:0:root:/:/sbin/nologin\n"
                  f"aliquot:x:{USER}:{USER}:aliquot:/:/sbin/nologin\n",
    "etc/group": f"root:x:0:\naliquot:x:{USER}:\n",
    "etc/nsswitch.conf": "hosts: files dns\n",
}


@dataclasses.dataclass(frozen=True)
class Image:
    """What one image is made of. Paths are below the folder of the programs, and inside."""
    name: str
    programs: tuple
    files: tuple  # (path here, path inside, mode)
    user: str

    @property
    def repository(self):
        """Its name without a registry."""
        return f"aliquot-{self.name}"

    def configuration(self):
        """How a container of it starts, as in the OCI image specification."""
        return {"User": self.user, "Env": ["PATH=/usr/bin"], "WorkingDir": "/",
                "Entrypoint": [f"/usr/bin/{self.programs[0]}"]}


# A device plugin makes device nodes and directories of root on its node: docs/threat-model.md.
IMAGES = {each.name: each for each in (
    Image("allocator", ("aliquot-allocator", "aliquotctl"), (), f"{USER}:{USER}"),
    Image("agent", ("aliquot-agent",),
          (("lib/libaliquot.so", "usr/lib/aliquot/libaliquot.so", 0o755),), "0:0"),
)}


def _output(*command):
    return subprocess.run([str(each) for each in command], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def libraries(program):
    """The shared libraries that a program is started with, its loader included."""
    found = re.findall(r"(/\S+) \(0x", _output("ldd", program))
    assert found, f"{program} is no dynamic program"
    return sorted(set(found))


def licences(paths):
    """The files that say under which terms libraries may be passed on: {path inside: bytes}."""
    # Debian's own list may know a library by either of its names.
    names = {path: (path, str(pathlib.Path(path).resolve()), path.removeprefix("/usr"), f"/usr{path}")
             for path in paths}
    told = subprocess.run(["dpkg-query", "--search", *sorted({each for four in names.values()
                                                              for each in four})],
                          text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout
    owner = {line.rsplit(": ", 1)[1]: line.split(":")[0] for line in told.splitlines()}
    found = {}
    for path, candidates in names.items():
        package = next((owner[each] for each in candidates if each in owner), None)
        if package is None:
            raise SystemExit(f"no Debian package owns {path}, so nobody knows its licence; "
                             "build on a machine with Debian's libraries")
        licence = pathlib.Path("/usr/share/doc") / package / "copyright"
        found[str(licence)[1:]] = licence.read_bytes()
    return found


def contents(image, programs):
    """Every file of an image: {path inside: (bytes, mode)}."""
    files = {path: (text.encode(), 0o644) for path, text in ETC.items()}
    for name in image.programs:
        program = programs / "bin" / name
        if not program.is_file():
            raise SystemExit(f"{program} is missing: run 'make build' first")
        files[f"usr/bin/{name}"] = (program.read_bytes(), 0o755)
        needed = libraries(program)
        files.update((each[1:], (pathlib.Path(each).read_bytes(), 0o755)) for each in needed)
        files.update((path, (text, 0o644)) for path, text in licences(needed).items())
    for here, inside, mode in image.files:
        files[inside] = ((programs / here).read_bytes(), mode)
    for name in ("LICENSE", "NOTICE"):
        files[f"usr/share/doc/aliquot/{name}"] = ((ROOT / name).read_bytes(), 0o644)
    for profile in sorted((ROOT / "profiles").glob("*.yaml")) if image.name == "agent" else ():
        # Machines to simulate, for a cluster without GPUs (docs/quickstart.md).
        files[f"usr/share/aliquot/profiles/{profile.name}"] = (profile.read_bytes(), 0o644)
    return files


def _entry(name, mode):
    entry = tarfile.TarInfo(name)
    entry.mode = mode
    return entry


def layer(files):
    """One layer with these files, as a tar."""
    # /lib and /lib64 as the machine has them: links into /usr.
    moved = {(f"usr/{path}" if path.startswith("lib") else path): file
             for path, file in files.items()}
    folders = {str(parent) for path in moved for parent in pathlib.PurePath(path).parents}
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for folder in sorted((folders | {"tmp"}) - {"."}):
            entry = _entry(folder, 0o1777 if folder == "tmp" else 0o755)
            entry.type = tarfile.DIRTYPE
            archive.addfile(entry)
        for name in ("lib", "lib64"):
            entry = _entry(name, 0o777)
            entry.type, entry.linkname = tarfile.SYMTYPE, f"usr/{name}"
            archive.addfile(entry)
        for path in sorted(moved):
            content, mode = moved[path]
            entry = _entry(path, mode)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return written.getvalue()


class _Layout:
    """An OCI image layout in the making; blobs are named by their content."""

    def __init__(self):
        self.files = {"oci-layout": json.dumps({"imageLayoutVersion": "1.0.0"}).encode()}

    def add(self, content, media_type):
        """Adds a blob; returns its descriptor."""
        digest = hashlib.sha256(content).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = content
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(content)}


def write_archive(path, reference, configuration, plain_layer):
    """Writes an image of one layer as an archive."""
    layout = _Layout()
    machine = _ARCHITECTURES.get(_output("uname", "-m").strip())
    assert machine, "images can be made on x86-64 only, for now"
    config = layout.add(json.dumps({
        "architecture": machine, "os": "linux", "config": configuration,
        "rootfs": {"type": "layers",
                   "diff_ids": ["sha256:" + hashlib.sha256(plain_layer).hexdigest()]},
    }, sort_keys=True).encode(), "application/vnd.oci.image.config.v1+json")
    packed = layout.add(gzip.compress(plain_layer, 6, mtime=0),
                        "application/vnd.oci.image.layer.v1.tar+gzip")
    manifest = layout.add(json.dumps({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": config, "layers": [packed]}, sort_keys=True).encode(),
        "application/vnd.oci.image.manifest.v1+json")
    tag = reference.rsplit(":", 1)[1]
    manifest["annotations"] = {"io.containerd.image.name": reference,
                               "org.opencontainers.image.ref.name": tag}
    layout.files["index.json"] = json.dumps({"schemaVersion": 2, "manifests": [manifest]}).encode()
    # For programs from before the layout: the same blobs in docker's words.
    layout.files["manifest.json"] = json.dumps([{
        "Config": _blob(config), "RepoTags": [reference], "Layers": [_blob(packed)]}]).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".new")
    with tarfile.open(unfinished, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(layout.files):
            entry = _entry(name, 0o644)
            entry.size = len(layout.files[name])
            archive.addfile(entry, io.BytesIO(layout.files[name]))
    unfinished.rename(path)


def _blob(descriptor):
    return "blobs/" + descriptor["digest"].replace(":", "/")


def version():
    """The version of the project, from its CMakeLists.txt."""
    return re.search(r"project\(aliquot VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


def build(image, programs, output, tag):
    """Makes one image; returns the archive's path."""
    path = output / f"{image.repository}.tar"
    # With the registry that tools mean when none is named: a bare name is not one to containerd.
    write_archive(path, f"docker.io/library/{image.repository}:{tag}", image.configuration(),
                  layer(contents(image, programs)))
    return path


def main():
    """Parses the arguments and makes the images."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("images", nargs="*", metavar="IMAGE",
                        help=f"which: {' or '.join(IMAGES)}; default: all")
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "out",
                        help="the folder with bin/ and lib/ that 'make build' filled")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "out" / "images")
    parser.add_argument("--tag", default=version(), help="default: the version of the project")
    parser.add_argument("--root", type=pathlib.Path,
                        help="write the files of one image below this folder instead")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.images if name not in IMAGES]
    if unknown:
        parser.error(f"there is no image {unknown[0]}; choose among: {', '.join(IMAGES)}")
    chosen = [IMAGES[name] for name in arguments.images or IMAGES]
    if arguments.root:
        if len(chosen) != 1:
            parser.error("--root takes exactly one image")
        packed = io.BytesIO(layer(contents(chosen[0], arguments.programs)))
        with tarfile.open(fileobj=packed) as archive:
            archive.extractall(arguments.root)
        return 0
    for image in chosen:
        path = build(image, arguments.programs, arguments.output, arguments.tag)
        print(f"{path} {image.repository}:{arguments.tag} {path.stat().st_size >> 20} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
