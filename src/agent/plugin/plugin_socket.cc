// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/plugin_socket.h"

#include <dirent.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <vector>

#include "base/strings.h"

namespace aliquot::agent {
namespace {

constexpr std::string_view kOurPrefix = "aliquot-";
constexpr std::string_view kSocketSuffix = ".sock";
constexpr std::size_t kMaxSocketPath = sizeof(sockaddr_un::sun_path) - 1;

// Only a refusal proves that no process listens.
bool RefusesConnections(const std::string& path) {
  if (path.size() > kMaxSocketPath) return false;
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (socket < 0) return false;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int result =
      ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  const bool refused = result != 0 && errno == ECONNREFUSED;
  ::close(socket);
  return refused;
}

bool OurName(std::string_view name) {
  return StartsWith(name, kOurPrefix) && name.size() > kSocketSuffix.size() &&
         name.substr(name.size() - kSocketSuffix.size()) == kSocketSuffix;
}

}  // namespace

std::string PluginSocketName(std::string_view kind, std::string_view nonce) {
  return std::string(kOurPrefix) + std::string(kind) + "-" + std::string(nonce) +
         std::string(kSocketSuffix);
}

std::string RandomNonce() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::random_device source;
  std::uint32_t bits = source();
  std::string nonce;
  for (int i = 0; i < 8; ++i, bits >>= 4) nonce.push_back(kDigits[bits & 0xF]);
  return nonce;
}

std::optional<SocketIdentity> FindSocket(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0 || !S_ISSOCK(found.st_mode)) return std::nullopt;
  return SocketIdentity{found.st_dev, found.st_ino,
                        std::int64_t{found.st_mtim.tv_sec} * 1'000'000'000 + found.st_mtim.tv_nsec};
}

Status CheckSocketDirectory(const std::string& directory, std::string_view name) {
  struct stat found {};
  if (::stat(directory.c_str(), &found) != 0) {
    return Unavailable("the kubelet's device plugin directory " + directory +
                       " cannot be used: " + std::strerror(errno) +
                       "; set kubelet.pluginDirectory to the kubelet's, or start the kubelet");
  }
  if (!S_ISDIR(found.st_mode)) {
    return Unavailable("the kubelet's device plugin directory " + directory +
                       " is no directory; set kubelet.pluginDirectory to the kubelet's");
  }
  if (::access(directory.c_str(), W_OK | X_OK) != 0) {
    return Unavailable("no socket can be made in the kubelet's device plugin directory " +
                       directory + ": " + std::strerror(errno) +
                       "; mount it writable into the agent's container");
  }
  const std::size_t length = directory.size() + 1 + name.size();
  if (length > kMaxSocketPath) {
    return InvalidArgument("kubelet.pluginDirectory " + directory + " makes socket paths of " +
                           std::to_string(length) + " bytes; a unix socket's path has at most " +
                           std::to_string(kMaxSocketPath));
  }
  return Status::Ok();
}

int RemoveDeadPluginSockets(const std::string& directory) {
  DIR* listing = ::opendir(directory.c_str());
  if (listing == nullptr) return 0;
  std::vector<std::string> dead;
  while (const dirent* entry = ::readdir(listing)) {
    const std::string path = directory + "/" + entry->d_name;
    if (OurName(entry->d_name) && FindSocket(path) && RefusesConnections(path)) {
      dead.push_back(path);
    }
  }
  ::closedir(listing);
  int removed = 0;
  for (const std::string& path : dead) removed += ::unlink(path.c_str()) == 0 ? 1 : 0;
  return removed;
}

}  // namespace aliquot::agent
