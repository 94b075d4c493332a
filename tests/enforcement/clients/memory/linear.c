/* SPDX-License-Identifier: Apache-2.0
 * Linear memory, arrays, contexts. */
#include <pthread.h>

#include "memory_commands.h"

char extra[256];
CUdeviceptr pointers[kMostObjects];
static CUarray arrays[kMostObjects];
static CUmipmappedArray mipmaps[kMostObjects];
static CUcontext contexts[kMostObjects];
static int ordinal;

typedef const unsigned long long* Arguments;

static CUresult Device(Arguments a) {
  ordinal = (int)a[0];
  UseDevice(ordinal);
  return CUDA_SUCCESS;
}

static CUresult Alloc(Arguments a) {
  const CUresult result = cuMemAlloc(&pointers[a[0]], a[1]);
  snprintf(extra, sizeof(extra), ", \"address\": %llu", pointers[a[0]]);
  return result;
}

static CUresult AllocOld(Arguments a) {
  CUresult (*alloc)(unsigned*, unsigned) = (CUresult(*)(unsigned*, unsigned))Named("cuMemAlloc");
  unsigned pointer = 0;
  const CUresult result = alloc(&pointer, (unsigned)a[1]);
  pointers[a[0]] = pointer;
  return result;
}

static CUresult Managed(Arguments a) {
  return cuMemAllocManaged(&pointers[a[0]], a[1], CU_MEM_ATTACH_GLOBAL);
}

static CUresult Pitch(Arguments a) {
  size_t pitch = 0;
  const CUresult result = cuMemAllocPitch(&pointers[a[0]], &pitch, a[1], a[2], 16);
  snprintf(extra, sizeof(extra), ", \"pitch\": %zu", pitch);
  return result;
}

static CUresult Free(Arguments a) { return cuMemFree(pointers[a[0]]); }

static CUresult FreeOld(Arguments a) {
  CUresult (*release)(unsigned) = (CUresult(*)(unsigned))Named("cuMemFree");
  return release((unsigned)pointers[a[0]]);
}

static CUresult FreeAny(Arguments a) { return cuMemFree(a[0]); }

static CUcontext current;
static CUresult freed;

static void* FreeInThread(void* pointer) {
  MUST(cuCtxSetCurrent(current));
  freed = cuMemFree(*(CUdeviceptr*)pointer);
  return NULL;
}

/* By a thread that has the caller's context. */
static CUresult FreeElsewhere(Arguments a) {
  pthread_t thread;
  MUST(cuCtxGetCurrent(&current));
  if (pthread_create(&thread, NULL, FreeInThread, &pointers[a[0]]) != 0) {
    exit(1);
  }
  pthread_join(thread, NULL);
  return freed;
}

static CUresult Array(Arguments a) {
  const CUDA_ARRAY3D_DESCRIPTOR array = {a[1],           a[2],          a[3], (CUarray_format)a[4],
                                         (unsigned)a[5], (unsigned)a[6]};
  return cuArray3DCreate(&arrays[a[0]], &array);
}

static CUresult FlatArray(Arguments a) {
  const CUDA_ARRAY_DESCRIPTOR array = {a[1], a[2], CU_AD_FORMAT_FLOAT, 1};
  return cuArrayCreate(&arrays[a[0]], &array);
}

static CUresult ArrayEnd(Arguments a) { return cuArrayDestroy(arrays[a[0]]); }

static CUresult Mipmap(Arguments a) {
  const CUDA_ARRAY3D_DESCRIPTOR array = {a[1], a[2],          a[3], CU_AD_FORMAT_UNSIGNED_INT8,
                                         4,    (unsigned)a[5]};
  return cuMipmappedArrayCreate(&mipmaps[a[0]], &array, (unsigned)a[4]);
}

static CUresult MipmapEnd(Arguments a) { return cuMipmappedArrayDestroy(mipmaps[a[0]]); }

static CUresult Context(Arguments a) {
  CUdevice device;
  MUST(cuDeviceGet(&device, ordinal));
#if CUDA_VERSION >= 13000
  return cuCtxCreate(&contexts[a[0]], NULL, 0, device);
#else
  return cuCtxCreate(&contexts[a[0]], 0, device);
#endif
}

/* The primary context is current again afterwards. */
static CUresult ContextEnd(Arguments a) {
  const CUresult result = cuCtxDestroy(contexts[a[0]]);
  UseDevice(ordinal);
  return result;
}

static CUresult Reset(Arguments a) {
  CUdevice device;
  (void)a;
  MUST(cuDeviceGet(&device, ordinal));
  const CUresult result = cuDevicePrimaryCtxReset(device);
  UseDevice(ordinal);
  return result;
}

static CUresult Info(Arguments a) {
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  (void)a;
  const CUresult result = cuMemGetInfo(&free_bytes, &total_bytes);
  snprintf(extra, sizeof(extra), ", \"free\": %zu, \"total\": %zu", free_bytes, total_bytes);
  return result;
}

static CUresult HostAlloc(Arguments a) {
  void* memory = NULL;
  return cuMemHostAlloc(&memory, a[0], 0);
}

/* The handle goes through a file of the container's, named by a number. */
static FILE* HandleFile(unsigned long long number, const char* mode) {
  char path[64];
  snprintf(path, sizeof(path), "/run/memory-handle-%llu", number);
  FILE* const file = fopen(path, mode);
  if (file == NULL) {
    perror(path);
    exit(1);
  }
  return file;
}

static CUresult IpcGet(Arguments a) {
  CUipcMemHandle handle;
  const CUresult result = cuIpcGetMemHandle(&handle, pointers[a[0]]);
  FILE* const file = HandleFile(a[1], "wb");
  fwrite(&handle, sizeof(handle), 1, file);
  fclose(file);
  return result;
}

static CUresult IpcOpen(Arguments a) {
  CUipcMemHandle handle;
  FILE* const file = HandleFile(a[1], "rb");
  if (fread(&handle, sizeof(handle), 1, file) != 1) {
    exit(1);
  }
  fclose(file);
  return cuIpcOpenMemHandle(&pointers[a[0]], handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
}

static CUresult IpcClose(Arguments a) { return cuIpcCloseMemHandle(pointers[a[0]]); }

static CUresult Nothing(Arguments a) { return cuMemAlloc(NULL, a[0]); }

const Command kLinearCommands[] = {
    {"device", Device},           {"alloc", Alloc},         {"alloc1", AllocOld},
    {"managed", Managed},         {"pitch", Pitch},         {"free", Free},
    {"free1", FreeOld},           {"freeany", FreeAny},     {"array", Array},
    {"freeother", FreeElsewhere}, {"array2", FlatArray},    {"arrayend", ArrayEnd},
    {"mipmap", Mipmap},           {"mipmapend", MipmapEnd}, {"context", Context},
    {"contextend", ContextEnd},   {"reset", Reset},         {"info", Info},
    {"hostalloc", HostAlloc},     {"ipcget", IpcGet},       {"ipcopen", IpcOpen},
    {"ipcclose", IpcClose},       {"nowhere", Nothing},     {NULL, NULL},
};
