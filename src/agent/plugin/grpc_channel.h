// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/channel.h>

#include <chrono>
#include <memory>
#include <string>

#include "base/clock.h"

namespace aliquot::agent {

// A channel to a unix socket, without TLS as the kubelet's sockets are. It shares no connection and
// no back-off with another channel to the same path, since behind a path may be another server than
// a second ago; and it ignores HTTP proxies of the environment. Connects at the first call.
// max_receive_bytes bounds one message.
std::shared_ptr<grpc::Channel> UnixSocketChannel(const std::string& path, int max_receive_bytes);

// gRPC's deadlines are of the system clock, ours of the steady one: what is left now is added to
// the system's time.
std::chrono::system_clock::time_point GrpcDeadline(SteadyTime deadline);

// gRPC writes lines of its own to stderr about every refused connection; what matters comes back as
// a status that the caller words and logs. Call once, at the start of the program.
void SilenceGrpcLog();

}  // namespace aliquot::agent
