// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lists of numbers on the command line. Pure. Errors: one sentence that names the flag.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "topology/card_set.h"

namespace aliquot::cli {

// "0,2,3" as a set of a node with `cards` cards; "" is the empty set.
Result<topology::CardSet> ParseCardSet(std::string_view text, int cards, const std::string& flag);

// "42", "42-51", "1,5,42-51": in the order given, each once, at most 1000.
Result<std::vector<std::uint64_t>> ParseSeeds(std::string_view text, const std::string& flag);

}  // namespace aliquot::cli
