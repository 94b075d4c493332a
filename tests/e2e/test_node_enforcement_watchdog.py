# SPDX-License-Identifier: Apache-2.0
"""What gets past the library on a real node is found, told and, where wished, ended; nobody else is."""
import contextlib

import pytest

from harness.api import ApiError
from harness.tenants import MIB
from harness.waiting import throughout, until

SMALL, LARGE = 4096 * MIB, 7168 * MIB
OUT_OF_MEMORY = 2  # CUDA_ERROR_OUT_OF_MEMORY
ISOLATION = "aliquot.io/isolation"
ALLOW_WEAK = "aliquot.io/allow-weak-isolation"
# The slots in the usage file (src/quota/FORMAT.md): all after the first page.
PAGE, PAGES = 4096, 18


@contextlib.contextmanager
def configured(tenants, **enforcement):
    """The agent, restarted with other keys in its section `enforcement`, and as before afterwards."""
    agent = tenants.agent
    before = agent.configuration.get("enforcement")
    agent.configure(enforcement=enforcement)
    agent.restart()
    try:
        yield
    finally:
        agent.configuration["enforcement"] = before or {}
        agent.restart()


def two(tenants):
    """A pod that deceives and its neighbour, both at work on the one card."""
    tenants.share("suspect", 30, SMALL)
    tenants.share("neighbour", 50, LARGE)
    tenants.wait_running("suspect", "neighbour")
    return tenants.begin("neighbour", hold=LARGE // 2, burn=True)


def admitted(tenants):
    """Whether a share without isolation may now be asked for; the pod is created then."""
    try:
        return tenants.share("free", 30, SMALL, annotations={ISOLATION: "none"})
    except ApiError:
        return None


def check_untouched(tenants, neighbour):
    """The neighbour works on within its share, and nothing is said of it."""
    assert neighbour.running()
    assert tenants.unenforced("neighbour") == []
    for reason in ("GpuUnenforced", "GpuOverLimit"):
        assert tenants.events("neighbour", reason) == []
    assert tenants.metric("aliquot_share_memory_charged_bytes", "neighbour") == LARGE // 2
    assert tenants.says("neighbour", "alloc", str(LARGE))["results"] == [OUT_OF_MEMORY]
    assert neighbour.stop() > 0


def test_a_static_program_on_the_card_is_reported_within_seconds(tenants):
    neighbour = two(tenants)
    # It takes more memory than its share: nothing in its process holds it.
    static = tenants.begin("suspect", hold=SMALL + 1024 * MIB, burn=True, program="tenant-static")
    assert static.held == 0
    until("the agent to tell of it", lambda: "no_library" in tenants.unenforced("suspect"), timeout=3)
    until("the agent to tell of its memory", lambda: "over_memory" in tenants.unenforced("suspect"),
          timeout=4)
    tenants.told("suspect", "GpuUnenforced", "container main", "has not loaded the enforcement library")
    tenants.told("suspect", "GpuOverLimit", "container main", "more memory there than its share")
    assert static.running(), "by default nothing is ended"
    check_untouched(tenants, neighbour)
    static.stop()
    until("the agent to take it back", lambda: tenants.unenforced("suspect") == [], timeout=5)


def test_with_kill_the_static_program_is_ended_and_nothing_else(tenants):
    with configured(tenants, onOvershoot="kill"):
        neighbour = two(tenants)
        well = tenants.begin("suspect", hold=SMALL // 4)
        static = tenants.begin("suspect", hold=SMALL // 4, burn=True, program="tenant-static")
        assert (well.held, static.held) == (0, 0)
        assert static.wait() == 128 + 9, "it was not ended by SIGKILL"
        throughout("the pod's other program runs", well.running, 1.5)
        status = tenants.work.container_status("suspect")
        assert status["restartCount"] == 0 and status["state"].get("running")
        assert tenants.agent.metric("aliquot_agent_processes_ended_total", reason="no_library") == 1
        tenants.told("suspect", "GpuUnenforced", "has not loaded the enforcement library",
                     "enforcement.onOvershoot")
        check_untouched(tenants, neighbour)
        well.stop()


def test_a_container_that_writes_over_its_usage_file_is_reported(tenants):
    neighbour = two(tenants)
    suspect = tenants.begin("suspect", hold=SMALL // 2)
    tenants.work.execute("suspect", "dd", "if=/dev/urandom", "of=/run/aliquot/usage", "conv=notrunc",
                         f"bs={PAGE}", f"count={PAGES}")
    until("the agent to tell of it", lambda: tenants.unenforced("suspect") == ["usage_damaged"],
          timeout=5)
    tenants.told("suspect", "GpuUnenforced", "has damaged its usage file")
    assert suspect.running()
    check_untouched(tenants, neighbour)


def test_a_container_that_denies_what_it_holds_gains_nothing(tenants):
    neighbour = two(tenants)
    hold = SMALL // 4 * 3
    suspect = tenants.begin("suspect", hold=hold)
    tenants.work.execute("suspect", "dd", "if=/dev/zero", "of=/run/aliquot/usage", "conv=notrunc",
                         f"bs={PAGE}", "seek=1", f"count={PAGES - 1}")
    assert tenants.metric("aliquot_share_memory_charged_bytes", "suspect") == 0
    until("what it denies to count as overhead", lambda: tenants.metric(
        "aliquot_share_memory_overhead_bytes", "suspect") >= hold, timeout=5)
    until("it to have no more than its share", lambda: tenants.says(
        "suspect", "alloc", str(SMALL - hold), str(64 * MIB))["results"] == [OUT_OF_MEMORY, 0],
          timeout=5)
    until("the agent to tell of it", lambda: tenants.unenforced("suspect") == ["usage_low"],
          timeout=5)
    assert suspect.running()
    check_untouched(tenants, neighbour)


def test_isolation_none_is_refused_unless_namespace_and_node_allow_it(tenants):
    with pytest.raises(ApiError) as refused:
        tenants.share("free", 30, SMALL, annotations={ISOLATION: "none"})
    assert refused.value.code == 403 and ALLOW_WEAK in refused.value.message
    tenants.work.api.patch(f"/api/v1/namespaces/{tenants.work.name}",
                           {"metadata": {"labels": {ALLOW_WEAK: "true"}}})
    until("the API server to have seen the label", lambda: admitted(tenants))
    told = tenants.work.wait_waiting("free", "CreateContainerConfigError")
    assert "enforcement.allowNone" in told
    with configured(tenants, allowNone=True):
        tenants.work.nudge("free")
        tenants.wait_running("free")
        assert tenants.says("free", "meminfo")["total"] == tenants.driver.memory()
        assert tenants.last_line("free", "wc", "-c", "/etc/ld.so.preload").split()[0] == "0"
        assert tenants.metric("aliquot_share_info", "free", enforcement="none",
                              isolation="none") == 1
        assert tenants.unenforced("free") == []
