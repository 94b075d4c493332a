# SPDX-License-Identifier: Apache-2.0
"""tools/build-images.py with a program of Debian's in our programs' place: what is in an image, and that the same
programs give the same bytes."""
import gzip
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "build-images.py"
NAMES = ("allocator", "agent")


def _run(*words):
    return subprocess.run(["/usr/bin/python3", TOOL, *words], check=False, text=True, capture_output=True)


@pytest.fixture(name="programs")
def fixture_programs(tmp_path):
    """A folder as `make build` leaves it."""
    folder = tmp_path / "programs"
    (folder / "bin").mkdir(parents=True)
    (folder / "lib").mkdir()
    for name in ("aliquot-allocator", "aliquotctl", "aliquot-agent"):
        shutil.copy("/usr/bin/openssl", folder / "bin" / name)
    (folder / "lib" / "libaliquot.so").write_bytes(b"the library")
    return folder


def _image(archive):
    """(configuration, layer as a TarFile) of an archive, found as a runtime finds them."""
    with tarfile.open(archive) as opened:
        files = {each.name: opened.extractfile(each).read() for each in opened.getmembers()}

    def blob(descriptor):
        return files["blobs/" + descriptor["digest"].replace(":", "/")]
    manifest = json.loads(blob(json.loads(files["index.json"])["manifests"][0]))
    layer = gzip.decompress(blob(manifest["layers"][0]))
    return json.loads(blob(manifest["config"])), tarfile.open(fileobj=io.BytesIO(layer))


@pytest.mark.parametrize("name", NAMES)
def test_the_same_programs_give_the_same_bytes(programs, tmp_path, name):
    first, second = tmp_path / "first", tmp_path / "second"
    assert _run(name, "--programs", programs, "--output", first).returncode == 0
    for file in (*programs.glob("bin/*"), *programs.glob("lib/*")):
        os.utime(file, (1, 1))
        file.chmod(0o700)
    assert _run(name, "--programs", programs, "--output", second).returncode == 0
    archive = f"aliquot-{name}.tar"
    assert (first / archive).read_bytes() == (second / archive).read_bytes()


@pytest.mark.parametrize("name, user", [("allocator", "65532:65532"), ("agent", "0:0")])
def test_an_image_says_who_it_runs_as_and_what_it_starts(programs, tmp_path, name, user):
    _run(name, "--programs", programs, "--output", tmp_path, "--tag", "1.2.3")
    configuration, _ = _image(tmp_path / f"aliquot-{name}.tar")
    assert configuration["config"]["User"] == user
    assert configuration["config"]["Entrypoint"] == [f"/usr/bin/aliquot-{name}"]
    # A container builder is told the same.
    dockerfile = (ROOT / "images" / name / "Dockerfile").read_text()
    assert re.search(r"^USER (\S+)$", dockerfile, re.MULTILINE)[1] == user
    assert f'ENTRYPOINT ["/usr/bin/aliquot-{name}"]' in dockerfile
    assert f"--root /image {name}" in dockerfile


@pytest.mark.parametrize("name", NAMES)
def test_a_layer_has_no_shell_nothing_writable_and_nothing_of_this_machines_time(programs, tmp_path, name):
    _run(name, "--programs", programs, "--output", tmp_path)
    _, layer = _image(tmp_path / f"aliquot-{name}.tar")
    members = layer.getmembers()
    names = [each.name for each in members]
    assert not [each for each in names if pathlib.PurePath(each).name in ("sh", "bash", "busybox", "apt", "dpkg")]
    assert {(each.uid, each.gid, each.mtime) for each in members} == {(0, 0, 0)}
    # Links have no mode of their own.
    writable = [each.name for each in members if each.mode & 0o022 and not each.issym()]
    assert writable == ["tmp"]
    assert not [each.name for each in members if each.mode & 0o6000]
    assert f"usr/bin/aliquot-{name}" in names
    assert ("usr/lib/aliquot/libaliquot.so" in names) == (name == "agent")
    assert ("usr/bin/aliquotctl" in names) == (name == "allocator")
    passwd = layer.extractfile("etc/passwd").read().decode()
    assert "aliquot:x:65532:65532:" in passwd


@pytest.mark.parametrize("name", NAMES)
def test_a_program_finds_every_library_inside_its_image_and_their_licences_are_there(programs, tmp_path, name):
    root = tmp_path / "root"
    assert _run(name, "--programs", programs, "--root", root).returncode == 0
    loader = root / "lib64" / "ld-linux-x86-64.so.2"
    libraries = root / "usr" / "lib" / "x86_64-linux-gnu"
    # Its own loader, its own libraries, and nothing of this machine's cache of them.
    told = subprocess.run([loader, "--inhibit-cache", "--library-path", libraries, "--list",
                           root / "usr" / "bin" / f"aliquot-{name}"], check=True, text=True, capture_output=True).stdout
    found = re.findall(r"=> (\S+)", told)
    assert found and all(each.startswith(str(root)) for each in found), told
    assert (root / "usr/share/doc/libc6/copyright").is_file()
    assert (root / "usr/share/doc/aliquot/LICENSE").is_file()


def test_a_missing_program_is_named_with_what_to_do(programs, tmp_path):
    (programs / "bin" / "aliquotctl").unlink()
    done = _run("allocator", "--programs", programs, "--output", tmp_path)
    assert done.returncode == 1
    assert done.stderr == f"{programs}/bin/aliquotctl is missing: run 'make build' first\n"


def test_an_image_that_is_none_is_refused():
    done = _run("allocater")
    assert done.returncode == 2 and "there is no image allocater; choose among: allocator, agent" in done.stderr
