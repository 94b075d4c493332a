// SPDX-License-Identifier: Apache-2.0
// simgpu-world: makes the file that simulated drivers share, and changes what it says.
//
//   simgpu-world make PROFILE FILE [--virtual] [--slice-us N] [--cuda M.N]
//   simgpu-world advance FILE NANOSECONDS     virtual time
//   simgpu-world lose FILE UUID               the card falls off the bus
//   simgpu-world find FILE UUID               and is back
//   simgpu-world show FILE                    one line of JSON
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "tests/simgpu/nvml/machine.h"
#include "tests/simgpu/world/engine.h"
#include "tests/simgpu/world/world_file.h"

namespace aliquot::simgpu {
namespace {

constexpr std::uint64_t kMib = 1ULL << 20;
constexpr std::uint64_t kReservedPart = 128;
constexpr int kUsage = 2;

void Copy(const std::string& text, char* field, std::size_t size) {
  if (text.size() >= size) {
    throw std::runtime_error("\"" + text + "\" is too long for a world");
  }
  std::memcpy(field, text.c_str(), text.size() + 1);
}

void FillUuid(const std::string& uuid, std::uint8_t* bytes) {
  int at = 0;
  std::string digits;
  for (const char c : uuid.substr(std::min<std::size_t>(4, uuid.size()))) {
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0) {
      digits += c;
    }
  }
  for (; at < 16 && static_cast<std::size_t>(2 * at + 1) < digits.size(); ++at) {
    bytes[at] = static_cast<std::uint8_t>(std::stoul(digits.substr(2 * at, 2), nullptr, 16));
  }
}

void FillCard(const Card& from, CardLayout& card) {
  Copy(from.uuid, card.uuid, sizeof(card.uuid));
  FillUuid(from.uuid, card.uuid_bytes);
  Copy(from.model, card.model, sizeof(card.model));
  Copy(from.pci, card.pci, sizeof(card.pci));
  card.minor = from.minor;
  card.cc_major = from.cc_major;
  card.cc_minor = from.cc_minor;
  card.memory = static_cast<std::uint64_t>(from.mib) * kMib;
  card.reserved = card.memory / kReservedPart;
  card.context_bytes = static_cast<std::uint64_t>(from.context_mib) * kMib;
}

int Make(const std::string& profile, const std::string& file, int count, char** options) {
  Machine machine = ReadProfile(profile);
  std::ostringstream text;
  text << std::ifstream(profile).rdbuf();
  if (machine.cards.size() > kMaxCards || text.str().size() > kMaxProfileBytes) {
    throw std::runtime_error("a world has up to 16 cards, and a profile up to 256 KiB");
  }
  // Written aside: nobody maps half a world.
  const std::string aside = file + ".new";
  WorldLayout* const world = CreateWorld(aside);
  if (world == nullptr) {
    throw std::runtime_error("cannot write " + aside);
  }
  for (int i = 0; i < count; ++i) {
    if (std::strcmp(options[i], "--virtual") == 0) {
      world->virtual_clock = 1;
      world->virtual_now = 1;
    } else if (std::strcmp(options[i], "--slice-us") == 0 && i + 1 < count) {
      world->slice_ns = std::stoull(options[++i]) * 1000;
    } else if (std::strcmp(options[i], "--cuda") == 0 && i + 1 < count) {
      int major = 0;
      int minor = 0;
      if (std::sscanf(options[++i], "%d.%d", &major, &minor) != 2) {
        return kUsage;
      }
      machine.cuda_version = 1000 * major + 10 * minor;
    } else {
      return kUsage;
    }
  }
  world->cards = static_cast<std::uint32_t>(machine.cards.size());
  for (std::size_t i = 0; i < machine.cards.size(); ++i) {
    FillCard(machine.cards[i], world->card[i]);
  }
  world->cuda_version = machine.cuda_version;
  Copy(machine.driver, world->driver, sizeof(world->driver));
  world->profile_bytes = static_cast<std::uint32_t>(text.str().size());
  std::memcpy(world->profile, text.str().data(), text.str().size());
  if (std::rename(aside.c_str(), file.c_str()) != 0) {
    throw std::runtime_error("cannot write " + file);
  }
  return 0;
}

void Show(WorldFile& file) {
  WorldLayout& world = file.layout();
  const WorldLock lock(file);
  file.Reap();
  std::printf("{\"now\": %llu, \"cards\": [", static_cast<unsigned long long>(file.Now()));
  for (int c = 0; c < static_cast<int>(world.cards); ++c) {
    AdvanceCard(world, c, file.Now());
    const CardLayout& card = world.card[c];
    std::printf(
        "%s{\"uuid\": \"%s\", \"memory\": %llu, \"used\": %llu, \"free\": %llu, "
        "\"busyNs\": %llu, \"lost\": %s, \"processes\": [",
        c == 0 ? "" : ", ", card.uuid, static_cast<unsigned long long>(card.memory),
        static_cast<unsigned long long>(MemoryUsed(world, c)),
        static_cast<unsigned long long>(MemoryFree(world, c)),
        static_cast<unsigned long long>(card.busy_ns), card.lost != 0 ? "true" : "false");
    const char* between = "";
    for (int i = 0; i < world.processes_used; ++i) {
      const ProcessCard& process = world.process[i].cards[c];
      if (world.process[i].used == 0 || (process.contexts == 0 && process.memory_bytes == 0)) {
        continue;
      }
      std::printf(
          "%s{\"pid\": %d, \"contextBytes\": %llu, \"memoryBytes\": %llu, \"busyNs\": %llu}",
          between, file.HolderOf(i), static_cast<unsigned long long>(process.context_bytes),
          static_cast<unsigned long long>(process.memory_bytes),
          static_cast<unsigned long long>(process.busy_ns));
      between = ", ";
    }
    std::printf("]}");
  }
  std::printf("]}\n");
}

int Change(const std::string& verb, const std::string& path, const char* operand) {
  setenv("ALIQUOT_SIMGPU_WORLD", path.c_str(), 1);
  WorldFile* const file = WorldFile::Open();
  if (file == nullptr) {
    return 1;
  }
  if (verb == "show") {
    Show(*file);
    return 0;
  }
  if (operand == nullptr) {
    return kUsage;
  }
  const WorldLock lock(*file);
  WorldLayout& world = file->layout();
  if (verb == "advance") {
    world.virtual_now += std::strtoull(operand, nullptr, 10);
    return 0;
  }
  for (CardLayout& card : world.card) {
    if (std::strcmp(card.uuid, operand) == 0) {
      card.lost = verb == "lose" ? 1 : 0;
      return 0;
    }
  }
  std::fprintf(stderr, "simgpu-world: %s has no card %s\n", path.c_str(), operand);
  return 1;
}

int Run(int count, char** words) {
  const std::string verb = count > 1 ? words[1] : "";
  if (verb == "make" && count >= 4) {
    return Make(words[2], words[3], count - 4, words + 4);
  }
  if (count >= 3 && (verb == "show" || verb == "advance" || verb == "lose" || verb == "find")) {
    return Change(verb, words[2], count > 3 ? words[3] : nullptr);
  }
  return kUsage;
}

}  // namespace
}  // namespace aliquot::simgpu

int main(int count, char** words) {
  try {
    const int answer = aliquot::simgpu::Run(count, words);
    if (answer == 2) {
      std::fprintf(stderr,
                   "usage: simgpu-world make PROFILE FILE [--virtual] [--slice-us N] [--cuda M.N]\n"
                   "       simgpu-world advance FILE NANOSECONDS\n"
                   "       simgpu-world lose|find FILE UUID\n"
                   "       simgpu-world show FILE\n");
    }
    return answer;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "simgpu-world: %s\n", error.what());
    return 1;
  }
}
