// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "program/map_reader.h"

namespace aliquot::program {

// Reads the key `links` of a map: how `cards` cards reach each other, in the words of `nvidia-smi
// topo -m`. Two forms, of which one is given:
//   triangle: NV1,NV2,..              every pair, row by row
//   default: SYS                      and for single pairs
//   pairs: [{cards: [0, 1], link: NV4}, ..]
// Returns the upper triangle row by row (topology::PairIndex); empty when the key is missing, or
// after a problem.
std::vector<std::string> ReadLinks(MapReader& reader, std::size_t cards);

// Whether `word` is a link class; a problem at that key when it is not.
bool IsLinkWord(MapReader& reader, std::string_view key, std::string_view word);

}  // namespace aliquot::program
