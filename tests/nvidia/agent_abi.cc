// SPDX-License-Identifier: Apache-2.0
// Compared with NVIDIA's nvml.h by the compiler: compiling this is the test. Every size, offset and
// value of src/agent/gpu/nvml_abi.h must be the header's, and every function must take and give
// what the header says. Names of structures and of enumerations differ, so two types are the same
// when they pass through the C interface in the same way.
#define NVML_NO_UNVERSIONED_FUNC_DEFS  // also declares the older functions under their own names
#include <nvml.h>

#include <cstddef>
#include <type_traits>

#include "agent/gpu/nvml_abi.h"

namespace nvml = aliquot::agent::nvml;

// Which of our structures stands for which of NVIDIA's.
template <typename Ours, typename Theirs>
struct StandsFor : std::is_same<Ours, Theirs> {};

// An opaque handle stands for an opaque handle.
template <>
struct StandsFor<nvml::DeviceHandle, std::remove_pointer_t<nvmlDevice_t>> : std::true_type {};
template <>
struct StandsFor<nvml::EventSetHandle, std::remove_pointer_t<nvmlEventSet_t>> : std::true_type {};

#define SAME_STRUCTURE(Ours, Theirs)                  \
  template <>                                         \
  struct StandsFor<Ours, Theirs> : std::true_type {}; \
  static_assert(sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs), #Ours)
#define SAME_MEMBER(Ours, ours, Theirs, theirs)                     \
  static_assert(offsetof(Ours, ours) == offsetof(Theirs, theirs) && \
                    sizeof(Ours::ours) == sizeof(Theirs::theirs),   \
                #Ours "::" #ours)
#define SAME_VALUE(ours, theirs) \
  static_assert(static_cast<long long>(ours) == static_cast<long long>(theirs), #ours)

SAME_STRUCTURE(nvml::PciInfo, nvmlPciInfo_t);
SAME_MEMBER(nvml::PciInfo, bus_id_legacy, nvmlPciInfo_t, busIdLegacy);
SAME_MEMBER(nvml::PciInfo, domain, nvmlPciInfo_t, domain);
SAME_MEMBER(nvml::PciInfo, bus, nvmlPciInfo_t, bus);
SAME_MEMBER(nvml::PciInfo, device, nvmlPciInfo_t, device);
SAME_MEMBER(nvml::PciInfo, pci_device_id, nvmlPciInfo_t, pciDeviceId);
SAME_MEMBER(nvml::PciInfo, pci_subsystem_id, nvmlPciInfo_t, pciSubSystemId);
SAME_MEMBER(nvml::PciInfo, bus_id, nvmlPciInfo_t, busId);

SAME_STRUCTURE(nvml::Memory, nvmlMemory_t);
SAME_MEMBER(nvml::Memory, total, nvmlMemory_t, total);
SAME_MEMBER(nvml::Memory, free, nvmlMemory_t, free);
SAME_MEMBER(nvml::Memory, used, nvmlMemory_t, used);

SAME_STRUCTURE(nvml::MemoryV2, nvmlMemory_v2_t);
SAME_MEMBER(nvml::MemoryV2, version, nvmlMemory_v2_t, version);
SAME_MEMBER(nvml::MemoryV2, total, nvmlMemory_v2_t, total);
SAME_MEMBER(nvml::MemoryV2, reserved, nvmlMemory_v2_t, reserved);
SAME_MEMBER(nvml::MemoryV2, free, nvmlMemory_v2_t, free);
SAME_MEMBER(nvml::MemoryV2, used, nvmlMemory_v2_t, used);

SAME_STRUCTURE(nvml::TemperatureV1, nvmlTemperature_v1_t);
SAME_MEMBER(nvml::TemperatureV1, version, nvmlTemperature_v1_t, version);
SAME_MEMBER(nvml::TemperatureV1, sensor, nvmlTemperature_v1_t, sensorType);
SAME_MEMBER(nvml::TemperatureV1, celsius, nvmlTemperature_v1_t, temperature);

SAME_STRUCTURE(nvml::Utilization, nvmlUtilization_t);
SAME_MEMBER(nvml::Utilization, gpu, nvmlUtilization_t, gpu);
SAME_MEMBER(nvml::Utilization, memory, nvmlUtilization_t, memory);

SAME_STRUCTURE(nvml::ProcessInfo, nvmlProcessInfo_t);
static_assert(sizeof(nvml::ProcessInfo) == sizeof(nvmlProcessInfo_v2_t), "_v2 and _v3 agree");
SAME_MEMBER(nvml::ProcessInfo, pid, nvmlProcessInfo_t, pid);
SAME_MEMBER(nvml::ProcessInfo, used_gpu_memory, nvmlProcessInfo_t, usedGpuMemory);
SAME_MEMBER(nvml::ProcessInfo, gpu_instance_id, nvmlProcessInfo_t, gpuInstanceId);
SAME_MEMBER(nvml::ProcessInfo, compute_instance_id, nvmlProcessInfo_t, computeInstanceId);

SAME_STRUCTURE(nvml::ProcessSample, nvmlProcessUtilizationSample_t);
SAME_MEMBER(nvml::ProcessSample, pid, nvmlProcessUtilizationSample_t, pid);
SAME_MEMBER(nvml::ProcessSample, timestamp, nvmlProcessUtilizationSample_t, timeStamp);
SAME_MEMBER(nvml::ProcessSample, sm_percent, nvmlProcessUtilizationSample_t, smUtil);
SAME_MEMBER(nvml::ProcessSample, memory_percent, nvmlProcessUtilizationSample_t, memUtil);
SAME_MEMBER(nvml::ProcessSample, encoder_percent, nvmlProcessUtilizationSample_t, encUtil);
SAME_MEMBER(nvml::ProcessSample, decoder_percent, nvmlProcessUtilizationSample_t, decUtil);

SAME_STRUCTURE(nvml::EventData, nvmlEventData_t);
SAME_MEMBER(nvml::EventData, device, nvmlEventData_t, device);
SAME_MEMBER(nvml::EventData, type, nvmlEventData_t, eventType);
SAME_MEMBER(nvml::EventData, data, nvmlEventData_t, eventData);
SAME_MEMBER(nvml::EventData, gpu_instance_id, nvmlEventData_t, gpuInstanceId);
SAME_MEMBER(nvml::EventData, compute_instance_id, nvmlEventData_t, computeInstanceId);

SAME_STRUCTURE(nvml::Value, nvmlValue_t);
SAME_MEMBER(nvml::Value, double_value, nvmlValue_t, dVal);
SAME_MEMBER(nvml::Value, signed_int, nvmlValue_t, siVal);
SAME_MEMBER(nvml::Value, unsigned_int, nvmlValue_t, uiVal);
SAME_MEMBER(nvml::Value, unsigned_long, nvmlValue_t, ulVal);
SAME_MEMBER(nvml::Value, unsigned_long_long, nvmlValue_t, ullVal);
SAME_MEMBER(nvml::Value, signed_long_long, nvmlValue_t, sllVal);

SAME_STRUCTURE(nvml::FieldValue, nvmlFieldValue_t);
SAME_MEMBER(nvml::FieldValue, field_id, nvmlFieldValue_t, fieldId);
SAME_MEMBER(nvml::FieldValue, scope_id, nvmlFieldValue_t, scopeId);
SAME_MEMBER(nvml::FieldValue, timestamp, nvmlFieldValue_t, timestamp);
SAME_MEMBER(nvml::FieldValue, latency_us, nvmlFieldValue_t, latencyUsec);
SAME_MEMBER(nvml::FieldValue, value_type, nvmlFieldValue_t, valueType);
SAME_MEMBER(nvml::FieldValue, result, nvmlFieldValue_t, nvmlReturn);
SAME_MEMBER(nvml::FieldValue, value, nvmlFieldValue_t, value);

SAME_VALUE(nvml::Return::kSuccess, NVML_SUCCESS);
SAME_VALUE(nvml::Return::kUninitialized, NVML_ERROR_UNINITIALIZED);
SAME_VALUE(nvml::Return::kInvalidArgument, NVML_ERROR_INVALID_ARGUMENT);
SAME_VALUE(nvml::Return::kNotSupported, NVML_ERROR_NOT_SUPPORTED);
SAME_VALUE(nvml::Return::kNoPermission, NVML_ERROR_NO_PERMISSION);
SAME_VALUE(nvml::Return::kNotFound, NVML_ERROR_NOT_FOUND);
SAME_VALUE(nvml::Return::kInsufficientSize, NVML_ERROR_INSUFFICIENT_SIZE);
SAME_VALUE(nvml::Return::kInsufficientPower, NVML_ERROR_INSUFFICIENT_POWER);
SAME_VALUE(nvml::Return::kDriverNotLoaded, NVML_ERROR_DRIVER_NOT_LOADED);
SAME_VALUE(nvml::Return::kTimeout, NVML_ERROR_TIMEOUT);
SAME_VALUE(nvml::Return::kIrqIssue, NVML_ERROR_IRQ_ISSUE);
SAME_VALUE(nvml::Return::kLibraryNotFound, NVML_ERROR_LIBRARY_NOT_FOUND);
SAME_VALUE(nvml::Return::kFunctionNotFound, NVML_ERROR_FUNCTION_NOT_FOUND);
SAME_VALUE(nvml::Return::kGpuIsLost, NVML_ERROR_GPU_IS_LOST);
SAME_VALUE(nvml::Return::kResetRequired, NVML_ERROR_RESET_REQUIRED);
SAME_VALUE(nvml::Return::kOperatingSystem, NVML_ERROR_OPERATING_SYSTEM);
SAME_VALUE(nvml::Return::kLibRmVersionMismatch, NVML_ERROR_LIB_RM_VERSION_MISMATCH);
SAME_VALUE(nvml::Return::kInUse, NVML_ERROR_IN_USE);
SAME_VALUE(nvml::Return::kMemory, NVML_ERROR_MEMORY);
SAME_VALUE(nvml::Return::kNoData, NVML_ERROR_NO_DATA);
SAME_VALUE(nvml::Return::kUnknown, NVML_ERROR_UNKNOWN);
SAME_VALUE(nvml::EnableState::kDisabled, NVML_FEATURE_DISABLED);
SAME_VALUE(nvml::EnableState::kEnabled, NVML_FEATURE_ENABLED);
SAME_VALUE(nvml::TopologyLevel::kInternal, NVML_TOPOLOGY_INTERNAL);
SAME_VALUE(nvml::TopologyLevel::kSingle, NVML_TOPOLOGY_SINGLE);
SAME_VALUE(nvml::TopologyLevel::kMultiple, NVML_TOPOLOGY_MULTIPLE);
SAME_VALUE(nvml::TopologyLevel::kHostBridge, NVML_TOPOLOGY_HOSTBRIDGE);
SAME_VALUE(nvml::TopologyLevel::kNode, NVML_TOPOLOGY_NODE);
SAME_VALUE(nvml::TopologyLevel::kSystem, NVML_TOPOLOGY_SYSTEM);
SAME_VALUE(nvml::LinkDeviceType::kGpu, NVML_NVLINK_DEVICE_TYPE_GPU);
SAME_VALUE(nvml::LinkDeviceType::kIbmNpu, NVML_NVLINK_DEVICE_TYPE_IBMNPU);
SAME_VALUE(nvml::LinkDeviceType::kSwitch, NVML_NVLINK_DEVICE_TYPE_SWITCH);
SAME_VALUE(nvml::LinkDeviceType::kUnknown, NVML_NVLINK_DEVICE_TYPE_UNKNOWN);
SAME_VALUE(nvml::TemperatureSensor::kGpu, NVML_TEMPERATURE_GPU);
SAME_VALUE(nvml::ValueType::kDouble, NVML_VALUE_TYPE_DOUBLE);
SAME_VALUE(nvml::ValueType::kUnsignedInt, NVML_VALUE_TYPE_UNSIGNED_INT);
SAME_VALUE(nvml::ValueType::kUnsignedLong, NVML_VALUE_TYPE_UNSIGNED_LONG);
SAME_VALUE(nvml::ValueType::kUnsignedLongLong, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG);
SAME_VALUE(nvml::ValueType::kSignedLongLong, NVML_VALUE_TYPE_SIGNED_LONG_LONG);
SAME_VALUE(nvml::ValueType::kSignedInt, NVML_VALUE_TYPE_SIGNED_INT);

SAME_VALUE(nvml::kUuidSize, NVML_DEVICE_UUID_V2_BUFFER_SIZE);
SAME_VALUE(nvml::kNameSize, NVML_DEVICE_NAME_V2_BUFFER_SIZE);
SAME_VALUE(nvml::kDriverVersionSize, NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE);
SAME_VALUE(nvml::kMemoryV2Version, nvmlMemory_v2);
SAME_VALUE(nvml::kTemperatureV1Version, nvmlTemperature_v1);
SAME_VALUE(nvml::kMemoryNotAvailable, NVML_VALUE_NOT_AVAILABLE);
SAME_VALUE(nvml::kEventXidCritical, nvmlEventTypeXidCriticalError);
SAME_VALUE(nvml::kEventDoubleBitEcc, nvmlEventTypeDoubleBitEccError);
SAME_VALUE(nvml::kFieldNvlinkState, NVML_FI_DEV_NVLINK_GET_STATE);
SAME_VALUE(nvml::kFieldC2cLinkCount, NVML_FI_DEV_C2C_LINK_COUNT);
SAME_VALUE(nvml::kFieldC2cLinkStatus, NVML_FI_DEV_C2C_LINK_GET_STATUS);
// Older headers know fewer links.
static_assert(nvml::kMaxNvlinks >= NVML_NVLINK_MAX_LINKS, "kMaxNvlinks");

// An argument or a result of a function.
template <typename Ours, typename Theirs>
constexpr bool PassesAlike() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    return PassesAlike<std::remove_pointer_t<Ours>, std::remove_pointer_t<Theirs>>();
  } else if constexpr (std::is_enum_v<Ours>) {
    // Some of NVML's enumerations are plain numbers.
    return (std::is_enum_v<Theirs> || std::is_integral_v<Theirs>)&&sizeof(Ours) == sizeof(Theirs);
  } else {
    return StandsFor<Ours, Theirs>::value;
  }
}

template <typename Ours, typename Theirs>
struct SameSignature : std::false_type {};
template <typename Ours, typename... OurArguments, typename Theirs, typename... TheirArguments>
struct SameSignature<Ours (*)(OurArguments...), Theirs (*)(TheirArguments...)> {
  static constexpr bool Compare() {
    if constexpr (sizeof...(OurArguments) == sizeof...(TheirArguments)) {
      return PassesAlike<Ours, Theirs>() && (PassesAlike<OurArguments, TheirArguments>() && ...);
    }
    return false;
  }
  static constexpr bool value = Compare();
};

#define SAME_FUNCTION(need, member, symbol, older, result, arguments)                         \
  static_assert(SameSignature<decltype(nvml::Functions::member), decltype(&::symbol)>::value, \
                #symbol);
ALIQUOT_NVML_FUNCTIONS(SAME_FUNCTION)

// Older names that newer headers still declare.
#define SAME_OLDER(member, symbol)                                                            \
  static_assert(SameSignature<decltype(nvml::Functions::member), decltype(&::symbol)>::value, \
                #symbol)
SAME_OLDER(init, nvmlInit);
SAME_OLDER(count, nvmlDeviceGetCount);
SAME_OLDER(handle_by_index, nvmlDeviceGetHandleByIndex);
SAME_OLDER(pci_info, nvmlDeviceGetPciInfo_v2);
SAME_OLDER(nvlink_remote_pci, nvmlDeviceGetNvLinkRemotePciInfo);
SAME_OLDER(event_set_wait, nvmlEventSetWait);
#define SAME_PROCESS_LIST(member, symbol)                                                         \
  static_assert(std::is_same_v<decltype(&::symbol),                                               \
                               nvmlReturn_t (*)(nvmlDevice_t, unsigned*, nvmlProcessInfo_v2_t*)>, \
                #symbol)
SAME_PROCESS_LIST(compute_processes, nvmlDeviceGetComputeRunningProcesses_v2);
SAME_PROCESS_LIST(graphics_processes, nvmlDeviceGetGraphicsRunningProcesses_v2);
SAME_PROCESS_LIST(mps_processes, nvmlDeviceGetMPSComputeRunningProcesses_v2);
