// SPDX-License-Identifier: Apache-2.0
#pragma once

// The link between two cards, in the words of `nvidia-smi topo -m`. Plain values; pure, thread-safe
// functions. Units: GB/s one way, nominal.

#include <string>
#include <string_view>

#include "base/status.h"

namespace aliquot::topology {

// How two cards reach each other, best first, in the words of `nvidia-smi topo -m`.
enum class LinkClass { kNvlink, kC2c, kPix, kPxb, kPhb, kNode, kSys };

struct Link {
  LinkClass link_class = LinkClass::kSys;
  int nvlinks = 0;  // bonded NVLinks, for kNvlink only
  int gbps = 0;     // nominal GB/s, one way; orders links, promises nothing
};

// NVML_NVLINK_MAX_LINKS of nvml.h (CUDA 13): more links than this between two cards is no link
// class.
inline constexpr int kMaxNvlinks = 36;

// GB/s one way. They order links of one node, they do not predict a transfer. Sources:
//   NV#   25 a link: NVLink 2 to 4 by NVIDIA's data sheets (V100, A100, H100); the generation does
//         not show in the matrix, and within one node it is one.
//   C2C   450: NVLink-C2C of Grace Hopper, 900 GB/s both ways.
//   PIX   24: PCIe 4.0 x16 in NCCL's model (src/graph/topo.h: width x code / 80).
//   PXB   22: the same wire with more bridges on it, so a little below PIX.
//   PHB   20: NCCL's 6/5 for peer traffic through a host bridge (24 / 1.2).
//   NODE  18: between PHB and SYS; NCCL has no such class.
//   SYS   16: NCCL's figure for AMD's inter-socket link; Intel's are 6 to 40.
inline constexpr int kNvlinkGbps = 25;
inline constexpr int kC2cGbps = 450;
inline constexpr int kPixGbps = 24;
inline constexpr int kPxbGbps = 22;
inline constexpr int kPhbGbps = 20;
inline constexpr int kNodeGbps = 18;
inline constexpr int kSysGbps = 16;

// A link of this class with its nominal figure; `nvlinks` counts for kNvlink only.
Link MakeLink(LinkClass link_class, int nvlinks = 0);

// "NV12", "PIX", ... and "SOC", the older name of SYS. The error is one sentence with the word.
Result<Link> ParseLink(std::string_view text);
std::string FormatLink(const Link& link);

}  // namespace aliquot::topology
