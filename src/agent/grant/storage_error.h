// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace aliquot::agent {

// "/run/aliquot is not written: making the card's node: Operation not permitted; give the agent
// CAP_MKNOD". Names no temporary file, so that the same trouble gives the same sentence.
Status StorageError(const std::string& directory, std::string_view doing, int error_number);

}  // namespace aliquot::agent
