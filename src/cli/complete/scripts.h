// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace aliquot::cli {

// The script by which a shell asks `aliquotctl __complete` for candidates; `shell` is bash, zsh or
// fish, "" for another one. Pure.
std::string_view CompletionScript(std::string_view shell);

}  // namespace aliquot::cli
