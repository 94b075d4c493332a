// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "model/demand.h"

namespace aliquot::extender {

// The order in which a request's nodes are searched, as indices into `names`. The nodes share one
// budget of search steps, which only a pod with several GPU containers can use up: for such a pod
// by name, so that the order of the request decides nothing; for all others as asked, since sorting
// 5,000 names costs more than checking them.
std::vector<std::size_t> OrderForSearch(const std::vector<std::string_view>& names,
                                        const model::PodDemand& demand);

}  // namespace aliquot::extender
