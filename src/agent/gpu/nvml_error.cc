// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_error.h"

#include <string>

#include "base/strings.h"

namespace aliquot::agent {
namespace {

using nvml::Return;

struct Meaning {
  Return code;
  StatusCode status;
  std::string_view what;
  std::string_view remedy;
};

constexpr Meaning kMeanings[] = {
    {Return::kUninitialized, StatusCode::kUnavailable, "NVML is not initialized",
     "it is initialized again at the next look"},
    {Return::kInvalidArgument, StatusCode::kInternal, "it refuses the arguments",
     "report it with the driver's version"},
    {Return::kNotSupported, StatusCode::kUnimplemented, "this card does not support it",
     "use another card or a newer driver"},
    {Return::kNoPermission, StatusCode::kPermissionDenied, "the agent may not use the driver",
     "give it read and write access to /dev/nvidiactl and to the cards' device nodes"},
    {Return::kInsufficientPower, StatusCode::kFailedPrecondition,
     "the card's power cables are not attached properly", "check its power connectors"},
    {Return::kDriverNotLoaded, StatusCode::kUnavailable, "the NVIDIA driver is not loaded",
     "load the nvidia kernel module, or let GPU Operator install the driver"},
    {Return::kTimeout, StatusCode::kDeadlineExceeded, "the driver took too long",
     "look for XID errors in the kernel log"},
    {Return::kIrqIssue, StatusCode::kFailedPrecondition,
     "the kernel has trouble with the card's interrupts", "look into the kernel log"},
    {Return::kLibraryNotFound, StatusCode::kUnavailable, "a library of the driver is missing",
     "install the driver's user-space libraries of the same version"},
    {Return::kFunctionNotFound, StatusCode::kUnimplemented, "the driver is too old for it",
     "install a newer NVIDIA driver"},
    {Return::kGpuIsLost, StatusCode::kFailedPrecondition, "the driver has lost the card",
     "look for XID 79 in the kernel log, then reset the card or reboot the node"},
    {Return::kResetRequired, StatusCode::kFailedPrecondition, "the card wants a reset",
     "drain the node and reset the card with nvidia-smi --gpu-reset"},
    {Return::kOperatingSystem, StatusCode::kInternal, "the operating system refused something",
     "look into the kernel log"},
    {Return::kLibRmVersionMismatch, StatusCode::kUnavailable,
     "the kernel module and libnvidia-ml.so.1 are of different driver versions",
     "reload the nvidia kernel modules or reboot the node after a driver upgrade"},
    {Return::kInUse, StatusCode::kFailedPrecondition, "the card is in use by something else",
     "end what uses it"},
    {Return::kMemory, StatusCode::kResourceExhausted, "there is not enough memory",
     "raise the agent's memory limit"},
    {Return::kUnknown, StatusCode::kInternal, "an unknown error of the driver",
     "look for XID errors in the kernel log"},
};

}  // namespace

Status NvmlError(nvml::Return code, std::string_view function, std::string_view text) {
  const std::string answered =
      std::string(function) + " answered " + std::to_string(static_cast<unsigned>(code));
  for (const Meaning& each : kMeanings) {
    if (each.code == code) {
      return Status(each.status,
                    std::string(each.what) + " (" + answered + "); " + std::string(each.remedy));
    }
  }
  return Internal("NVML failed (" + answered + (text.empty() ? "" : ", " + Printable(text)) +
                  "); look into the kernel log");
}

}  // namespace aliquot::agent
