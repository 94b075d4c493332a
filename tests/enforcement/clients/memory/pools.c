/* SPDX-License-Identifier: Apache-2.0
 * Stream-ordered memory and pools. */
#include "memory_commands.h"

static CUmemoryPool pools[kMostObjects];

typedef const unsigned long long* Arguments;

static CUstream Stream(void) {
  static CUstream stream;
  if (stream == NULL) {
    MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  }
  return stream;
}

static CUresult Async(Arguments a) { return cuMemAllocAsync(&pointers[a[0]], a[1], Stream()); }

static CUresult AsyncPerThread(Arguments a) {
  CUresult (*alloc)(CUdeviceptr*, size_t, CUstream) =
      (CUresult(*)(CUdeviceptr*, size_t, CUstream))Named("cuMemAllocAsync_ptsz");
  return alloc(&pointers[a[0]], a[1], NULL);
}

static CUresult AsyncFree(Arguments a) { return cuMemFreeAsync(pointers[a[0]], Stream()); }

static CUresult Sync(Arguments a) {
  (void)a;
  return cuStreamSynchronize(Stream());
}

static CUresult Pool(Arguments a) {
  CUmemPoolProps properties;
  memset(&properties, 0, sizeof(properties));
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = (int)a[1];
  return cuMemPoolCreate(&pools[a[0]], &properties);
}

static CUresult DefaultPool(Arguments a) {
  return cuDeviceGetDefaultMemPool(&pools[a[0]], (CUdevice)a[1]);
}

static CUresult FromPool(Arguments a) {
  return cuMemAllocFromPoolAsync(&pointers[a[0]], a[2], pools[a[1]], Stream());
}

static CUresult Trim(Arguments a) { return cuMemPoolTrimTo(pools[a[0]], a[1]); }

static CUresult Keep(Arguments a) {
  cuuint64_t bytes = a[1];
  return cuMemPoolSetAttribute(pools[a[0]], CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes);
}

static CUresult PoolEnd(Arguments a) { return cuMemPoolDestroy(pools[a[0]]); }

static CUresult PoolInfo(Arguments a) {
  cuuint64_t reserved = 0;
  cuuint64_t used = 0;
  const CUresult result =
      cuMemPoolGetAttribute(pools[a[0]], CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved);
  MUST(cuMemPoolGetAttribute(pools[a[0]], CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  snprintf(extra, sizeof(extra), ", \"reserved\": %llu, \"used\": %llu",
           (unsigned long long)reserved, (unsigned long long)used);
  return result;
}

const Command kPoolCommands[] = {
    {"async", Async}, {"asyncp", AsyncPerThread}, {"asyncfree", AsyncFree}, {"sync", Sync},
    {"pool", Pool},   {"poolof", DefaultPool},    {"frompool", FromPool},   {"trim", Trim},
    {"keep", Keep},   {"poolend", PoolEnd},       {"poolinfo", PoolInfo},   {NULL, NULL},
};
