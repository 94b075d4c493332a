// SPDX-License-Identifier: Apache-2.0
#include "agent/inventory/socket_answers.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace aliquot::agent {

bool SocketAnswers(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return false;
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) {
    return false;
  }
  const bool connected =
      connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  // A full backlog: somebody listens, only not now.
  const bool busy = !connected && errno == EAGAIN;
  close(fd);
  return connected || busy;
}

std::string GpuManagerSocket(const std::string& plugin_directory) {
  for (const char* name : {"vcore.sock", "vmemory.sock"}) {
    std::string path = plugin_directory + "/" + name;
    if (SocketAnswers(path)) {
      return path;
    }
  }
  return {};
}

}  // namespace aliquot::agent
