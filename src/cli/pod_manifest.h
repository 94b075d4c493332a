// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "model/names.h"
#include "model/pod.h"

namespace aliquot::cli {

// A Pod as kubectl would send it, YAML or JSON. Pure. Errors: one sentence with the file, where
// YAML is broken also the line.
Result<model::Pod> ParsePodManifest(std::string_view text, const std::string& file,
                                    const model::ResourceNames& names);

}  // namespace aliquot::cli
