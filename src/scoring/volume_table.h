// SPDX-License-Identifier: Apache-2.0
#pragma once

// Builds the tables of UsableVolume. Pure; takes milliseconds. Units: those of usable_volume.h.

#include <array>
#include <cstdint>
#include <vector>

#include "scoring/outlook.h"
#include "scoring/usable_volume.h"

namespace aliquot::scoring {

// Prices of a core, in percent of what a card's volume is for each core that the mix asks for
// beside it: at 100 a core costs its average share of a card.
inline constexpr std::array<int, kPrices> kPricePercents = {0,  10,  20,  30,  40,  50,  60,  70,
                                                            80, 100, 125, 150, 200, 250, 320, 400};

// `head`: the pods to expect, all with cards; `eligible`: for each whether it may run on the model.
VolumeTable BuildVolumeTable(const std::vector<PodClass>& head, const std::vector<bool>& eligible,
                             const std::array<std::int32_t, kPrices>& price_of_core);

}  // namespace aliquot::scoring
