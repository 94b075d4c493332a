// SPDX-License-Identifier: Apache-2.0
#pragma once

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

// "NV12", "PIX", ... and "SOC", the older name of SYS.
Result<Link> ParseLink(std::string_view text);
std::string FormatLink(const Link& link);

}  // namespace aliquot::topology
