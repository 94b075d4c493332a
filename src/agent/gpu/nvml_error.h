// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "agent/gpu/nvml_abi.h"
#include "base/status.h"

namespace aliquot::agent {

// What a function of NVML answered, as one sentence with the function, the code, what it means and
// what to do. UNAVAILABLE where there is no driver to talk to, so that nothing said of cards holds
// any more; other codes concern the call or its card. `text` is the library's own word for a code
// that is not known here, "" = none. Pure. Pre: code is not kSuccess.
Status NvmlError(nvml::Return code, std::string_view function, std::string_view text = "");

}  // namespace aliquot::agent
