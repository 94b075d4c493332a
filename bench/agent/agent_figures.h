// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace aliquot::bench {

struct AgentUnderTest {
  std::string program;       // aliquot-agent
  std::string profile;       // a machine profile of 8 cards
  std::string this_program;  // serves the empty plugin in a process of its own
};

// Both start the agent anew and throw std::runtime_error when anything goes otherwise than it must.

// 100 pods on the node, 40 of them with a running 20 % share; then nothing happens for `seconds`:
// {rss_mb, anonymous_mb, threads, cpu_percent, wakeups_per_s, api_writes}.
nlohmann::json MeasureIdle(const AgentUnderTest& under_test, int seconds);

// 100 pods on the node, 70 of them with a running share. Then, `rounds` times each, thirty equal
// 20 % pods are admitted and started one after the other, and all at once; after each round they
// go. {allocate, pre_start, pre_start_at_once, each {p50, p99, max}, the same with _floor for the
// empty plugin, in microseconds; starts, api_writes}.
nlohmann::json MeasureStarts(const AgentUnderTest& under_test, int rounds);

}  // namespace aliquot::bench
