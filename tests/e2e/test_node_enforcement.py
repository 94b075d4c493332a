# SPDX-License-Identifier: Apache-2.0
"""Pods on one card each get their share of it: memory, time, and what others leave idle.

The card is simulated (harness/simulated_driver.py); kubelet, runtime, allocator, agent and library
are real. How exactly shares are held is measured in bench/; here a share must be told from another
one, and from none, on a busy machine.
"""
import signal

from harness import pods
from harness.tenants import MIB, UNIT
from harness.waiting import until

# Of the 15,360 MiB of a T4.
SMALL, LARGE = 4096 * MIB, 7168 * MIB
OUT_OF_MEMORY = 2  # CUDA_ERROR_OUT_OF_MEMORY
LIMIT = "tencent.com/vcuda-core-limit"


def two(tenants, **more):
    """A pod of 30 % and one of 50 %, running on the one card."""
    tenants.share("small", 30, SMALL, **more)
    tenants.share("large", 50, LARGE)
    tenants.wait_running("small", "large")


def test_two_pods_on_one_card_each_see_their_memory_and_are_refused_above_it(tenants_of_both):
    both = tenants_of_both
    two(both)
    for name, limit in (("small", SMALL), ("large", LARGE)):
        cuda, nvml = both.says(name, "meminfo"), both.says(name, "nvmlinfo")
        assert (cuda["total"], cuda["deviceTotal"], nvml["total"]) == (limit, limit, limit), name
        assert (cuda["devices"], nvml["devices"]) == (1, 1)
        # One byte more than the share; three quarters of it; half of it besides; an eighth.
        sizes = [limit + 1, limit // 4 * 3, limit // 2, limit // 8]
        answer = both.says(name, "alloc", *[str(each) for each in sizes])
        assert answer["results"] == [OUT_OF_MEMORY, 0, OUT_OF_MEMORY, 0], name
        # What is free is what is left, and at most a context less.
        left = limit - sizes[1] - sizes[3]
        assert left - 512 * MIB <= answer["free"] <= left, name
        running = both.begin(name, hold=limit + 1)
        assert running.held == OUT_OF_MEMORY
        assert both.metric("aliquot_share_allocations_denied_total", name) == 1
        running.stop()


def test_two_pods_at_work_each_get_their_part_of_the_time_and_the_agent_shows_it(tenants_of_both):
    both = tenants_of_both
    two(both)
    small = both.begin("small", hold=SMALL // 2, burn=True)
    large = both.begin("large", hold=LARGE // 2, burn=True)
    assert (small.held, large.held) == (0, 0)
    until("both to have waited for their turn", lambda: all(
        both.metric("aliquot_share_throttled_seconds_total", name) > 0
        for name in ("small", "large")))
    parts = both.part_of_card(3, "small", "large")
    assert 0.20 < parts[0] < 0.42 and 0.36 < parts[1] < 0.66, parts
    for name, hold, limit, core in (("small", SMALL // 2, SMALL, 30),
                                    ("large", LARGE // 2, LARGE, 50)):
        def figure(metric, name=name, **labels):
            return both.metric(f"aliquot_share_{metric}", name, **labels)
        assert figure("info", enforcement="library") == 1
        assert figure("memory_limit_bytes") == limit
        assert figure("memory_charged_bytes") == hold
        # The driver counts a context besides.
        assert hold < figure("memory_used_bytes") < hold + 512 * MIB
        until("the context to be known", lambda figure=figure: figure(
            "memory_overhead_bytes") > 0, timeout=5)
        assert (figure("core_percent"), figure("core_now_percent")) == (core, core)
        assert figure("busy_seconds_total") > 0 and figure("launches_total") > 0
        figure("busy_correction_seconds")
        assert both.unenforced(name) == []
    assert both.agent.metric("aliquot_agent_degraded", state="no_enforcement") == 0
    assert both.agent.metric("aliquot_agent_degraded", state="no_watchdog") == 0
    assert small.stop() > 0 and large.stop() > 0


def test_a_share_uses_what_its_neighbour_leaves_idle_and_gives_it_back(tenants):
    tenants.share("small", 20, SMALL, annotations={LIMIT: "100"})
    tenants.share("large", 80, LARGE)
    tenants.wait_running("small", "large")
    small = tenants.begin("small", burn=True)
    tenants.wait_part("the small one to borrow", "small", lambda part: part > 0.75)
    large = tenants.begin("large", burn=True)
    tenants.wait_part("the large one to have its own", "large", lambda part: part > 0.62)
    # Two that nobody holds get half of the card each.
    parts = tenants.part_of_card(2, "small", "large")
    assert 0.10 < parts[0] < 0.36 and 0.62 < parts[1] < 0.92, parts
    large.stop()
    tenants.wait_part("the small one to borrow again", "small", lambda part: part > 0.75)
    small.stop()


def test_an_agent_that_is_killed_lends_nothing_any_more_until_it_is_back(tenants):
    two(tenants, annotations={LIMIT: "100"})
    small = tenants.begin("small", burn=True)
    before = tenants.work.container_status("small")
    tenants.wait_part("the small one to borrow", "small", lambda part: part > 0.75)
    tenants.agent.process.kill()
    # What was lent holds for a second at most.
    tenants.wait_part("the small one to be at its own share", "small",
                      lambda part: part < 0.42, timeout=4)
    (part,) = tenants.part_of_card(2, "small")
    assert 0.20 < part < 0.42, part
    tenants.agent.start()
    tenants.wait_part("the small one to borrow again", "small", lambda part: part > 0.75)
    assert small.running(), "a restart of the agent has ended a program"
    after = tenants.work.container_status("small")
    assert (after["containerID"], after["restartCount"]) == (before["containerID"], 0)
    small.stop()


def test_a_program_that_is_killed_leaves_its_memory_to_the_next(tenants):
    two(tenants)
    running = tenants.begin("small", hold=SMALL // 4 * 3)
    assert running.held == 0
    assert tenants.says("small", "alloc", str(SMALL // 2))["results"] == [OUT_OF_MEMORY]
    (process,) = tenants.driver.of_pod(tenants.work.pod("small"))
    tenants.work.node.box.run(["kill", "-KILL", process["pid"]])
    assert running.wait() == 128 + signal.SIGKILL
    assert tenants.says("small", "alloc", str(SMALL // 2))["results"] == [0]


def test_a_user_without_rights_on_a_read_only_root_is_held_too(tenants):
    tenants.share("user", 30, SMALL, securityContext={"runAsUser": 1000, "runAsGroup": 1000})
    built = tenants.driver.use(pods.pod("closed", [pods.container(
        core=30, memory=SMALL // UNIT, securityContext={
            "runAsUser": 1000, "readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]}})]))
    tenants.work.create(built)
    tenants.wait_running("user", "closed")
    for name in ("user", "closed"):
        assert tenants.last_line(name, "id", "-u") == "1000"
        assert tenants.says(name, "meminfo")["total"] == SMALL
        running = tenants.begin(name, hold=SMALL + 1)
        assert running.held == OUT_OF_MEMORY
        assert tenants.metric("aliquot_share_allocations_denied_total", name) == 1
        running.stop()


def test_a_whole_card_is_not_held_to_anything(tenants):
    tenants.whole("all")
    tenants.wait_running("all")
    seen = tenants.says("all", "meminfo")
    assert seen["total"] == tenants.driver.memory(), "the container sees less than the card has"
    running = tenants.begin("all", hold=seen["free"] - 1024 * MIB, burn=True)
    assert running.held == 0
    (part,) = tenants.part_of_card(2, "all")
    assert part > 0.8, part
    assert tenants.metric("aliquot_share_info", "all", enforcement="whole") == 1
    assert running.stop() > 0
