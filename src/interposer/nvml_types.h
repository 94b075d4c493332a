// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of NVML's binary interface that hooks stand in, by the API reference of NVML
// (https://docs.nvidia.com/deploy/nvml-api/). Names are the header's, so that a hook reads as the
// function that it stands for. tests/nvidia compares all of it with nvml.h. Bytes and microseconds.

extern "C" {

typedef struct nvmlDevice_st* nvmlDevice_t;

// Only the values that a hook makes or tells apart; every other one passes through as it is.
typedef enum nvmlReturn_enum : unsigned {
  NVML_SUCCESS = 0,
  NVML_ERROR_UNINITIALIZED = 1,
  NVML_ERROR_INVALID_ARGUMENT = 2,
  NVML_ERROR_NOT_SUPPORTED = 3,
  NVML_ERROR_NO_PERMISSION = 4,
  NVML_ERROR_NOT_FOUND = 6,
  NVML_ERROR_INSUFFICIENT_SIZE = 7,
  NVML_ERROR_FUNCTION_NOT_FOUND = 13,
  NVML_ERROR_ARGUMENT_VERSION_MISMATCH = 25,
} nvmlReturn_t;

typedef enum nvmlGpuLevel_enum : unsigned {
  NVML_TOPOLOGY_INTERNAL = 0,
} nvmlGpuTopologyLevel_t;

typedef enum nvmlSamplingType_enum : unsigned {
  NVML_GPU_UTILIZATION_SAMPLES = 1,
  NVML_MEMORY_UTILIZATION_SAMPLES = 2,
} nvmlSamplingType_t;

typedef enum nvmlValueType_enum : unsigned {
  NVML_VALUE_TYPE_DOUBLE = 0,
} nvmlValueType_t;

// Passed through, never looked into.
typedef struct nvmlSample_st nvmlSample_t;
typedef struct nvmlUUID_st nvmlUUID_t;
typedef struct nvmlAccountingStats_st nvmlAccountingStats_t;

typedef struct nvmlPciInfo_st {
  char busIdLegacy[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned pciDeviceId;
  unsigned pciSubSystemId;
  char busId[32];
} nvmlPciInfo_t;

typedef struct nvmlMemory_st {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
} nvmlMemory_t;

typedef struct nvmlMemory_v2_st {
  unsigned version;
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
} nvmlMemory_v2_t;

typedef struct nvmlUtilization_st {
  unsigned gpu;
  unsigned memory;
} nvmlUtilization_t;

typedef struct nvmlProcessInfo_v1_st {
  unsigned pid;
  unsigned long long usedGpuMemory;
} nvmlProcessInfo_v1_t;

typedef struct nvmlProcessInfo_v2_st {
  unsigned pid;
  unsigned long long usedGpuMemory;
  unsigned gpuInstanceId;      // ~0 = of no MIG instance
  unsigned computeInstanceId;  // ~0 likewise
} nvmlProcessInfo_v2_t, nvmlProcessInfo_t;

typedef struct nvmlProcessDetail_v1_st {
  unsigned pid;
  unsigned long long usedGpuMemory;
  unsigned gpuInstanceId;
  unsigned computeInstanceId;
  unsigned long long usedGpuCcProtectedMemory;
} nvmlProcessDetail_v1_t;

typedef struct nvmlProcessDetailList_v1_st {
  unsigned version;
  unsigned mode;  // 0 compute, 1 graphics, 2 MPS
  unsigned numProcArrayEntries;
  nvmlProcessDetail_v1_t* procArray;
} nvmlProcessDetailList_v1_t, nvmlProcessDetailList_t;

typedef struct nvmlProcessUtilizationSample_st {
  unsigned pid;
  unsigned long long timeStamp;
  unsigned smUtil;
  unsigned memUtil;
  unsigned encUtil;
  unsigned decUtil;
} nvmlProcessUtilizationSample_t;

typedef struct nvmlProcessUtilizationInfo_v1_st {
  unsigned long long timeStamp;
  unsigned pid;
  unsigned smUtil;
  unsigned memUtil;
  unsigned encUtil;
  unsigned decUtil;
  unsigned jpgUtil;
  unsigned ofaUtil;
} nvmlProcessUtilizationInfo_v1_t;

typedef struct nvmlProcessesUtilizationInfo_v1_st {
  unsigned version;
  unsigned processSamplesCount;
  unsigned long long lastSeenTimeStamp;
  nvmlProcessUtilizationInfo_v1_t* procUtilArray;
} nvmlProcessesUtilizationInfo_v1_t, nvmlProcessesUtilizationInfo_t;

typedef struct nvmlAccountingStats_v2_st {
  unsigned pid;
  unsigned isRunning;
  unsigned gpuUtilization;
  unsigned memoryUtilization;
  unsigned long long maxMemoryUsage;
  unsigned sampleCount;
  unsigned long long sumGpuUtil;
  unsigned long long sumFbUtil;
  unsigned long long time;
  unsigned long long startTime;
} nvmlAccountingStats_v2_t;

}  // extern "C"

namespace aliquot::interposer {

// How NVML numbers the versions of a structure.
template <typename Structure>
constexpr unsigned NvmlVersion(unsigned version) {
  return static_cast<unsigned>(sizeof(Structure)) | version << 24;
}

}  // namespace aliquot::interposer
