// SPDX-License-Identifier: Apache-2.0
// How busy a card is, as NVML tells it: by the container alone, in percent of the card's time. The
// gauges of a card that is the container's alone are the driver's own.
#include <sys/syscall.h>
#include <time.h>

#include "interposer/container.h"
#include "interposer/hook.h"
#include "interposer/nvml_cards.h"
#include "interposer/nvml_types.h"
#include "interposer/process_rows.h"
#include "interposer/share_watch.h"
#include "interposer/system_calls.h"

namespace aliquot::interposer {
namespace {

constexpr unsigned kMostRows = 256;
static_assert(kMostRows >= quota::kUsageSlots);

// NVML dates samples in microseconds since 1970.
unsigned long long NowUs() {
  struct timespec now {};
  SystemCall(SYS_clock_gettime, CLOCK_REALTIME, reinterpret_cast<long>(&now));
  return static_cast<unsigned long long>(now.tv_sec) * 1'000'000U +
         static_cast<unsigned long long>(now.tv_nsec) / 1'000U;
}

// The driver's rows, as many as it gave, become the container's; returns how many. Those of the
// driver where it has any of ours, else our own measurement.
template <typename Row>
unsigned RowsShown(int card, unsigned long long last_seen, Row* rows, unsigned found) {
  ShareLook look;
  LookAtShare(card, look);
  const unsigned kept = KeepOwnRows(look, rows, found);
  if (kept > 0) {
    return kept;
  }
  const ShareLoad load = LoadOf(card, look);
  const unsigned long long now = NowUs();
  unsigned count = 0;
  for (std::size_t i = 0; i < quota::kUsageSlots && now > last_seen; ++i) {
    if (look.slot[i].pid != 0 && load.slot_percent[i] > 0) {
      Row& row = rows[count++];
      row = {};
      row.pid = look.slot[i].pid;
      row.timeStamp = now;
      row.smUtil = load.slot_percent[i];
    }
  }
  return count;
}

template <typename Row>
nvmlReturn_t Give(const Row* rows, unsigned shown, unsigned* count, Row* to) {
  const unsigned room = *count;
  *count = shown;
  if (shown == 0) {
    return NVML_ERROR_NOT_FOUND;
  }
  if (to == nullptr || room < shown) {
    return NVML_ERROR_INSUFFICIENT_SIZE;
  }
  for (unsigned i = 0; i < shown; ++i) {
    to[i] = rows[i];
  }
  return NVML_SUCCESS;
}

// How many of the driver's rows can be used: none when there are more than fit. "None" is an answer
// here: the driver saw nobody, but may have looked for other numbers.
unsigned Found(nvmlReturn_t answer, unsigned count) {
  return answer == NVML_SUCCESS && count <= kMostRows ? count : 0;
}

bool Answered(nvmlReturn_t answer) {
  return answer == NVML_SUCCESS || answer == NVML_ERROR_NOT_FOUND ||
         answer == NVML_ERROR_INSUFFICIENT_SIZE;
}

}  // namespace
}  // namespace aliquot::interposer

namespace ours = aliquot::interposer;

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetUtilizationRates,
             (nvmlDevice_t device, nvmlUtilization_t* rates)) {
  const ours::HookScope scope;
  const nvmlReturn_t answer = ALIQUOT_REAL(nvmlDeviceGetUtilizationRates)(device, rates);
  const int card = scope.outermost() && answer == NVML_SUCCESS ? ours::SharedCard(device) : -1;
  if (card >= 0) {
    ours::ShareLook look;
    const ours::ShareLoad load = ours::LoadOf(card, look);
    rates->memory = ours::MemoryLoad(load.percent, rates->gpu, rates->memory);
    rates->gpu = load.percent;
  }
  return answer;
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetProcessUtilization,
             (nvmlDevice_t device, nvmlProcessUtilizationSample_t* samples, unsigned* count,
              unsigned long long last_seen)) {
  const ours::HookScope scope;
  const auto driver = ALIQUOT_REAL(nvmlDeviceGetProcessUtilization);
  const int card =
      scope.outermost() && count != nullptr && ours::Enforced() ? ours::CardOfHandle(device) : -1;
  if (card < 0) {
    return driver(device, samples, count, last_seen);
  }
  nvmlProcessUtilizationSample_t all[ours::kMostRows];
  unsigned found = ours::kMostRows;
  const nvmlReturn_t answer = driver(device, all, &found, last_seen);
  if (!ours::Answered(answer)) {
    return answer;
  }
  const unsigned shown = ours::RowsShown(card, last_seen, all, ours::Found(answer, found));
  return ours::Give(all, shown, count, samples);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetProcessesUtilizationInfo,
             (nvmlDevice_t device, nvmlProcessesUtilizationInfo_t* info)) {
  const ours::HookScope scope;
  const auto driver = ALIQUOT_REAL(nvmlDeviceGetProcessesUtilizationInfo);
  const int card =
      scope.outermost() && info != nullptr && ours::Enforced() ? ours::CardOfHandle(device) : -1;
  if (card < 0) {
    return driver(device, info);
  }
  if (info->version != ours::NvmlVersion<nvmlProcessesUtilizationInfo_v1_t>(1)) {
    return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;  // rows of a shape that we cannot filter
  }
  nvmlProcessUtilizationInfo_v1_t all[ours::kMostRows];
  nvmlProcessesUtilizationInfo_t full = *info;
  full.processSamplesCount = ours::kMostRows;
  full.procUtilArray = all;
  const nvmlReturn_t answer = driver(device, &full);
  if (!ours::Answered(answer)) {
    return answer;
  }
  const unsigned found = ours::Found(answer, full.processSamplesCount);
  const unsigned shown = ours::RowsShown(card, info->lastSeenTimeStamp, all, found);
  return ours::Give(all, shown, &info->processSamplesCount, info->procUtilArray);
}

// The card's history of load is everybody's, and there is none of a share alone.
ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetSamples,
             (nvmlDevice_t device, nvmlSamplingType_t type, unsigned long long last_seen,
              nvmlValueType_t* value_type, unsigned* count, nvmlSample_t* samples)) {
  const ours::HookScope scope;
  const bool of_load =
      type == NVML_GPU_UTILIZATION_SAMPLES || type == NVML_MEMORY_UTILIZATION_SAMPLES;
  if (scope.outermost() && of_load && ours::SharedCard(device) >= 0) {
    return NVML_ERROR_NOT_SUPPORTED;
  }
  return ALIQUOT_REAL(nvmlDeviceGetSamples)(device, type, last_seen, value_type, count, samples);
}
