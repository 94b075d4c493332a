// SPDX-License-Identifier: Apache-2.0
#include "tests/simgpu/cuda/driver.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "tests/simgpu/cuda/faults.h"
#include "tests/simgpu/world/engine.h"

namespace aliquot::simgpu {
namespace {

// CUDA_VISIBLE_DEVICES: numbers or beginnings of UUIDs; the first bad one ends the list.
std::vector<int> Chosen(const WorldLayout& world, const std::vector<int>& present) {
  const char* const text = std::getenv("CUDA_VISIBLE_DEVICES");
  if (text == nullptr) {
    return present;
  }
  std::vector<int> chosen;
  std::string rest = text;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string word = rest.substr(0, comma);
    rest.erase(0, std::min(comma + 1, rest.size()));
    int card = -1;
    if (word.compare(0, 4, "GPU-") == 0) {
      for (const int each : present) {
        card = word.compare(0, word.size(), world.card[each].uuid, word.size()) == 0 ? each : card;
      }
    } else if (!word.empty() && word.find_first_not_of("0123456789") == std::string::npos) {
      const std::size_t at = std::strtoul(word.c_str(), nullptr, 10);
      card = at < present.size() ? present[at] : -1;
    }
    if (card < 0 || std::find(chosen.begin(), chosen.end(), card) != chosen.end()) {
      break;
    }
    chosen.push_back(card);
  }
  return chosen;
}

constexpr std::size_t kPage = 4096;

const volatile char* OwnPage() {
  void* const page =
      mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(page, kPage, MADV_WIPEONFORK);
  *static_cast<volatile char*>(page) = 1;
  return static_cast<volatile char*>(page);
}

// A child of a fork has no driver; what another thread held at the fork, nobody lets go of there.
void RenewLock() { new (&Driver::Get().mutex) std::recursive_mutex; }

}  // namespace

Driver& Driver::Get() {
  static Driver* const driver = new Driver;
  return *driver;
}

CUresult Driver::Init() {
  if (initialized) {
    return *own != 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
  }
  if (world == nullptr && (world = WorldFile::Open()) == nullptr) {
    return CUDA_ERROR_NO_DEVICE;
  }
  const WorldLayout& layout = world->layout();
  std::vector<int> present;
  for (int i = 0; i < static_cast<int>(layout.cards); ++i) {
    if (CardIsThere(layout.card[i].minor) && layout.card[i].lost == 0) {
      present.push_back(i);
    }
  }
  devices = Chosen(layout, present);
  if (devices.empty()) {
    return CUDA_ERROR_NO_DEVICE;
  }
  {
    const WorldLock lock(*world);
    world->Reap();
    std::memcpy(&mark, kWorldMagic, sizeof(mark));
    process = world->Claim(&mark);
  }
  if (process < 0) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  primary.assign(devices.size(), nullptr);
  primary_users.assign(devices.size(), 0);
  primary_flags.assign(devices.size(), 0);
  own = OwnPage();
  initialized = true;
  pthread_atfork(nullptr, nullptr, &RenewLock);
  return CUDA_SUCCESS;
}

bool Driver::TakeMemory(int card, std::uint64_t bytes) {
  const WorldLock lock(*world);
  if (MemoryFree(world->layout(), card) < bytes) {
    world->Reap();
    if (MemoryFree(world->layout(), card) < bytes) {
      return false;
    }
  }
  world->layout().process[process].cards[card].memory_bytes += bytes;
  return true;
}

void Driver::GiveMemory(int card, std::uint64_t bytes) {
  const WorldLock lock(*world);
  std::uint64_t& held = world->layout().process[process].cards[card].memory_bytes;
  held -= std::min(held, bytes);
}

// Never destroyed: thread-local objects of the main thread go before its exit handlers run, and
// those may still call the driver.
std::vector<CUcontext>& ContextStack() {
  static thread_local auto* const stack = new std::vector<CUcontext>;
  return *stack;
}

CUcontext CurrentContext() {
  const std::vector<CUcontext>& stack = ContextStack();
  return stack.empty() ? nullptr : stack.back();
}

Entry::Entry(const char* function, Needs needs)
    : driver_(Driver::Get()), lock_(driver_.mutex), answer_(Begin(function, needs)) {}

CUresult Entry::Begin(const char* function, Needs needs) {
  context_ = CurrentContext();
  const bool known = context_ != nullptr && driver_.contexts.count(context_) != 0;
  if (const std::optional<int> fault = InjectedFault(function, known ? context_->card : -1)) {
    return static_cast<CUresult>(*fault);
  }
  if (needs == Needs::kNothing) {
    return CUDA_SUCCESS;
  }
  if (!driver_.initialized || *driver_.own == 0) {
    return CUDA_ERROR_NOT_INITIALIZED;
  }
  if (needs == Needs::kDriver) {
    return CUDA_SUCCESS;
  }
  if (context_ == nullptr) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  if (!known) {
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  }
  return driver_.world->layout().card[context_->card].lost != 0 ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
}

CUresult CreateContext(CUdevice device, unsigned flags, bool primary, CUcontext* made) {
  Driver& driver = Driver::Get();
  const int card = driver.devices[device];
  const WorldLock lock(*driver.world);
  WorldLayout& world = driver.world->layout();
  if (world.card[card].lost != 0) {
    return CUDA_ERROR_UNKNOWN;
  }
  const std::uint64_t cost = world.card[card].context_bytes;
  if (MemoryFree(world, card) < cost) {
    driver.world->Reap();
  }
  const int queue = MemoryFree(world, card) < cost ? -1 : OpenQueue(world, driver.process, card);
  if (queue < 0) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  ProcessCard& use = world.process[driver.process].cards[card];
  use.context_bytes += cost;
  if (use.since == 0) {
    use.since = driver.world->Now();
  }
  ++use.contexts;
  static std::uint64_t next_id = 1;
  auto* const context = new CUctx_st;
  context->device = device;
  context->card = card;
  context->queue = queue;
  context->flags = flags;
  context->primary = primary;
  context->id = next_id++;
  context->null_stream = new CUstream_st;
  context->null_stream->context = context;
  driver.contexts.insert(context);
  *made = context;
  return CUDA_SUCCESS;
}

}  // namespace aliquot::simgpu
