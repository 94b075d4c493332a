/* SPDX-License-Identifier: Apache-2.0
 * Physical memory that is mapped by hand. */
#include "memory_commands.h"

static CUmemGenericAllocationHandle handles[kMostObjects];
static CUdeviceptr places[kMostObjects];
static size_t sizes[kMostObjects];

typedef const unsigned long long* Arguments;

static CUresult CreateAt(Arguments a, CUmemLocationType type) {
  CUmemAllocationProp properties;
  memset(&properties, 0, sizeof(properties));
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = type;
  sizes[a[0]] = a[1];
  return cuMemCreate(&handles[a[0]], a[1], &properties, 0);
}

static CUresult Create(Arguments a) { return CreateAt(a, CU_MEM_LOCATION_TYPE_DEVICE); }

static CUresult CreateHost(Arguments a) { return CreateAt(a, CU_MEM_LOCATION_TYPE_HOST_NUMA); }

static CUresult Map(Arguments a) {
  MUST(cuMemAddressReserve(&places[a[0]], sizes[a[0]], 0, 0, 0));
  return cuMemMap(places[a[0]], sizes[a[0]], 0, handles[a[0]], 0);
}

static CUresult Unmap(Arguments a) { return cuMemUnmap(places[a[0]], sizes[a[0]]); }

static CUresult Release(Arguments a) { return cuMemRelease(handles[a[0]]); }

static CUresult Retain(Arguments a) {
  CUmemGenericAllocationHandle same = 0;
  return cuMemRetainAllocationHandle(&same, (void*)places[a[0]]);
}

const Command kMappedCommands[] = {
    {"create", Create},   {"createhost", CreateHost}, {"map", Map}, {"unmap", Unmap},
    {"release", Release}, {"retain", Retain},         {NULL, NULL},
};
