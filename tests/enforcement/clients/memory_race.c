/* SPDX-License-Identifier: Apache-2.0
 * memory_race FILE OPERATIONS SEED THREADS [FAMILIES]: threads that allocate by the first so many
 * families (all) and free again, beside others of their kind. FILE holds two numbers that all of
 * them share: bytes asked for and held just now, and the most that this ever was; they know nothing
 * of the library. Ends holding nothing, and prints how many requests were granted and how many
 * refused.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client.h"

enum { kMost = 24, kLargest = 96 };

typedef struct {
  atomic_ullong held;
  atomic_ullong most;
} Shared;

typedef enum { kLinear, kManaged, kArray, kPhysical, kAsync, kFamilies } Family;

typedef struct {
  Family family;
  unsigned long long bytes;
  CUdeviceptr pointer;
  CUarray array;
  CUmemGenericAllocationHandle handle;
} Holding;

static Shared* shared;
static CUcontext context;
static int operations;
static int families = kFamilies;
static atomic_ullong granted;
static atomic_ullong refused;

static CUresult Allocate(Holding* it, CUstream stream) {
  const CUDA_ARRAY_DESCRIPTOR array = {1 << 18, it->bytes >> 20, CU_AD_FORMAT_FLOAT, 1};
  CUmemAllocationProp physical;
  switch (it->family) {
    case kManaged:
      return cuMemAllocManaged(&it->pointer, it->bytes, CU_MEM_ATTACH_GLOBAL);
    case kArray:
      return cuArrayCreate(&it->array, &array);
    case kPhysical:
      memset(&physical, 0, sizeof(physical));
      physical.type = CU_MEM_ALLOCATION_TYPE_PINNED;
      physical.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
      return cuMemCreate(&it->handle, it->bytes, &physical, 0);
    case kAsync:
      return cuMemAllocAsync(&it->pointer, it->bytes, stream);
    default:
      return cuMemAlloc(&it->pointer, it->bytes);
  }
}

static void Release(Holding* it, CUstream stream) {
  atomic_fetch_sub(&shared->held, it->bytes);
  switch (it->family) {
    case kArray:
      MUST(cuArrayDestroy(it->array));
      break;
    case kPhysical:
      MUST(cuMemRelease(it->handle));
      break;
    case kAsync:
      MUST(cuMemFreeAsync(it->pointer, stream));
      break;
    default:
      MUST(cuMemFree(it->pointer));
  }
}

static void Note(unsigned long long bytes) {
  const unsigned long long now = atomic_fetch_add(&shared->held, bytes) + bytes;
  unsigned long long most = atomic_load(&shared->most);
  while (now > most && !atomic_compare_exchange_weak(&shared->most, &most, now)) {
  }
}

static void* Race(void* argument) {
  unsigned seed = *(unsigned*)argument;
  Holding mine[kMost];
  int count = 0;
  CUstream stream;
  MUST(cuCtxSetCurrent(context));
  MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (int i = 0; i < operations; ++i) {
    if (count < kMost && rand_r(&seed) % 2 == 0) {
      Holding* const it = &mine[count];
      memset(it, 0, sizeof(*it));
      it->family = (Family)(rand_r(&seed) % families);
      it->bytes = 2ULL * (1 + (unsigned)rand_r(&seed) % (kLargest / 2)) << 20;
      const CUresult result = Allocate(it, stream);
      if (result == CUDA_SUCCESS) {
        Note(it->bytes);
        atomic_fetch_add(&granted, 1);
        ++count;
      } else if (result == CUDA_ERROR_OUT_OF_MEMORY) {
        atomic_fetch_add(&refused, 1);
      } else {
        MUST(result);
      }
    } else if (count > 0) {
      Release(&mine[--count], stream);
    }
  }
  while (count > 0) {
    Release(&mine[--count], stream);
  }
  MUST(cuStreamSynchronize(stream));
  MUST(cuStreamDestroy(stream));
  return NULL;
}

int main(int count, char** words) {
  enum { kThreads = 16 };
  static pthread_t threads[kThreads];
  static unsigned seeds[kThreads];
  if (count < 5) {
    return 2;
  }
  families = count > 5 ? atoi(words[5]) : kFamilies;
  const int file = open(words[1], O_RDWR);
  const int running = atoi(words[4]);
  operations = atoi(words[2]);
  shared = mmap(NULL, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared == MAP_FAILED || running > kThreads) {
    return 2;
  }
  context = UseDevice(0);
  for (int i = 0; i < running; ++i) {
    seeds[i] = (unsigned)atoi(words[3]) * kThreads + (unsigned)i;
    pthread_create(&threads[i], NULL, Race, &seeds[i]);
  }
  for (int i = 0; i < running; ++i) {
    pthread_join(threads[i], NULL);
  }
  printf("{\"granted\": %llu, \"refused\": %llu}\n", atomic_load(&granted), atomic_load(&refused));
  return 0;
}
