/* SPDX-License-Identifier: Apache-2.0
 * families: allocates one thing of every family and frees it, and prints by how many bytes the free
 * memory of the card was less in between and afterwards: {"pitch": [taken, left], ..}. Data that goes
 * there and does not come back ends it with 1. */
#include <unistd.h>

#include "client.h"

static size_t Free(void) {
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  MUST(cuMemGetInfo(&free_bytes, &total_bytes));
  return free_bytes;
}

static size_t before;
static size_t taken;

static void Begin(void) { before = Free(); }
static void Taken(void) { taken = before - Free(); }
static void End(const char* name) {
  static int printed = 0;
  printf("%s\"%s\": [%zu, %zu]", printed++ == 0 ? "{" : ", ", name, taken, before - Free());
}

static void MustHold(CUdeviceptr pointer, size_t bytes) {
  const unsigned wanted = 0x12345678;
  unsigned found = 0;
  MUST(cuMemcpyHtoD(pointer + bytes - sizeof(wanted), &wanted, sizeof(wanted)));
  MUST(cuMemcpyDtoH(&found, pointer + bytes - sizeof(found), sizeof(found)));
  if (found != wanted) {
    fprintf(stderr, "the last bytes of %zu came back as %x\n", bytes, found);
    exit(1);
  }
}

static void Linear(void) {
  CUdeviceptr small[3];
  CUdeviceptr large;
  size_t pitch = 0;
  Begin();
  for (int i = 0; i < 3; ++i) {
    MUST(cuMemAlloc(&small[i], 600000));
    MustHold(small[i], 600000);
  }
  Taken();
  for (int i = 0; i < 3; ++i) {
    MUST(cuMemFree(small[i]));
  }
  End("small");
  Begin();
  MUST(cuMemAlloc(&large, 5 << 20));
  MustHold(large, 5 << 20);
  Taken();
  MUST(cuMemFree(large));
  End("linear");
  Begin();
  MUST(cuMemAllocPitch(&large, &pitch, 10000, 1000, 4));
  Taken();
  MustHold(large, pitch * 1000);
  MUST(cuMemFree(large));
  End("pitch");
  Begin();
  MUST(cuMemAllocManaged(&large, 10 << 20, CU_MEM_ATTACH_GLOBAL));
  *(int*)large = 1; /* the host reaches it */
  MUST(cuMemFree(large));
  taken = 0;
  End("managed");
}

static void Arrays(void) {
  const CUDA_ARRAY_DESCRIPTOR flat = {1024, 1024, CU_AD_FORMAT_FLOAT, 4};
  const CUDA_ARRAY3D_DESCRIPTOR deep = {1024, 1024, 0, CU_AD_FORMAT_FLOAT, 4, 0};
  CUarray array;
  CUmipmappedArray mipmap;
  Begin();
  MUST(cuArrayCreate(&array, &flat));
  Taken();
  MUST(cuArrayDestroy(array));
  End("array");
  Begin();
  MUST(cuMipmappedArrayCreate(&mipmap, &deep, 2));
  Taken();
  MUST(cuMipmappedArrayDestroy(mipmap));
  End("mipmap");
}

static void Pools(void) {
  CUstream stream;
  CUmemoryPool pool;
  CUmemPoolProps properties;
  CUdeviceptr pointer;
  cuuint64_t keep = 64 << 20;
  MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  Begin();
  MUST(cuMemAllocAsync(&pointer, 40 << 20, stream));
  MustHold(pointer, 40 << 20);
  Taken();
  MUST(cuMemFreeAsync(pointer, stream));
  MUST(cuStreamSynchronize(stream));
  End("async");
  memset(&properties, 0, sizeof(properties));
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  Begin();
  MUST(cuMemPoolCreate(&pool, &properties));
  MUST(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
  MUST(cuMemAllocFromPoolAsync(&pointer, 40 << 20, pool, stream));
  MUST(cuMemFreeAsync(pointer, stream));
  MUST(cuStreamSynchronize(stream));
  Taken(); /* kept below the threshold */
  MUST(cuMemPoolTrimTo(pool, 0));
  End("pool");
  MUST(cuMemPoolDestroy(pool));
}

static void Virtual(void) {
  CUmemAllocationProp properties;
  CUmemAccessDesc access;
  CUmemGenericAllocationHandle handle;
  CUmemGenericAllocationHandle imported;
  CUdeviceptr address;
  int descriptor = -1;
  const size_t bytes = 64 << 20;
  memset(&properties, 0, sizeof(properties));
  memset(&access, 0, sizeof(access));
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  Begin();
  MUST(cuMemCreate(&handle, bytes, &properties, 0));
  MUST(cuMemAddressReserve(&address, bytes, 0, 0, 0));
  MUST(cuMemMap(address, bytes, 0, handle, 0));
  MUST(cuMemSetAccess(address, bytes, &access, 1));
  MustHold(address, bytes);
  MUST(cuMemRelease(handle));
  Taken(); /* the mapping keeps it */
  MUST(cuMemUnmap(address, bytes));
  End("map");
  Begin();
  MUST(cuMemCreate(&handle, bytes, &properties, 0));
  MUST(cuMemExportToShareableHandle(&descriptor, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  MUST(cuMemImportFromShareableHandle(&imported, (void*)(size_t)descriptor,
                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  close(descriptor);
  MUST(cuMemRelease(handle));
  Taken(); /* the imported handle keeps it */
  MUST(cuMemRelease(imported));
  End("export");
  MUST(cuMemAddressFree(address, bytes));
}

static void Graphs(void) {
  CUstream stream;
  CUgraph graph;
  CUgraphExec exec;
  CUdeviceptr pointer;
  cuuint64_t used = 0;
  size_t nodes = 0;
  MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  Begin();
  MUST(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  MUST(cuMemAllocAsync(&pointer, 40 << 20, stream));
  MUST(cuMemsetD8Async(pointer, 1, 40 << 20, stream));
  MUST(cuMemFreeAsync(pointer, stream));
  MUST(cuStreamEndCapture(stream, &graph));
  MUST(cuGraphGetNodes(graph, NULL, &nodes));
  MUST(cuGraphInstantiate(&exec, graph, 0));
  MUST(cuGraphLaunch(exec, stream));
  MUST(cuGraphLaunch(exec, stream));
  MUST(cuStreamSynchronize(stream));
  MUST(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
  Taken(); /* kept until the trim */
  MUST(cuGraphExecDestroy(exec));
  MUST(cuGraphDestroy(graph));
  MUST(cuDeviceGraphMemTrim(0));
  if (nodes != 3 || used != 0) {
    fprintf(stderr, "%zu nodes, %llu bytes in use\n", nodes, (unsigned long long)used);
    exit(1);
  }
  End("graph");
}

int main(void) {
  UseDevice(0);
  Linear();
  Arrays();
  Pools();
  Virtual();
  Graphs();
  printf("}\n");
  return 0;
}
