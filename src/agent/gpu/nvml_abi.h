// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of NVML's binary interface that the agent calls, declared here so that no NVIDIA header
// is needed to build: what the library takes and gives, by the API reference of NVML
// (https://docs.nvidia.com/deploy/nvml-api/). tests/nvidia compares every size, offset, value
// and signature below with NVIDIA's own nvml.h. Units are NVML's: bytes, milliwatts, microseconds.

namespace aliquot::agent::nvml {

enum class Return : unsigned {
  kSuccess = 0,
  kUninitialized = 1,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNoPermission = 4,
  kNotFound = 6,
  kInsufficientSize = 7,
  kInsufficientPower = 8,
  kDriverNotLoaded = 9,
  kTimeout = 10,
  kIrqIssue = 11,
  kLibraryNotFound = 12,
  kFunctionNotFound = 13,
  kGpuIsLost = 15,
  kResetRequired = 16,
  kOperatingSystem = 17,
  kLibRmVersionMismatch = 18,
  kInUse = 19,
  kMemory = 20,
  kNoData = 21,
  kUnknown = 999,
};

enum class EnableState : unsigned { kDisabled = 0, kEnabled = 1 };

// The closest place that two cards have in common.
enum class TopologyLevel : unsigned {
  kInternal = 0,  // one board
  kSingle = 10,
  kMultiple = 20,
  kHostBridge = 30,
  kNode = 40,
  kSystem = 50,
};

enum class LinkDeviceType : unsigned { kGpu = 0, kIbmNpu = 1, kSwitch = 2, kUnknown = 255 };

enum class TemperatureSensor : unsigned { kGpu = 0 };

enum class ValueType : unsigned {
  kDouble = 0,
  kUnsignedInt = 1,
  kUnsignedLong = 2,
  kUnsignedLongLong = 3,
  kSignedLongLong = 4,
  kSignedInt = 5,
};

struct DeviceHandle;  // NVML's own
using Device = DeviceHandle*;
struct EventSetHandle;  // NVML's own
using EventSet = EventSetHandle*;

inline constexpr unsigned kUuidSize = 96;
inline constexpr unsigned kNameSize = 96;
inline constexpr unsigned kDriverVersionSize = 80;
inline constexpr unsigned kMaxNvlinks = 36;

// Up to `device` all versions of the call agree; the older ones fill no bus_id.
struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned pci_device_id;  // device << 16 | vendor
  unsigned pci_subsystem_id;
  char bus_id[32];  // "00000000:3B:00.0"
};

struct Memory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;  // what the driver keeps for itself included
};

struct MemoryV2 {
  unsigned version;  // in: kMemoryV2Version
  unsigned long long total;
  unsigned long long reserved;  // what the driver keeps for itself
  unsigned long long free;
  unsigned long long used;
};
inline constexpr unsigned kMemoryV2Version = sizeof(MemoryV2) | 2U << 24;

struct Utilization {
  unsigned gpu;
  unsigned memory;
};

struct TemperatureV1 {
  unsigned version;          // in: kTemperatureV1Version
  TemperatureSensor sensor;  // in
  int celsius;
};
inline constexpr unsigned kTemperatureV1Version = sizeof(TemperatureV1) | 1U << 24;

inline constexpr unsigned long long kMemoryNotAvailable = ~0ULL;

struct ProcessInfo {
  unsigned pid;
  unsigned long long used_gpu_memory;  // kMemoryNotAvailable = the driver does not say
  unsigned gpu_instance_id;
  unsigned compute_instance_id;
};

struct ProcessSample {
  unsigned pid;
  unsigned long long timestamp;
  unsigned sm_percent;
  unsigned memory_percent;
  unsigned encoder_percent;
  unsigned decoder_percent;
};

inline constexpr unsigned long long kEventDoubleBitEcc = 0x2;
inline constexpr unsigned long long kEventXidCritical = 0x8;

struct EventData {
  Device device;
  unsigned long long type;
  unsigned long long data;  // the XID
  unsigned gpu_instance_id;
  unsigned compute_instance_id;
};

inline constexpr unsigned kFieldNvlinkState = 165;  // scope: the link; 0 = inactive
inline constexpr unsigned kFieldC2cLinkCount = 170;
inline constexpr unsigned kFieldC2cLinkStatus = 171;  // scope: the link; 1 = active

union Value {
  double double_value;
  int signed_int;
  unsigned unsigned_int;
  unsigned long unsigned_long;
  unsigned long long unsigned_long_long;
  signed long long signed_long_long;
};

struct FieldValue {
  unsigned field_id;  // in
  unsigned scope_id;  // in
  long long timestamp;
  long long latency_us;
  ValueType value_type;
  Return result;
  Value value;  // only when result is kSuccess
};

// Every function that is called, one line each: X(need, member, symbol, older symbol, result,
// (arguments)). `older` is tried when `symbol` is missing and is called in the same way; it is
// `symbol` again where there is none. kNeeded = a driver without it is too old for the agent,
// kOptional = what it tells is left out.
#define ALIQUOT_NVML_FUNCTIONS(X)                                                                 \
  X(kNeeded, init, nvmlInit_v2, nvmlInit, Return, ())                                             \
  X(kNeeded, shutdown, nvmlShutdown, nvmlShutdown, Return, ())                                    \
  X(kOptional, error_string, nvmlErrorString, nvmlErrorString, const char*, (Return))             \
  X(kNeeded, driver_version, nvmlSystemGetDriverVersion, nvmlSystemGetDriverVersion, Return,      \
    (char*, unsigned))                                                                            \
  X(kNeeded, count, nvmlDeviceGetCount_v2, nvmlDeviceGetCount, Return, (unsigned*))               \
  X(kNeeded, handle_by_index, nvmlDeviceGetHandleByIndex_v2, nvmlDeviceGetHandleByIndex, Return,  \
    (unsigned, Device*))                                                                          \
  X(kNeeded, uuid, nvmlDeviceGetUUID, nvmlDeviceGetUUID, Return, (Device, char*, unsigned))       \
  X(kNeeded, minor, nvmlDeviceGetMinorNumber, nvmlDeviceGetMinorNumber, Return,                   \
    (Device, unsigned*))                                                                          \
  X(kNeeded, model, nvmlDeviceGetName, nvmlDeviceGetName, Return, (Device, char*, unsigned))      \
  X(kNeeded, memory, nvmlDeviceGetMemoryInfo, nvmlDeviceGetMemoryInfo, Return, (Device, Memory*)) \
  X(kOptional, memory_v2, nvmlDeviceGetMemoryInfo_v2, nvmlDeviceGetMemoryInfo_v2, Return,         \
    (Device, MemoryV2*))                                                                          \
  X(kNeeded, pci_info, nvmlDeviceGetPciInfo_v3, nvmlDeviceGetPciInfo_v2, Return,                  \
    (Device, PciInfo*))                                                                           \
  X(kOptional, cpu_affinity, nvmlDeviceGetCpuAffinity, nvmlDeviceGetCpuAffinity, Return,          \
    (Device, unsigned, unsigned long*))                                                           \
  X(kOptional, compute_capability, nvmlDeviceGetCudaComputeCapability,                            \
    nvmlDeviceGetCudaComputeCapability, Return, (Device, int*, int*))                             \
  X(kOptional, mig_mode, nvmlDeviceGetMigMode, nvmlDeviceGetMigMode, Return,                      \
    (Device, unsigned*, unsigned*))                                                               \
  X(kOptional, common_ancestor, nvmlDeviceGetTopologyCommonAncestor,                              \
    nvmlDeviceGetTopologyCommonAncestor, Return, (Device, Device, TopologyLevel*))                \
  X(kOptional, nvlink_state, nvmlDeviceGetNvLinkState, nvmlDeviceGetNvLinkState, Return,          \
    (Device, unsigned, EnableState*))                                                             \
  X(kOptional, nvlink_remote_pci, nvmlDeviceGetNvLinkRemotePciInfo_v2,                            \
    nvmlDeviceGetNvLinkRemotePciInfo, Return, (Device, unsigned, PciInfo*))                       \
  X(kOptional, nvlink_remote_type, nvmlDeviceGetNvLinkRemoteDeviceType,                           \
    nvmlDeviceGetNvLinkRemoteDeviceType, Return, (Device, unsigned, LinkDeviceType*))             \
  X(kOptional, field_values, nvmlDeviceGetFieldValues, nvmlDeviceGetFieldValues, Return,          \
    (Device, int, FieldValue*))                                                                   \
  X(kOptional, event_set_create, nvmlEventSetCreate, nvmlEventSetCreate, Return, (EventSet*))     \
  X(kOptional, event_set_free, nvmlEventSetFree, nvmlEventSetFree, Return, (EventSet))            \
  X(kOptional, supported_events, nvmlDeviceGetSupportedEventTypes,                                \
    nvmlDeviceGetSupportedEventTypes, Return, (Device, unsigned long long*))                      \
  X(kOptional, register_events, nvmlDeviceRegisterEvents, nvmlDeviceRegisterEvents, Return,       \
    (Device, unsigned long long, EventSet))                                                       \
  X(kOptional, event_set_wait, nvmlEventSetWait_v2, nvmlEventSetWait, Return,                     \
    (EventSet, EventData*, unsigned))                                                             \
  X(kOptional, remapped_rows, nvmlDeviceGetRemappedRows, nvmlDeviceGetRemappedRows, Return,       \
    (Device, unsigned*, unsigned*, unsigned*, unsigned*))                                         \
  X(kOptional, retired_pages_pending, nvmlDeviceGetRetiredPagesPendingStatus,                     \
    nvmlDeviceGetRetiredPagesPendingStatus, Return, (Device, EnableState*))                       \
  X(kOptional, utilization, nvmlDeviceGetUtilizationRates, nvmlDeviceGetUtilizationRates, Return, \
    (Device, Utilization*))                                                                       \
  X(kOptional, temperature, nvmlDeviceGetTemperature, nvmlDeviceGetTemperature, Return,           \
    (Device, TemperatureSensor, unsigned*))                                                       \
  X(kOptional, temperature_v, nvmlDeviceGetTemperatureV, nvmlDeviceGetTemperatureV, Return,       \
    (Device, TemperatureV1*))                                                                     \
  X(kOptional, power, nvmlDeviceGetPowerUsage, nvmlDeviceGetPowerUsage, Return,                   \
    (Device, unsigned*))                                                                          \
  X(kOptional, compute_processes, nvmlDeviceGetComputeRunningProcesses_v3,                        \
    nvmlDeviceGetComputeRunningProcesses_v2, Return, (Device, unsigned*, ProcessInfo*))           \
  X(kOptional, graphics_processes, nvmlDeviceGetGraphicsRunningProcesses_v3,                      \
    nvmlDeviceGetGraphicsRunningProcesses_v2, Return, (Device, unsigned*, ProcessInfo*))          \
  X(kOptional, mps_processes, nvmlDeviceGetMPSComputeRunningProcesses_v3,                         \
    nvmlDeviceGetMPSComputeRunningProcesses_v2, Return, (Device, unsigned*, ProcessInfo*))        \
  X(kOptional, process_utilization, nvmlDeviceGetProcessUtilization,                              \
    nvmlDeviceGetProcessUtilization, Return,                                                      \
    (Device, ProcessSample*, unsigned*, unsigned long long))

// The loaded functions; an optional one that the library lacks is nullptr.
struct Functions {
#define ALIQUOT_NVML_MEMBER(need, member, symbol, older, result, arguments) \
  result(*member) arguments = nullptr;
  ALIQUOT_NVML_FUNCTIONS(ALIQUOT_NVML_MEMBER)
#undef ALIQUOT_NVML_MEMBER
};

}  // namespace aliquot::agent::nvml
