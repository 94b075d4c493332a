// SPDX-License-Identifier: Apache-2.0
// NVML's lists of processes: the container's own. Where the driver numbers processes as the
// container does, its rows and its figures (contexts included); otherwise, for computing processes,
// the processes of the usage region with the memory that they were charged.
#include "interposer/container.h"
#include "interposer/hook.h"
#include "interposer/nvml_cards.h"
#include "interposer/nvml_types.h"
#include "interposer/process_rows.h"
#include "interposer/share_watch.h"

namespace aliquot::interposer {
namespace {

// More processes than a driver has contexts for on one card.
constexpr unsigned kMostRows = 256;
static_assert(kMostRows >= quota::kUsageSlots);
// More than the buffer of accounting has room for (nvmlDeviceGetAccountingBufferSize says 4,000).
constexpr unsigned kMostAccounted = 4096;

// How many of the driver's rows can be used: none when there are more than fit.
unsigned Usable(nvmlReturn_t answer, unsigned found, unsigned room) {
  return answer == NVML_SUCCESS && found <= room ? found : 0;
}
bool Answered(nvmlReturn_t answer) {
  return answer == NVML_SUCCESS || answer == NVML_ERROR_INSUFFICIENT_SIZE;
}

enum class Listed { kComputing, kOther };

void SetInstances(nvmlProcessInfo_v1_t&) {}
template <typename Row>
void SetInstances(Row& row) {
  row.gpuInstanceId = ~0U;
  row.computeInstanceId = ~0U;
}

template <typename Row>
unsigned RowsOfSlots(const ShareLook& look, Row* rows) {
  unsigned count = 0;
  for (const SlotLook& slot : look.slot) {
    if (UsesCard(slot)) {
      Row& row = rows[count++];
      row = {};
      row.pid = slot.pid;
      row.usedGpuMemory = slot.bytes;
      SetInstances(row);
    }
  }
  return count;
}

// `count` rows of the driver become the container's; returns how many.
template <typename Row>
unsigned RowsShown(int card, Listed kind, Row* rows, unsigned count) {
  ShareLook look;
  LookAtShare(card, look);
  if (kind == Listed::kComputing && !NumbersAreOurs(look, rows, count)) {
    return RowsOfSlots(look, rows);
  }
  return KeepOwnRows(look, rows, count);
}

// NVML's way to give a list: without room it says how much is wanted.
template <typename Row>
nvmlReturn_t Give(const Row* rows, unsigned shown, unsigned* count, Row* to) {
  const unsigned room = *count;
  *count = shown;
  if (room < shown) {
    return NVML_ERROR_INSUFFICIENT_SIZE;
  }
  if (to == nullptr && shown > 0) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  for (unsigned i = 0; i < shown; ++i) {
    to[i] = rows[i];
  }
  return NVML_SUCCESS;
}

template <typename Row>
nvmlReturn_t Processes(nvmlReturn_t (*driver)(nvmlDevice_t, unsigned*, Row*), Listed kind,
                       nvmlDevice_t device, unsigned* count, Row* rows) {
  const HookScope scope;
  const int card = scope.outermost() && count != nullptr && Enforced() ? CardOfHandle(device) : -1;
  if (card < 0) {
    return driver(device, count, rows);
  }
  Row all[kMostRows];
  unsigned found = kMostRows;
  const nvmlReturn_t answer = driver(device, &found, all);
  if (!Answered(answer)) {
    return answer;
  }
  const unsigned shown = RowsShown(card, kind, all, Usable(answer, found, kMostRows));
  return Give(all, shown, count, rows);
}

nvmlReturn_t Details(nvmlReturn_t (*driver)(nvmlDevice_t, nvmlProcessDetailList_t*),
                     nvmlDevice_t device, nvmlProcessDetailList_t* list) {
  const HookScope scope;
  const int card = scope.outermost() && list != nullptr && Enforced() ? CardOfHandle(device) : -1;
  if (card < 0) {
    return driver(device, list);
  }
  if (list->version != NvmlVersion<nvmlProcessDetailList_v1_t>(1)) {
    return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;  // rows of a shape that we cannot filter
  }
  nvmlProcessDetail_v1_t all[kMostRows];
  nvmlProcessDetailList_t full = *list;
  full.numProcArrayEntries = kMostRows;
  full.procArray = all;
  const nvmlReturn_t answer = driver(device, &full);
  if (!Answered(answer)) {
    return answer;
  }
  const unsigned found = Usable(answer, full.numProcArrayEntries, kMostRows);
  const unsigned shown =
      RowsShown(card, list->mode == 0 ? Listed::kComputing : Listed::kOther, all, found);
  return Give(all, shown, &list->numProcArrayEntries, list->procArray);
}

// Accounting knows processes by number alone, so only those of the container are told of.
bool MayAccount(nvmlDevice_t device, unsigned pid) {
  const int card = Enforced() ? CardOfHandle(device) : -1;
  if (card < 0) {
    return true;
  }
  ShareLook look;
  LookAtShare(card, look);
  return SlotOf(look, pid) != nullptr;
}

// The driver's list of accounted processes less those of others.
nvmlReturn_t AccountedPids(nvmlReturn_t (*driver)(nvmlDevice_t, unsigned*, unsigned*),
                           nvmlDevice_t device, unsigned* count, unsigned* pids) {
  const HookScope scope;
  const int card = scope.outermost() && count != nullptr && Enforced() ? CardOfHandle(device) : -1;
  if (card < 0) {
    return driver(device, count, pids);
  }
  unsigned all[kMostAccounted];
  unsigned found = kMostAccounted;
  const nvmlReturn_t answer = driver(device, &found, all);
  if (!Answered(answer)) {
    return answer;
  }
  ShareLook look;
  LookAtShare(card, look);
  unsigned shown = 0;
  const unsigned usable = Usable(answer, found, kMostAccounted);
  for (unsigned i = 0; i < usable; ++i) {
    if (SlotOf(look, all[i]) != nullptr) {
      all[shown++] = all[i];
    }
  }
  return Give(all, shown, count, pids);
}

}  // namespace
}  // namespace aliquot::interposer

namespace ours = aliquot::interposer;

#define LIST_OF(name, kind) \
  ours::Processes(ALIQUOT_REAL(name), ours::Listed::kind, device, count, rows)

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetComputeRunningProcesses_v3,
             (nvmlDevice_t device, unsigned* count, nvmlProcessInfo_t* rows)) {
  return LIST_OF(nvmlDeviceGetComputeRunningProcesses_v3, kComputing);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetComputeRunningProcesses_v2,
             (nvmlDevice_t device, unsigned* count, nvmlProcessInfo_v2_t* rows)) {
  return LIST_OF(nvmlDeviceGetComputeRunningProcesses_v2, kComputing);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetComputeRunningProcesses,
             (nvmlDevice_t device, unsigned* count, nvmlProcessInfo_v1_t* rows)) {
  return LIST_OF(nvmlDeviceGetComputeRunningProcesses, kComputing);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetGraphicsRunningProcesses_v3,
             (nvmlDevice_t device, unsigned* count, nvmlProcessInfo_t* rows)) {
  return LIST_OF(nvmlDeviceGetGraphicsRunningProcesses_v3, kOther);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetGraphicsRunningProcesses_v2,
             (nvmlDevice_t device, unsigned* count, nvmlProcessInfo_v2_t* rows)) {
  return LIST_OF(nvmlDeviceGetGraphicsRunningProcesses_v2, kOther);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetGraphicsRunningProcesses,
             (nvmlDevice_t device, unsigned* count, nvmlProcessInfo_v1_t* rows)) {
  return LIST_OF(nvmlDeviceGetGraphicsRunningProcesses, kOther);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetMPSComputeRunningProcesses_v3,
             (nvmlDevice_t device, unsigned* count, nvmlProcessInfo_t* rows)) {
  return LIST_OF(nvmlDeviceGetMPSComputeRunningProcesses_v3, kOther);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetMPSComputeRunningProcesses_v2,
             (nvmlDevice_t device, unsigned* count, nvmlProcessInfo_v2_t* rows)) {
  return LIST_OF(nvmlDeviceGetMPSComputeRunningProcesses_v2, kOther);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetMPSComputeRunningProcesses,
             (nvmlDevice_t device, unsigned* count, nvmlProcessInfo_v1_t* rows)) {
  return LIST_OF(nvmlDeviceGetMPSComputeRunningProcesses, kOther);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetRunningProcessDetailList,
             (nvmlDevice_t device, nvmlProcessDetailList_t* list)) {
  return ours::Details(ALIQUOT_REAL(nvmlDeviceGetRunningProcessDetailList), device, list);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetAccountingPids,
             (nvmlDevice_t device, unsigned* count, unsigned* pids)) {
  return ours::AccountedPids(ALIQUOT_REAL(nvmlDeviceGetAccountingPids), device, count, pids);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetAccountingStats,
             (nvmlDevice_t device, unsigned pid, nvmlAccountingStats_t* stats)) {
  const ours::HookScope scope;
  return scope.outermost() && !ours::MayAccount(device, pid)
             ? NVML_ERROR_NOT_FOUND
             : ALIQUOT_REAL(nvmlDeviceGetAccountingStats)(device, pid, stats);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetAccountingStats_v2,
             (nvmlDevice_t device, nvmlAccountingStats_v2_t* stats)) {
  const ours::HookScope scope;
  return scope.outermost() && stats != nullptr && !ours::MayAccount(device, stats->pid)
             ? NVML_ERROR_NOT_FOUND
             : ALIQUOT_REAL(nvmlDeviceGetAccountingStats_v2)(device, stats);
}
