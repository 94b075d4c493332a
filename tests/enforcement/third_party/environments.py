# SPDX-License-Identifier: Apache-2.0
"""Programs of others, unmodified, from PyPI: each set of requirements in a virtual environment of its
own below ${ALIQUOT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/aliquot}/third-party. Versions and sums are
pinned, so one is made once and again only when its file changes."""
import fcntl
import hashlib
import pathlib
import shutil
import subprocess
import sys

_HERE = pathlib.Path(__file__).resolve().parent
# Our small programs that use them.
PROGRAMS = _HERE / "programs"
sys.path.insert(0, str(_HERE.parents[1] / "nvidia"))
import headers  # noqa: E402  pylint: disable=wrong-import-position


def _make(folder, requirements):
    """A virtual environment with what the file names, put in place whole."""
    aside = folder.with_name(folder.name + ".new")
    shutil.rmtree(aside, ignore_errors=True)
    for command in (
            [sys.executable, "-m", "venv", "--without-pip", str(aside)],
            [sys.executable, "-m", "pip", "--python", str(aside / "bin" / "python3"), "install",
             "--quiet", "--disable-pip-version-check", "--no-cache-dir", "--no-deps",
             "--require-hashes", "--only-binary=:all:", "--requirement", str(requirements)]):
        done = subprocess.run(command, check=False, text=True, capture_output=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}; the programs of "
                               f"{requirements.name} need PyPI once")
    shutil.rmtree(folder, ignore_errors=True)
    aside.rename(folder)


def environment(name):
    """The folder of the virtual environment that third_party/<name>.txt names."""
    requirements = _HERE / f"{name}.txt"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()[:16]
    root = headers.cache_root() / "third-party"
    root.mkdir(parents=True, exist_ok=True)
    folder = root / f"{name}-{digest}"
    with open(root / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            _make(folder, requirements)
    return folder


def python(name):
    """The interpreter of that environment."""
    return environment(name) / "bin" / "python3"


def site_packages(name):
    """Where that environment's packages are."""
    return next((environment(name) / "lib").glob("python3*/site-packages"))
