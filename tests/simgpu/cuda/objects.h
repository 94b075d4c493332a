// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "tests/simgpu/cuda/cuda_api.h"

// What the handles of the driver API point at. All of it belongs to the process's lock.

namespace aliquot::simgpu {

struct Capture;
struct Pool;

}  // namespace aliquot::simgpu

struct CUctx_st {
  int device = 0;  // as the process numbers them
  int card = 0;    // as the world does
  int queue = -1;
  unsigned flags = 0;
  bool primary = false;
  std::uint64_t id = 0;
  std::uint64_t submissions = 0;
  std::uint32_t next_stream = 2;
  std::map<int, std::size_t> limits;
  std::uint64_t extra_bytes = 0;  // that raised limits cost
  std::set<CUstream> streams;
  std::set<CUevent> events;
  std::set<CUctx_st*> peers;
  CUstream null_stream = nullptr;
  std::map<std::thread::id, CUstream> thread_streams;
};

struct CUstream_st {
  CUcontext context = nullptr;
  std::uint32_t id = 0;
  unsigned flags = 0;
  int priority = 0;
  bool has_work = false;
  std::uint64_t last_item = 0;
  std::uint64_t last_call = 0;  // of a host function
  std::shared_ptr<aliquot::simgpu::Capture> capture;
};

struct CUevent_st {
  CUcontext context = nullptr;
  unsigned flags = 0;
  bool recorded = false;
  bool waits = false;  // for an item
  std::uint64_t item = 0;
  std::uint64_t time = 0;  // when it was recorded, or when the item was done
  std::shared_ptr<aliquot::simgpu::Capture> capture;
};

struct CUmod_st;

struct CUfunc_st {
  CUmod_st* module = nullptr;
  std::string name;
  std::vector<std::size_t> parameters;  // sizes
  bool spins = false;                   // takes as many nanoseconds as its first argument says
  std::map<int, int> attributes;
  int block[3] = {1, 1, 1};             // legacy launches
  std::vector<std::uint8_t> arguments;  // legacy launches
};

struct CUmod_st {
  CUcontext context = nullptr;
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
  std::map<std::string, std::size_t> globals;  // sizes
  std::map<std::string, CUdeviceptr> global_places;
  std::string image;
};
