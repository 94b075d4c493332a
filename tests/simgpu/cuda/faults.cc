// SPDX-License-Identifier: Apache-2.0
#include "tests/simgpu/cuda/faults.h"

#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace aliquot::simgpu {
namespace {

struct CudaFault {
  std::string function;
  int card = -1;
  int error = 0;
  int after = 0;
  int times = 0;
  int calls = 0;
};

struct FaultFile {
  std::string path;
  struct stat seen = {};
  std::vector<CudaFault> faults;
};

// The value of a key in one entry, "" without it. A driver carries no YAML reader: an entry here
// stands on one line, as in the README.
std::string ValueOf(const std::string& entry, const std::string& key) {
  std::size_t at = entry.find(key + ":");
  if (at == std::string::npos) {
    return "";
  }
  at = entry.find_first_not_of(' ', at + key.size() + 1);
  const std::size_t end = entry.find_first_of(",} #\n", at);
  return at == std::string::npos ? "" : entry.substr(at, end - at);
}

int NumberOf(const std::string& entry, const std::string& key, int otherwise) {
  const std::string value = ValueOf(entry, key);
  return value.empty() ? otherwise : std::atoi(value.c_str());
}

void Read(FaultFile& file) {
  file.faults.clear();
  std::ifstream in(file.path);
  std::string line;
  while (std::getline(in, line)) {
    if (line.find("{") == std::string::npos) {
      continue;
    }
    CudaFault fault;
    fault.function = ValueOf(line, "function");
    fault.card = NumberOf(line, "card", -1);
    fault.error = NumberOf(line, "error", 999);
    fault.after = NumberOf(line, "after", 0);
    fault.times = NumberOf(line, "times", 0);
    file.faults.push_back(fault);
  }
}

// The file as it is now; read again when it has changed.
FaultFile& Faults() {
  static FaultFile* const file = [] {
    auto* const made = new FaultFile;
    const char* const path = std::getenv("ALIQUOT_SIMGPU_FAULTS");
    made->path = path == nullptr ? "" : path;
    return made;
  }();
  struct stat now = {};
  if (!file->path.empty() && stat(file->path.c_str(), &now) != 0) {
    now = {};
  }
  if (now.st_ino != file->seen.st_ino || now.st_size != file->seen.st_size ||
      now.st_mtim.tv_sec != file->seen.st_mtim.tv_sec ||
      now.st_mtim.tv_nsec != file->seen.st_mtim.tv_nsec) {
    file->seen = now;
    Read(*file);
  }
  return *file;
}

}  // namespace

std::optional<int> InjectedFault(const char* function, int card) {
  FaultFile& file = Faults();
  for (CudaFault& fault : file.faults) {
    if (fault.function != function || (fault.card >= 0 && fault.card != card)) {
      continue;
    }
    const int call = fault.calls++ - fault.after;
    if (call >= 0 && (fault.times == 0 || call < fault.times)) {
      return fault.error;
    }
  }
  return std::nullopt;
}

}  // namespace aliquot::simgpu
