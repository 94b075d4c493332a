// SPDX-License-Identifier: Apache-2.0
#include "tests/simgpu/cuda/shared_block.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace aliquot::simgpu {

int AnonymousFile(std::uint64_t bytes) {
  const int descriptor = memfd_create("simgpu", MFD_CLOEXEC);
  if (descriptor >= 0 && ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

BlockLayout& BlockOf(const Entry& entry, int block) { return entry.world().layout().block[block]; }

int AddBlock(const Entry& entry, int card, std::uint64_t bytes, int descriptor) {
  struct stat about = {};
  if (fstat(descriptor, &about) != 0) {
    return -1;
  }
  const WorldLock lock(entry.world());
  for (int i = 0; i < kMaxBlocks; ++i) {
    BlockLayout& block = BlockOf(entry, i);
    if (block.used == 0) {
      block = {};
      block.used = 1;
      block.card = card;
      block.owner = entry.driver().process;
      block.bytes = bytes;
      block.device = about.st_dev;
      block.inode = about.st_ino;
      block.references[block.owner] = 1;
      return i;
    }
  }
  return -1;
}

int JoinBlock(const Entry& entry, int descriptor) {
  struct stat about = {};
  if (fstat(descriptor, &about) != 0) {
    return -1;
  }
  const WorldLock lock(entry.world());
  for (int i = 0; i < kMaxBlocks; ++i) {
    BlockLayout& block = BlockOf(entry, i);
    if (block.used != 0 && block.device == about.st_dev && block.inode == about.st_ino) {
      ++block.references[entry.driver().process];
      return i;
    }
  }
  return -1;
}

void LeaveBlock(const Entry& entry, int block) {
  const WorldLock lock(entry.world());
  DropBlock(entry.world().layout(), block, entry.driver().process, 1);
}

std::string IpcPath(std::uint64_t number) {
  return std::string(std::getenv("ALIQUOT_SIMGPU_WORLD")) + ".ipc-" + std::to_string(number);
}

}  // namespace aliquot::simgpu
