// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/support/status.h>

#include "base/status.h"

namespace aliquot::agent {

// The codes are the same numbers (base/status.h); the sentence is passed on unchanged.
grpc::Status ToGrpc(const Status& status);
// A code that base/status.h does not list becomes kInternal.
Status FromGrpc(const grpc::Status& status);

}  // namespace aliquot::agent
