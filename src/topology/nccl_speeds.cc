// SPDX-License-Identifier: Apache-2.0
#include "topology/nccl_speeds.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace aliquot::topology {
namespace {

struct Generation {
  std::string_view speed;  // what the text begins with
  int code;
};
constexpr std::array<Generation, 6> kGenerations = {
    {{"2.5 GT/s", 15}, {"5", 30}, {"8", 60}, {"16", 120}, {"32", 240}, {"64", 480}}};
constexpr int kDefaultCode = 60;
constexpr int kDefaultWidth = 16;
constexpr int kCodeOfOneGbps = 80;

// Intel's family 6 by model, NCCL's thresholds.
constexpr int kSkylakeModel = 0x55;
constexpr int kSapphireRapidsModel = 0x8F;
constexpr int kEmeraldRapidsModel = 0xCF;
constexpr int kYongfengModel = 0x5B;

bool IsSpeed(std::string_view text, std::string_view speed) {
  if (!StartsWith(text, speed)) {
    return false;
  }
  const std::string_view rest = text.substr(speed.size());
  return rest.empty() || StartsWith(rest, " ") || StartsWith(rest, ".0 ") || rest == ".0";
}

int IntelGbps(const Processor& processor) {
  if (processor.family != 6) {
    return 6;
  }
  if (processor.model >= kEmeraldRapidsModel) {
    return 40;
  }
  if (processor.model >= kSapphireRapidsModel) {
    return 22;
  }
  return processor.model >= kSkylakeModel ? 10 : 6;
}

}  // namespace

int PcieGbps(std::string_view speed, int width) {
  const std::string_view text = Trim(speed);
  int code = kDefaultCode;
  for (const Generation& generation : kGenerations) {
    code = IsSpeed(text, generation.speed) ? generation.code : code;
  }
  return std::max(1, (width < 1 ? kDefaultWidth : width) * code / kCodeOfOneGbps);
}

int InterSocketGbps(const Processor& processor) {
  if (processor.arch == "ppc64") {
    return 32;
  }
  if (StartsWith(processor.arch, "arm") || processor.arch == "aarch64") {
    return 6;
  }
  if (processor.vendor == "GenuineIntel") {
    return IntelGbps(processor);
  }
  if (processor.vendor == "AuthenticAMD") {
    return 16;
  }
  // Zhaoxin; family 7 from Yongfeng on.
  const bool yongfeng = processor.family == 7 && processor.model >= kYongfengModel;
  return StartsWith(processor.vendor, "  Shanghai") && yongfeng ? 9 : 6;
}

int PeerGbpsThroughHost(const Processor& processor, int gbps) {
  return processor.arch == "x86_64" && processor.vendor == "GenuineIntel" ? gbps * 5 / 6 : gbps;
}

}  // namespace aliquot::topology
