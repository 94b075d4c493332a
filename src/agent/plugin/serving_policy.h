// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>

#include "agent/plugin/plugin_socket.h"

namespace aliquot::agent {

// What is to be done for one resource, judged from what is there and not from events: the same
// whether an event came once, twice or never. Pure.

struct ServingFacts {
  bool has_list = false;                         // a device list was set
  std::optional<SocketIdentity> kubelet_socket;  // nothing: no kubelet
  bool serving = false;                          // a server of ours is up
  bool own_socket_present = false;               // and its socket file still lies there
  std::optional<SocketIdentity> registered_with;
  int streams = 0;
  std::chrono::nanoseconds without_stream{0};  // since a stream was last seen or we registered
  bool asked_again = false;                    // RegisterAgain
};

enum class ServingStep {
  kNone,      // all is well, or nothing can be done yet
  kServe,     // start a server on a fresh socket
  kRegister,  // tell the kubelet
  kClose,     // end the server; a fresh one follows
};

// How long a registered plugin may be without a stream. The kubelet opens one right after Register;
// when it ends, the kubelet counts our devices as gone until we register anew.
inline constexpr std::chrono::seconds kStreamGrace{5};

ServingStep NextServingStep(const ServingFacts& facts,
                            std::chrono::nanoseconds stream_grace = kStreamGrace);

}  // namespace aliquot::agent
