// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/status.h"
#include "http/file_descriptor.h"
#include "http/listen_address.h"

namespace aliquot::http {

struct ListenSocket {
  FileDescriptor fd;
  std::string address;  // as bound, with the real port
};

// A non-blocking listening socket with SO_REUSEADDR only: a second process that binds the same port
// fails instead of taking half of the connections. No host means both address families, where the
// kernel has them.
Result<ListenSocket> Listen(const ListenAddress& address);

struct AcceptedSocket {
  FileDescriptor fd;  // non-blocking, TCP_NODELAY; invalid when nothing was accepted
  std::string remote_address;
  int error = 0;  // errno; EAGAIN when no connection waits
};

AcceptedSocket Accept(int listen_fd);

}  // namespace aliquot::http
