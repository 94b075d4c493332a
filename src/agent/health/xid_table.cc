// SPDX-License-Identifier: Apache-2.0
#include "agent/health/xid_table.h"

#include <algorithm>

namespace aliquot::agent {
namespace {

constexpr XidEffect kReport = XidEffect::kReport;
constexpr XidEffect kPassing = XidEffect::kPassing;
constexpr XidEffect kReset = XidEffect::kReset;

// The catalogue's immediate action beside our effect:
//   IGNORE, and RESTART_APP that asks to look at the application next  -> kReport
//   RESTART_APP for the engine of 68 (video)                           -> kReport, as 68
//   RESTART_APP otherwise: one application died of the card's fault    -> kPassing
//   RESET_GPU, RESTART_VM, RESTART_BM, CHECK_MECHANICALS               -> kReset
//   a workflow: by what its text asks for
std::vector<XidRule> MakeTable() {
  return {
      {8, kPassing, "GPU stopped processing"},
      {11, kReport, "invalid or corrupted push buffer stream"},
      {13, kPassing, "graphics engine exception"},  // ignored by default: an application's
      {14, kReport, "injected from user space"},
      {25, kReport, "invalid or illegal push buffer stream"},
      {31, kPassing, "GPU memory page fault"},  // ignored by default: an application's
      {32, kReport, "invalid or corrupted push buffer stream"},
      {37, kReport, "driver firmware error"},
      {38, kReport, "driver firmware error"},
      {39, kPassing, "copy engine exception"},
      {40, kPassing, "copy engine exception"},
      {41, kPassing, "copy engine exception"},
      {43, kReport, "GPU stopped processing for a fault of the application"},
      {44, kReport, "graphics engine fault during context switch"},
      // Ignored by default. Not in the table as kReport: alone, without another XID, the catalogue
      // asks for more than a look, and an operator may want to see that.
      {45, kPassing, "preemptive cleanup of an application"},
      {46, kReset, "GPU stopped processing"},
      {48, kReset, "double bit ECC error"},
      {54, kReset, "auxiliary power is not connected"},
      {60, kPassing, "video processor exception"},
      {62, kReset, "internal micro-controller halt"},
      // The rows wait for a reset, and the catalogue lets work go on; the card's check tells that
      // they wait ("ecc").
      {63, kReport, "memory row or page recorded for remapping"},
      {64, kReset, "memory row or page could not be recorded for remapping"},
      {66, kReport, "illegal access by driver"},
      {67, kReport, "illegal access by driver"},
      {68, kPassing, "video decoder exception"},  // ignored by default: an application's
      {69, kReport, "graphics engine class error"},
      {70, kPassing, "copy engine error"},
      {71, kPassing, "copy engine error"},
      {72, kPassing, "copy engine error"},
      // The text of its workflow: a GPU reset or node reboot is needed to clear it.
      {74, kReset, "NVLink error"},
      {75, kPassing, "copy engine error"},
      {76, kPassing, "copy engine error"},
      {77, kPassing, "copy engine error"},
      {79, kReset, "GPU has fallen off the bus"},
      {80, kReport, "corrupted data sent to GPU"},
      {82, kReport, "JPEG engine error"},
      {83, kReport, "video decoder error"},
      {84, kReport, "video decoder error"},
      {85, kPassing, "copy engine error"},
      {86, kReport, "optical flow engine error"},
      {88, kReport, "video decoder error"},
      {89, kReport, "video decoder error"},
      {92, kReport, "high single-bit ECC error rate"},
      {93, kReport, "InfoROM wear limit"},
      // Contained: one application is lost, the card goes on; the check tells what waits.
      {94, kPassing, "contained memory error"},
      {95, kReset, "uncontained memory error"},
      {106, kReport, "test message"},
      {107, kReport, "test message"},
      {108, kReport, "NVLink remote translation error"},
      // Ignored by default, as NVIDIA's device plugin does: a kernel that never yields gives it.
      // The catalogue asks for a reset where it comes from the card.
      {109, kReset, "context switch timeout"},
      {110, kReset, "security fault"},
      {119, kReset, "GSP RPC timeout"},
      {120, kReset, "GSP error"},
      {121, kReport, "corrected C2C link errors"},
      {136, kReset, "link training failed"},
      {137, kReport, "NVLink access fault of an application"},
      {140, kReset, "unrecovered ECC error"},
      {141, kReport, "CUDA fast path error"},
      {143, kReset, "GPU initialisation error"},
      // 144 to 148 and 150 are fatal or not by a sub-code that NVML does not tell; XID 48, 94 or
      // 95 comes with those that are.
      {144, kPassing, "NVLink SAW error"},
      {145, kPassing, "NVLink RLW error"},
      {146, kPassing, "NVLink TLW error"},
      {147, kPassing, "NVLink TREX error"},
      {148, kPassing, "NVLink NVLPW_CTRL error"},
      {149, kReset, "NVLink link down"},  // every sub-code of it asks for a reset
      {150, kPassing, "NVLink MSE error"},
      {151, kReset, "key rotation error"},
      {152, kReport, "DLA SMMU error"},
      {153, kReport, "DLA timeout"},
      // Says what another XID needs; that one marks the card.
      {154, kReport, "GPU recovery action changed"},
      {155, kReset, "NVLink error that software defines"},
      {156, kReset, "resource retirement"},
      {157, kReport, "resource retirement failure"},
      {158, kReset, "GPU fatal timeout"},
      {160, kReport, "channel retirement"},
      {161, kReport, "channel retirement failure"},
      {162, kReport, "power smoothing engaged again"},
      {163, kReport, "power smoothing disengaged"},
      {164, kReport, "power smoothing near its end of life"},
      {165, kReport, "power smoothing at its end of life"},
      // Both come with XID 48 and say where the error was.
      {171, kReset, "uncorrectable DRAM error"},
      {172, kReset, "uncorrectable SRAM error"},
  };
}

}  // namespace

const std::vector<XidRule>& XidTable() {
  static const auto& table = *new std::vector<XidRule>(MakeTable());
  return table;
}

XidRule RuleOf(std::uint64_t code) {
  const std::vector<XidRule>& table = XidTable();
  const auto at =
      std::lower_bound(table.begin(), table.end(), code,
                       [](const XidRule& rule, std::uint64_t key) { return rule.code < key; });
  if (at != table.end() && at->code == code) {
    return *at;
  }
  return {code, XidEffect::kPassing, "not in the table"};
}

std::vector<std::uint64_t> DefaultIgnoredXids() {
  return {
      13,   // graphics engine exception: out of bounds, illegal instruction; RESTART_APP
      31,   // page fault: an illegal address of an application; RESTART_APP
      43,   // software-induced fault of an application, "the GPU remains in a healthy state"
      45,   // an application was aborted (Control-C, SIGKILL), or follows another XID
      68,   // video decoder exception: RESTART_APP
      109,  // context switch timeout: usually a kernel that does not yield
  };
}

}  // namespace aliquot::agent
