/* SPDX-License-Identifier: Apache-2.0
 * nvmlinfo: what NVML says of the first card, and how many it shows. */
#include <nvml.h>
#include <stdio.h>

static int Failed(const char* what, nvmlReturn_t result) {
  fprintf(stderr, "%s = %d\n", what, result);
  return 1;
}

int main(void) {
  unsigned count = 0;
  nvmlDevice_t device;
  nvmlMemory_t memory;
  char uuid[NVML_DEVICE_UUID_V2_BUFFER_SIZE];
  nvmlReturn_t result = nvmlInit_v2();
  if (result != NVML_SUCCESS) {
    return Failed("nvmlInit_v2", result);
  }
  if ((result = nvmlDeviceGetCount_v2(&count)) != NVML_SUCCESS) {
    return Failed("nvmlDeviceGetCount_v2", result);
  }
  if ((result = nvmlDeviceGetHandleByIndex_v2(0, &device)) != NVML_SUCCESS ||
      (result = nvmlDeviceGetUUID(device, uuid, sizeof(uuid))) != NVML_SUCCESS ||
      (result = nvmlDeviceGetMemoryInfo(device, &memory)) != NVML_SUCCESS) {
    return Failed("the first card", result);
  }
  printf("{\"devices\": %u, \"uuid\": \"%s\", \"total\": %llu, \"used\": %llu, \"free\": %llu}\n",
         count, uuid, memory.total, memory.used, memory.free);
  nvmlShutdown();
  return 0;
}
