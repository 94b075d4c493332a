/* SPDX-License-Identifier: Apache-2.0
 * ipc share BYTES: allocates, fills with 42, prints the IPC handle and waits for a line.
 * ipc open HANDLE: opens it, prints the byte that it finds, what is free with and without it. */
#include "client.h"

static size_t Free(void) {
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  MUST(cuMemGetInfo(&free_bytes, &total_bytes));
  return free_bytes;
}

static int Share(const char* bytes) {
  CUdeviceptr pointer;
  CUipcMemHandle handle;
  const size_t size = strtoull(bytes, NULL, 10);
  MUST(cuMemAlloc(&pointer, size));
  MUST(cuMemsetD8(pointer, 42, size));
  MUST(cuIpcGetMemHandle(&handle, pointer));
  for (size_t i = 0; i < sizeof(handle); ++i) {
    printf("%02x", (unsigned char)handle.reserved[i]);
  }
  printf("\n");
  fflush(stdout);
  return getchar() == EOF ? 0 : 0;
}

static int Open(const char* text) {
  CUipcMemHandle handle;
  CUdeviceptr pointer;
  unsigned char found = 0;
  for (size_t i = 0; i < sizeof(handle); ++i) {
    unsigned byte = 0;
    sscanf(text + 2 * i, "%2x", &byte);
    handle.reserved[i] = (char)byte;
  }
  const size_t before = Free();
  MUST(cuIpcOpenMemHandle(&pointer, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  MUST(cuMemcpyDtoH(&found, pointer, 1));
  const size_t with = Free();
  printf("{\"found\": %d, \"taken\": %lld}\n", found, (long long)before - (long long)with);
  fflush(stdout);
  getchar();
  MUST(cuIpcCloseMemHandle(pointer));
  return 0;
}

int main(int count, char** words) {
  UseDevice(0);
  if (count == 3 && strcmp(words[1], "share") == 0) {
    return Share(words[2]);
  }
  return count == 3 ? Open(words[2]) : 2;
}
