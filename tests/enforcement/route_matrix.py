# SPDX-License-Identifier: Apache-2.0
"""The ways in which a program can come to the driver's functions, and what becomes of each.

held       the program sees its share, an allocation above it is refused with the driver's code, and
           one below succeeds
detected   the program reaches the card past the library, and is seen: it has the driver mapped and
           the library not, which the agent's look at processes finds
neither    it reaches the card past the library and has both mapped; only the driver's own figures
           show that it uses too much
no driver  it does not reach the driver, with the library as without it

The table of docs/adr/0014-interposition.md is compared with this one, test_routes.py runs it.
"""
import dataclasses

HELD, DETECTED, NEITHER, NO_DRIVER = "held", "detected", "neither", "no driver"
CARD = "card"  # without the library: the whole card

# In a command: {bin} the programs of routes/, {cuda} the driver's file by its absolute path, {copy} a copy
# of it under its name elsewhere, {edited} one with another name and SONAME, {python} Debian's Python.
_LOADER = "/lib64/ld-linux-x86-64.so.2"
_ASAN = {"ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"}


@dataclasses.dataclass(frozen=True)
class Route:
    """One way. `without`: what it gives where there is no library, which shows that it is a way."""
    name: str
    command: str
    verdict: str = HELD
    without: str = CARD
    environment: dict = dataclasses.field(default_factory=dict)


ROUTES = [
    Route("linked with -lcuda, bound lazily", "{bin}/linked_lazy"),
    Route("linked with -lcuda, bound at start", "{bin}/linked_now"),
    Route("dlopen libcuda.so.1, RTLD_NOW", "{bin}/lookup handle libcuda.so.1"),
    Route("dlopen libcuda.so.1, RTLD_LAZY", "{bin}/lookup lazy libcuda.so.1"),
    Route("dlopen libcuda.so.1, RTLD_GLOBAL", "{bin}/lookup global libcuda.so.1"),
    Route("dlopen libcuda.so.1, RTLD_DEEPBIND", "{bin}/lookup deepbind libcuda.so.1"),
    Route("dlopen libcuda.so.1, again after dlclose", "{bin}/lookup reopen libcuda.so.1"),
    Route("dlopen libcuda.so, there is such a link", "{bin}/lookup handle libcuda.so",
          environment={"LD_LIBRARY_PATH": "{linked}"}),
    Route("dlopen libcuda.so, there is no such link", "{bin}/lookup handle libcuda.so", without=NO_DRIVER,
          environment={"LD_LIBRARY_PATH": "{unlinked}"}),
    Route("dlopen by absolute path", "{bin}/lookup handle {cuda}"),
    Route("dlopen by absolute path, RTLD_DEEPBIND", "{bin}/lookup deepbind {cuda}"),
    Route("dlopen by absolute path after libcuda.so.1", "{bin}/lookup path-after {cuda}"),
    Route("dlopen libcuda.so.1 after the absolute path", "{bin}/lookup soname-after {cuda}"),
    Route("dlopen by absolute path, RTLD_GLOBAL, then RTLD_DEFAULT",
          "{bin}/lookup default-after-global {cuda}"),
    Route("copy of the driver under its name elsewhere", "{bin}/lookup handle {copy}"),
    Route("copy of the driver under another name", "{bin}/lookup handle {renamed}"),
    Route("copy of the driver with another name and SONAME", "{bin}/lookup handle {edited}", NEITHER),
    Route("dlsym RTLD_DEFAULT", "{bin}/lookup default", without=NO_DRIVER),
    Route("dlsym RTLD_NEXT of a program", "{bin}/lookup next", without=NO_DRIVER),
    Route("dlsym RTLD_NEXT of a library", "{bin}/load next {bin}/plugin_lookup.so {cuda}",
          without=NO_DRIVER),
    Route("dlvsym (the driver has no versions)", "{bin}/lookup versioned {cuda}", NO_DRIVER, NO_DRIVER),
    Route("library linked with -lcuda", "{bin}/load local {bin}/plugin_linked.so"),
    Route("library linked with -lcuda, opened RTLD_DEEPBIND",
          "{bin}/load deepbind {bin}/plugin_linked.so"),
    Route("library opened RTLD_DEEPBIND, its own dlsym, libcuda.so.1",
          "{bin}/load deepbind {bin}/plugin_lookup.so libcuda.so.1"),
    Route("library opened RTLD_DEEPBIND, its own dlsym, absolute path",
          "{bin}/load deepbind {bin}/plugin_lookup.so {cuda}"),
    Route("dlmopen a new namespace, looked up from the first, libcuda.so.1",
          "{bin}/lookup namespace libcuda.so.1"),
    Route("dlmopen a new namespace, looked up from the first, absolute path",
          "{bin}/lookup namespace {cuda}"),
    Route("code inside a new namespace, linked with -lcuda", "{bin}/load namespace {bin}/plugin_linked.so"),
    Route("code inside a new namespace, absolute path",
          "{bin}/load namespace {bin}/plugin_lookup.so {cuda}"),
    Route("cuGetProcAddress, four arguments", "{bin}/lookup proc-address-1 libcuda.so.1"),
    Route("cuGetProcAddress_v2, five arguments", "{bin}/lookup proc-address-2 libcuda.so.1"),
    Route("cuGetProcAddress asked for itself", "{bin}/lookup proc-address-1i libcuda.so.1"),
    Route("cuGetProcAddress_v2 asked for itself", "{bin}/lookup proc-address-2i libcuda.so.1"),
    Route("cuGetProcAddress_v2, handle by absolute path", "{bin}/lookup proc-address-2i {cuda}"),
    Route("user's LD_PRELOAD with its own dlsym, libcuda.so.1", "{bin}/lookup handle libcuda.so.1",
          environment={"LD_PRELOAD": "{bin}/preload_dlsym.so"}),
    Route("user's LD_PRELOAD with its own dlsym, absolute path", "{bin}/lookup handle {cuda}",
          environment={"LD_PRELOAD": "{bin}/preload_dlsym.so"}),
    Route("user's LD_PRELOAD with its own cuMemAlloc_v2 and RTLD_NEXT", "{bin}/linked_lazy",
          environment={"LD_PRELOAD": "{bin}/preload_alloc.so"}),
    Route("user's LD_PRELOAD under the driver's own name, which opens the driver by path", "{bin}/linked_lazy",
          environment={"LD_PRELOAD": "{bin}/shim/libcuda.so.1", "ROUTE_FILE": "{cuda}"}),
    Route("table made in a constructor before main, libcuda.so.1", "{bin}/use_table",
          environment={"LD_PRELOAD": "{bin}/preload_table.so", "ROUTE_FILE": "libcuda.so.1"}),
    Route("table made in a constructor before main, absolute path", "{bin}/use_table",
          environment={"LD_PRELOAD": "{bin}/preload_table.so", "ROUTE_FILE": "{cuda}"}),
    Route("own walk through the driver's symbol table", "{bin}/lookup walk libcuda.so.1", NEITHER),
    Route("Python ctypes by name", "{python} {routes}/by_ctypes.py libcuda.so.1"),
    Route("Python ctypes by absolute path", "{python} {routes}/by_ctypes.py {cuda}"),
    Route("Python ctypes, the program itself", "{python} {routes}/by_ctypes.py -", without=NO_DRIVER),
    Route("fork", "{bin}/lookup fork {cuda}"),
    Route("vfork and exec", "{bin}/lookup vfork {cuda}"),
    Route("exec with an empty environment", "env -i {world} LD_PRELOAD= {bin}/lookup handle {cuda}"),
    Route("set-user-ID program (AT_SECURE)", "setpriv --reuid 65534 --regid 65534 --clear-groups "
          "/run/set_user_id handle {cuda}"),
    Route("started by the loader: ld.so ./program", _LOADER + " {bin}/linked_lazy"),
    Route("started by the loader without its cache", _LOADER + " --inhibit-cache {bin}/lookup handle {cuda}"),
    Route("eight threads open, look up, close, while it forks", "{bin}/threads {cuda} 3000"),
    Route("AddressSanitizer of gcc (verify_asan_link_order=0)", "{bin}/lookup_gcc_asan handle {cuda}",
          environment=_ASAN),
    Route("AddressSanitizer of clang", "{bin}/lookup_clang_asan handle {cuda}", environment=_ASAN),
    Route("ThreadSanitizer of gcc", "{bin}/lookup_gcc_tsan handle {cuda}"),
    Route("under valgrind", "valgrind --quiet --error-exitcode=99 {bin}/lookup handle {cuda}"),
    Route("static program of glibc with dlopen, libcuda.so.1", "{bin}/lookup_static handle libcuda.so.1",
          DETECTED, environment={"LD_LIBRARY_PATH": "{bin}/plain"}),
    Route("static program of glibc with dlopen, absolute path",
          "{bin}/lookup_static handle {bin}/plain/libcuda.so.1", DETECTED),
    Route("musl, dynamic", "{bin}/lookup_musl handle {cuda}", NO_DRIVER, NO_DRIVER),
    Route("musl, static", "{bin}/lookup_musl_static handle {cuda}", NO_DRIVER, NO_DRIVER),
]


def judge(report, share):
    """The verdict of one report; raises for one that fits none, such as a view that disagrees with what
    may be allocated. Any card is larger than the share."""
    if "error" in report:
        return NO_DRIVER
    answers = (report["over"], report["under"])
    if report["total"] == share and answers == (2, 0):
        return HELD
    if report["total"] > 2 * share and answers == (0, 0):
        return DETECTED if report["driver"] and not report["library"] else NEITHER
    raise ValueError(f"neither held nor free: {report}")
