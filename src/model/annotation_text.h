// SPDX-License-Identifier: Apache-2.0
#pragma once

// The sentences about values of users' annotations, so that every reader refuses alike. Pure,
// thread-safe.

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace aliquot::model {

// `annotation KEY is "VALUE"; REMEDY`.
Status MalformedAnnotation(std::string_view key, std::string_view value, const std::string& remedy);

// Ok when `value` is one of `words`; else the refusal lists them.
Status CheckAnnotationWord(std::string_view key, std::string_view value,
                           const std::vector<std::string_view>& words);

}  // namespace aliquot::model
