// SPDX-License-Identifier: Apache-2.0
#pragma once

// Connects to one of the allocator's Services as its real caller would, and tells what came of it.
// One connection, no redirect, no proxy; blocking, thread-safe.

#include <chrono>
#include <string>

namespace aliquot::cli {

struct ServiceProbe {
  std::string address;      // ClusterIP
  std::string server_name;  // aliquot-extender.NAMESPACE.svc
  int port = 0;
  std::string authority;    // PEM: what the caller trusts
  std::string certificate;  // PEM of the client, or "" and ""
  std::string key;
};

struct ProbeOutcome {
  // kUnreachable: no connection from here, which says nothing of others. kUntrusted: the server's
  // certificate is not what the caller trusts. kRefused: the client's certificate is not accepted;
  // without one a server that refuses for that is good.
  enum class Kind { kGood, kUnreachable, kUntrusted, kRefused };
  Kind kind = Kind::kUnreachable;
  std::string says;  // of the TLS library, one line; "" when good
};

ProbeOutcome Probe(const ServiceProbe& probe, std::chrono::milliseconds timeout);

}  // namespace aliquot::cli
