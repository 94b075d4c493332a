// SPDX-License-Identifier: Apache-2.0
#include "topology/link.h"

#include <array>
#include <optional>
#include <utility>

#include "base/strings.h"

namespace aliquot::topology {
namespace {

struct ClassWord {
  std::string_view word;
  LinkClass link_class;
};

// SOC comes last, so that formatting finds SYS first.
constexpr std::array<ClassWord, 7> kWords = {{{"C2C", LinkClass::kC2c},
                                              {"PIX", LinkClass::kPix},
                                              {"PXB", LinkClass::kPxb},
                                              {"PHB", LinkClass::kPhb},
                                              {"NODE", LinkClass::kNode},
                                              {"SYS", LinkClass::kSys},
                                              {"SOC", LinkClass::kSys}}};

int NominalGbps(LinkClass link_class, int nvlinks) {
  switch (link_class) {
    case LinkClass::kNvlink:
      return kNvlinkGbps * nvlinks;
    case LinkClass::kC2c:
      return kC2cGbps;
    case LinkClass::kPix:
      return kPixGbps;
    case LinkClass::kPxb:
      return kPxbGbps;
    case LinkClass::kPhb:
      return kPhbGbps;
    case LinkClass::kNode:
      return kNodeGbps;
    case LinkClass::kSys:
      break;
  }
  return kSysGbps;
}

}  // namespace

Link MakeLink(LinkClass link_class, int nvlinks) {
  Link link;
  link.link_class = link_class;
  link.nvlinks = link_class == LinkClass::kNvlink ? nvlinks : 0;
  link.gbps = NominalGbps(link_class, nvlinks);
  return link;
}

Result<Link> ParseLink(std::string_view text) {
  for (const ClassWord& entry : kWords) {
    if (text == entry.word) {
      return MakeLink(entry.link_class);
    }
  }
  if (StartsWith(text, "NV")) {
    const std::optional<std::int64_t> count = ParseUnsigned(text.substr(2));
    if (count && *count >= 1 && *count <= kMaxNvlinks) {
      return MakeLink(LinkClass::kNvlink, static_cast<int>(*count));
    }
  }
  return InvalidArgument("link is \"" + Printable(text) + "\", not a link class; use NV1 to NV" +
                         std::to_string(kMaxNvlinks) + ", C2C, PIX, PXB, PHB, NODE or SYS");
}

std::string FormatLink(const Link& link) {
  if (link.link_class == LinkClass::kNvlink) {
    return "NV" + std::to_string(link.nvlinks);
  }
  for (const ClassWord& entry : kWords) {
    if (entry.link_class == link.link_class) {
      return std::string(entry.word);
    }
  }
  return "SYS";
}

}  // namespace aliquot::topology
