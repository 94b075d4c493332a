// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "http/tls_material.h"

namespace aliquot::http {

// A server certificate for `name` (DNS) with a fresh P-256 key, signed by itself, good from an hour
// ago (clocks differ) for ten years. The key lives in this process only. For listeners whose
// clients do not verify servers: the API server's proxy to pods. Thread-safe.
Result<std::shared_ptr<const TlsMaterial>> MakeSelfSigned(const std::string& name);

}  // namespace aliquot::http
