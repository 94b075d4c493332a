// SPDX-License-Identifier: Apache-2.0
#include "agent/usage/process_owner.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace aliquot::agent {
namespace {

constexpr std::size_t kUidDigits = 36;
constexpr std::size_t kContainerIdDigits = 64;
constexpr std::size_t kMostCgroupBytes = 64 << 10;
constexpr int kMostThreadsTried = 16;

bool Hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// The UID of "..pod<uid>" or "..pod<uid>.slice": the systemd driver writes '_' for '-'.
std::optional<std::string> UidOf(std::string_view element) {
  constexpr std::string_view kSlice = ".slice";
  if (element.size() > kSlice.size() && element.substr(element.size() - kSlice.size()) == kSlice) {
    element.remove_suffix(kSlice.size());
  }
  const std::size_t start = element.rfind("pod");
  if (start == std::string_view::npos) {
    return std::nullopt;
  }
  std::string uid(element.substr(start + 3));
  std::replace(uid.begin(), uid.end(), '_', '-');
  const bool good = uid.size() == kUidDigits || uid.size() == 32;  // mirror pods: a hash
  return good && std::all_of(uid.begin(), uid.end(), [](char c) { return Hex(c) || c == '-'; })
             ? std::optional(uid)
             : std::nullopt;
}

// "<id>", "cri-containerd-<id>.scope", "crio-<id>.scope": the 64 hex digits in it.
std::string ContainerIdOf(std::string_view element) {
  std::size_t run = 0;
  for (std::size_t i = 0; i < element.size(); ++i) {
    run = Hex(element[i]) ? run + 1 : 0;
    const bool ends = i + 1 == element.size() || !Hex(element[i + 1]);
    if (run == kContainerIdDigits && ends) {
      return std::string(element.substr(i + 1 - run, run));
    }
  }
  return "";
}

std::optional<ProcessOwner> ParsePath(std::string_view path) {
  std::optional<ProcessOwner> owner;
  while (!path.empty()) {
    const std::string_view element = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), element.size() + 1));
    if (!owner) {
      if (auto uid = UidOf(element)) {
        owner = ProcessOwner{*std::move(uid), ""};
      }
    } else if (owner->container_id.empty()) {
      owner->container_id = ContainerIdOf(element);
    }
  }
  return owner;
}

std::string ReadGroups(const std::string& folder) {
  std::ifstream file(folder + "/cgroup", std::ios::binary);
  std::string text(kMostCgroupBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

// All its groups are "/". So are those of version 1 of a process whose first thread has ended while
// others go on: these are still in theirs.
bool IsAtRoot(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.size() < 2 || line.substr(line.size() - 2) != ":/") {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<ProcessOwner> ParseCgroup(std::string_view text) {
  std::optional<ProcessOwner> best;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t first = line.find(':');  // "<number>:<controllers>:<path>"
    const std::size_t second = first == line.npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) {
      continue;
    }
    auto owner = ParsePath(line.substr(second + 1));
    if (owner && (!best || best->container_id.empty())) {
      best = std::move(owner);
    }
  }
  return best;
}

std::optional<ProcessOwner> OwnerOf(pid_t pid, const std::string& proc) {
  const std::string folder = proc + "/" + std::to_string(pid);
  const std::string text = ReadGroups(folder);
  auto owner = ParseCgroup(text);
  if (owner || !IsAtRoot(text)) {
    return owner;
  }
  std::error_code error;
  std::filesystem::directory_iterator thread(folder + "/task", error);
  const std::filesystem::directory_iterator end;
  for (int tried = 0; !error && thread != end && tried < kMostThreadsTried; ++tried) {
    owner = ParseCgroup(ReadGroups(thread->path().string()));
    if (owner) {
      return owner;
    }
    thread.increment(error);
  }
  return std::nullopt;
}

}  // namespace aliquot::agent
