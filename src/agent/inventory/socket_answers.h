// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace aliquot::agent {

// Whether some program listens on the Unix socket at `path`. A socket file that its program left
// behind does not count, nor does a path too long for a socket. Never waits. Thread-safe.
bool SocketAnswers(const std::string& path);

// The socket in the kubelet's plugin directory on which gpu-manager serves tencent.com/vcuda-core
// or vcuda-memory, or "" when it does not. Those are its fixed names, which ours never are.
std::string GpuManagerSocket(const std::string& plugin_directory);

}  // namespace aliquot::agent
