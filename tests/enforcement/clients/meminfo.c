/* SPDX-License-Identifier: Apache-2.0
 * meminfo [DEVICE]: what the driver says of a device. */
#include "client.h"

int main(int count, char** words) {
  const int ordinal = count > 1 ? atoi(words[1]) : 0;
  CUdevice device;
  CUuuid uuid;
  char name[96];
  int devices = 0;
  int version = 0;
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  size_t device_bytes = 0;
  UseDevice(ordinal);
  MUST(cuDeviceGetCount(&devices));
  MUST(cuDriverGetVersion(&version));
  MUST(cuDeviceGet(&device, ordinal));
  MUST(cuDeviceGetName(name, sizeof(name), device));
  MUST(cuDeviceGetUuid(&uuid, device));
  MUST(cuDeviceTotalMem(&device_bytes, device));
  MUST(cuMemGetInfo(&free_bytes, &total_bytes));
  printf("{\"devices\": %d, \"version\": %d, \"name\": \"%s\", \"uuid\": \"", devices, version, name);
  for (int i = 0; i < 16; ++i) {
    printf("%02x", (unsigned char)uuid.bytes[i]);
  }
  printf("\", \"deviceTotal\": %zu, \"total\": %zu, \"free\": %zu}\n", device_bytes, total_bytes,
         free_bytes);
  return 0;
}
