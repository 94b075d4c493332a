// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace aliquot::model {

// Processor time and main memory: what a node has, what a pod asks for. Plain value. Units: 1/1000
// of a core, MiB.
struct HostAmount {
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mib = 0;

  HostAmount& operator+=(const HostAmount& other) {
    cpu_milli += other.cpu_milli;
    memory_mib += other.memory_mib;
    return *this;
  }
  HostAmount& operator-=(const HostAmount& other) {
    cpu_milli -= other.cpu_milli;
    memory_mib -= other.memory_mib;
    return *this;
  }
  friend bool operator==(const HostAmount& a, const HostAmount& b) {
    return a.cpu_milli == b.cpu_milli && a.memory_mib == b.memory_mib;
  }
};

}  // namespace aliquot::model
