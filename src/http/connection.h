// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/clock.h"
#include "http/request_framer.h"
#include "http/transport.h"

namespace aliquot::http {

// What a connection waits for while no thread holds it.
enum class Phase {
  kHandshake,  // nobody has proved anything yet: the first to go when connections run short
  kIdle,       // between requests
  kReceiving,  // in the middle of a request
  kSending,    // in the middle of a reply
  kLingering,  // the reply is out; what the peer still sends is dropped until it closes
};

// One client's connection and where it stands. Used by whoever has claimed it from the
// ConnectionTable.
struct Connection {
  Connection(std::uint64_t connection_id, std::string address, Transport connection_transport,
             const HeadLimits& limits, BodyBudget& budget)
      : id(connection_id),
        remote_address(std::move(address)),
        transport(std::move(connection_transport)),
        framer(limits, budget) {}

  const std::uint64_t id;
  const std::string remote_address;
  Transport transport;
  std::string peer_common_name;

  Phase phase = Phase::kHandshake;
  SteadyTime deadline;  // of the phase; it is not moved by single bytes
  RequestFramer framer;
  std::string unread;    // bytes of the next request that came with the last one
  std::string unsent;    // the rest of a reply for which the socket had no room
  std::size_t sent = 0;  // of it
  bool close_after_reply = false;
};

}  // namespace aliquot::http
