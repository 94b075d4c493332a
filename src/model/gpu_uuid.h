// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace aliquot::model {

// Whether `text` can be the UUID of a card as NVML writes it ("GPU-8f2a..", "MIG-..",
// "MIG-GPU-../1/0"): 1 to 96 letters, digits, '-', '/', '_' or '.'. The form within is the driver's
// business.
bool IsGpuUuid(std::string_view text);

}  // namespace aliquot::model
