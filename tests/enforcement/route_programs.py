# SPDX-License-Identifier: Apache-2.0
"""Builds the programs of routes/: small C sources under many compilers, linkers and options."""
import pathlib
import shutil
import subprocess

ROUTES = pathlib.Path(__file__).resolve().parent / "routes"
_WARNINGS = ["-g", "-O1", "-Wall", "-Wextra", "-Werror"]
# clang and glibc's static dlopen warn of what is meant here.
_STATIC = ["-static", "-Wno-error"]


def _compile(compiler, out, source, *options):
    done = subprocess.run([compiler, *_WARNINGS, ROUTES / source, "-o", out, *options], check=False,
                          text=True, capture_output=True)
    if done.returncode:
        raise RuntimeError(f"{compiler} cannot build {source} as {out.name}: {done.stderr}")


def build(folder):
    """All of them, into `folder`."""
    shared = ["-shared", "-fPIC"]
    (folder / "plain").mkdir()
    plain = folder / "plain" / "libcuda.so.1"
    _compile("gcc", plain, "plain_driver.c", *shared, "-Wl,-soname,libcuda.so.1")
    (folder / "old_hash").mkdir()
    _compile("gcc", folder / "old_hash" / "libcuda.so.1", "plain_driver.c", *shared, "-Wl,-soname,libcuda.so.1",
             "-Wl,--hash-style=sysv")
    link = ["-Wl,--no-as-needed", plain]
    for name, options in {"linked_lazy": ["-Wl,-z,lazy"], "linked_now": ["-Wl,-z,now"]}.items():
        _compile("gcc", folder / name, "linked.c", *options, *link)
    for name in ("lookup", "load", "use_table", "names", "which_driver"):
        _compile("gcc", folder / name, name + ".c", "-ldl")
    _compile("gcc", folder / "threads", "threads.c", "-pthread", "-ldl")
    _compile("gcc", folder / "plugin_linked.so", "plugin_linked.c", *shared, *link)
    for name in ("plugin_lookup", "preload_dlsym", "preload_alloc", "preload_table", "audit"):
        _compile("gcc", folder / (name + ".so"), name + ".c", *shared, "-ldl")
    (folder / "shim").mkdir()
    _compile("gcc", folder / "shim" / "libcuda.so.1", "preload_shim.c", *shared, "-Wl,-soname,libcuda.so.1", "-ldl")
    (folder / "plugins").mkdir()
    _compile("gcc", folder / "plugins" / "libfound_by_runpath.so", "plugin_lookup.c", *shared, "-ldl")
    _compile("g++", folder / "undisturbed", "undisturbed.cc", "-ldl", f"-Wl,-rpath,{folder / 'plugins'}",
             "-Wl,--enable-new-dtags")
    _compile("gcc", folder / "lookup_gcc_asan", "lookup.c", "-fsanitize=address", "-ldl")
    _compile("clang-14", folder / "lookup_clang_asan", "lookup.c", "-fsanitize=address", "-ldl")
    _compile("gcc", folder / "lookup_gcc_tsan", "lookup.c", "-fsanitize=thread", "-ldl")
    _compile("gcc", folder / "lookup_static", "lookup.c", *_STATIC)
    _compile("musl-gcc", folder / "lookup_musl", "lookup.c", "-Wno-error")
    _compile("musl-gcc", folder / "lookup_musl_static", "lookup.c", *_STATIC)


def copy_driver(folder, cuda):
    """Copies of the driver: their names in the matrix -> a file, or a folder to search."""
    places = {"copy": folder / "elsewhere" / "libcuda.so.1", "renamed": folder / "librenamed.so",
              "edited": folder / "libother.so", "linked": folder / "linked",
              "unlinked": folder / "unlinked"}
    places["copy"].parent.mkdir()
    for place, names in (("linked", ("libcuda.so", "libcuda.so.1")), ("unlinked", ("libcuda.so.1",))):
        places[place].mkdir()
        for name in names:
            (places[place] / name).symlink_to(cuda)
    for place in (places["copy"], places["renamed"]):
        shutil.copy(cuda, place)
    image = cuda.read_bytes()
    if b"libcuda.so.1\0" not in image:
        raise RuntimeError(f"{cuda} has no SONAME libcuda.so.1")
    places["edited"].write_bytes(image.replace(b"libcuda.so.1\0", b"libother.so\0\0"))
    return places
