// SPDX-License-Identifier: Apache-2.0
#pragma once

// Speeds that NCCL assumes, GB/s one way (NCCL src/graph/topo.h and topo.cc). Pure.

#include <string_view>

namespace aliquot::topology {

// PCIe: width x code / 80 with code 15, 30, 60, 120, 240, 480 for generations 1 to 6, so x16 is 3,
// 6, 12, 24, 48, 96. `speed` is the kernel's text ("16 GT/s", "16.0 GT/s PCIe"); one that is not
// known and a width of 0 count as generation 3 and 16 lanes, as in NCCL. At least 1.
int PcieGbps(std::string_view speed, int width);

// What a host's processors do between sockets and for peers behind one host bridge.
struct Processor {
  std::string_view arch;    // "x86_64", "arm64", "ppc64"
  std::string_view vendor;  // "GenuineIntel", "AuthenticAMD", ...
  int family = -1;          // -1 = unknown
  int model = -1;
};

int InterSocketGbps(const Processor& processor);

// Peer traffic through an Intel host bridge costs 6/5.
int PeerGbpsThroughHost(const Processor& processor, int gbps);

}  // namespace aliquot::topology
