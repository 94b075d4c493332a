// SPDX-License-Identifier: Apache-2.0
// IPC handles of linear memory. What is exported moves into a file beside the world, whose number
// is the handle; it stays until the last process has let go of it.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "tests/simgpu/cuda/memory.h"
#include "tests/simgpu/cuda/shared_block.h"

namespace aliquot::simgpu {
namespace {

constexpr std::uint64_t kPage = 4096;

struct IpcHandle {
  char magic[8];
  std::uint64_t number;
  std::uint64_t size;    // of the allocation
  std::uint64_t offset;  // of the pointer in it
};
constexpr char kMagic[8] = {'S', 'I', 'M', 'G', 'P', 'U', 'I', 'P'};
static_assert(sizeof(IpcHandle) <= CU_IPC_HANDLE_SIZE);

// Pages that were written so far; the others are zero anyway.
void CopyTouched(const Range& range, int descriptor) {
  std::vector<unsigned char> there((range.reserved + kPage - 1) / kPage);
  mincore(reinterpret_cast<void*>(range.base), range.reserved, there.data());
  for (std::size_t page = 0; page < there.size(); ++page) {
    if ((there[page] & 1) != 0 &&
        pwrite(descriptor, reinterpret_cast<void*>(range.base + page * kPage), kPage,
               static_cast<off_t>(page * kPage)) < 0) {
      return;
    }
  }
}

// Puts the pages of an allocation of its own into a file that others can open.
CUresult Share(const Entry& entry, Range& range) {
  const std::uint64_t number = static_cast<std::uint64_t>(entry.driver().process) << 32 | range.id;
  const std::string path = IpcPath(number);
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0 || ftruncate(descriptor, static_cast<off_t>(range.reserved)) != 0) {
    return CUDA_ERROR_OPERATING_SYSTEM;
  }
  CopyTouched(range, descriptor);
  void* const place = mmap(reinterpret_cast<void*>(range.base), range.reserved,
                           PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, 0);
  range.block = place == MAP_FAILED ? -1 : AddBlock(entry, range.card, range.charged, descriptor);
  close(descriptor);
  if (range.block < 0) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  range.owner = reinterpret_cast<void*>(number);
  return CUDA_SUCCESS;
}

// A small allocation shares its 2 MiB with others, which a handle would give away too: a real
// driver does that. Here the handle is refused instead, as nothing needs it.
CUresult GetHandle(const Entry& entry, CUipcMemHandle* handle, CUdeviceptr pointer) {
  Range* const range = AddressSpace::Get().Find(pointer);
  if (handle == nullptr || range == nullptr || range->kind != MemoryKind::kDevice) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (range->reserved == 0) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (range->block < 0) {
    if (const CUresult answer = Share(entry, *range); answer != CUDA_SUCCESS) {
      return answer;
    }
  }
  IpcHandle out = {};
  std::memcpy(out.magic, kMagic, sizeof(kMagic));
  out.number = reinterpret_cast<std::uint64_t>(range->owner);
  out.size = range->size;
  out.offset = 0;
  std::memset(handle, 0, sizeof(*handle));
  std::memcpy(handle->reserved, &out, sizeof(out));
  return CUDA_SUCCESS;
}

CUresult OpenHandle(const Entry& entry, CUdeviceptr* pointer, const CUipcMemHandle& handle) {
  IpcHandle in = {};
  std::memcpy(&in, handle.reserved, sizeof(in));
  if (pointer == nullptr || std::memcmp(in.magic, kMagic, sizeof(kMagic)) != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (static_cast<int>(in.number >> 32) == entry.driver().process) {
    return CUDA_ERROR_INVALID_CONTEXT;  // one's own memory
  }
  const int descriptor = open(IpcPath(in.number).c_str(), O_RDWR | O_CLOEXEC);
  const int block = descriptor < 0 ? -1 : JoinBlock(entry, descriptor);
  if (block < 0) {
    close(descriptor);
    return CUDA_ERROR_INVALID_VALUE;
  }
  Range range;
  range.kind = MemoryKind::kIpc;
  range.size = in.size;
  range.reserved = RoundUp(in.size, kGranule);
  range.card = BlockOf(entry, block).card;
  range.context = entry.context();
  range.block = block;
  range.base = MapPages(range.reserved, true);
  mmap(reinterpret_cast<void*>(range.base), range.reserved, PROT_READ | PROT_WRITE,
       MAP_SHARED | MAP_FIXED, descriptor, 0);
  close(descriptor);
  *pointer = AddressSpace::Get().Add(range).base;
  return CUDA_SUCCESS;
}

CUresult CloseHandle(const Entry& entry, CUdeviceptr pointer) {
  const Range* const range = AddressSpace::Get().At(pointer);
  if (range == nullptr || range->kind != MemoryKind::kIpc) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  LeaveBlock(entry, range->block);
  UnmapPages(range->base, range->reserved);
  AddressSpace::Get().Remove(pointer);
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr pointer) {
  SIM_ENTER(kContext);
  return GetHandle(entry, handle, pointer);
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* pointer, CUipcMemHandle handle, unsigned) {
  SIM_ENTER(kContext);
  return OpenHandle(entry, pointer, handle);
}

CUresult cuIpcOpenMemHandle(CUdeviceptr* pointer, CUipcMemHandle handle, unsigned) {
  SIM_ENTER(kContext);
  return OpenHandle(entry, pointer, handle);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr pointer) {
  SIM_ENTER(kContext);
  return CloseHandle(entry, pointer);
}
