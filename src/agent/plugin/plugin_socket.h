// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace aliquot::agent {

// The sockets in the kubelet's device plugin directory: the kubelet's own and ours.

inline constexpr std::string_view kKubeletSocketName = "kubelet.sock";

// "aliquot-core-<nonce>.sock", a new nonce each time a server starts: up to Kubernetes 1.36 the end
// of a stream to an old socket disconnects whoever is registered under that name and path.
std::string PluginSocketName(std::string_view kind, std::string_view nonce);
// 8 hex digits from the operating system's random numbers.
std::string RandomNonce();

// Tells one socket file from another that took its path. Not by the inode alone, which the file
// system hands out again, and not by the change time, which chmod moves.
struct SocketIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t modified_nanoseconds = 0;  // of a socket: when it was bound

  friend bool operator==(const SocketIdentity& a, const SocketIdentity& b) {
    return a.device == b.device && a.inode == b.inode &&
           a.modified_nanoseconds == b.modified_nanoseconds;
  }
  friend bool operator!=(const SocketIdentity& a, const SocketIdentity& b) { return !(a == b); }
};

// Nothing where no socket lies at the path.
std::optional<SocketIdentity> FindSocket(const std::string& path);

// Can a socket be made there? One sentence where the directory is missing, no directory, not
// writable, or where the path is longer than the 107 bytes that a unix socket's may have.
Status CheckSocketDirectory(const std::string& directory, std::string_view name);

// Removes sockets of ours that nobody answers: an agent that was killed leaves them behind. Returns
// how many.
int RemoveDeadPluginSockets(const std::string& directory);

}  // namespace aliquot::agent
