// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/status.h"
#include "topology/description.h"

namespace aliquot::topology {

// MAPA's pair list (Ranganath et al., SC'21): "gpu_a,gpu_b,bw_gbps,link", cards numbered from 1,
// link DoubleNVLink (read as NV2), SingleNVLink (NV1) or PCIe (SYS). The GB/s are the file's. Pairs
// not listed are PCIe at 10 GB/s, MAPA's own rule. Lines that begin with # are comments. NUMA nodes
// are unknown. Pure and thread-safe.
Result<Description> ReadPairList(std::string_view text, std::string_view file);

}  // namespace aliquot::topology
