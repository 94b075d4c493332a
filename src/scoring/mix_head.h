// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pure, thread-safe.

#include <cstddef>
#include <vector>

#include "scoring/outlook.h"

namespace aliquot::scoring {

// How many of the first classes cover `percent` of all weight: the shortest head that does.
// `classes`: the most frequent first. Classes without weight are never in it.
std::size_t HeadOfMix(const std::vector<PodClass>& classes, int percent);

}  // namespace aliquot::scoring
