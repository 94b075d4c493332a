// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tests/simgpu/cuda/driver.h"

// Memory that more than one process may hold (BlockLayout): the pages are those of a file, which
// other processes reach by its descriptor or, for IPC handles, by a name beside the world.

namespace aliquot::simgpu {

// A file for so many bytes, without a name; -1 when the host has none left.
int AnonymousFile(std::uint64_t bytes);
// Registers the file's memory, whose bytes this process holds already. One reference; -1 = no room.
int AddBlock(const Entry& entry, int card, std::uint64_t bytes, int descriptor);
// The block of a file, with one reference more of this process; -1 = none.
int JoinBlock(const Entry& entry, int descriptor);
void LeaveBlock(const Entry& entry, int block);
BlockLayout& BlockOf(const Entry& entry, int block);

// The file that an IPC handle names: its path for a number of this world.
std::string IpcPath(std::uint64_t number);

}  // namespace aliquot::simgpu
