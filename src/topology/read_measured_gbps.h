// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "topology/description.h"

namespace aliquot::topology {

struct MeasuredGbps {
  int cards = 0;
  bool every_card = true;  // false: rows of pairs, of which the highest card says `cards`
  std::vector<int> gbps;   // triangle (PairIndex), GB/s one way; 0 = not measured
};

// A table of measured GB/s, in one of three forms (docs/reference/topology-files.md):
//   - "a,b,gbps" rows, cards as numbers from 0 or GPU names;
//   - a square table with a header of GPU names and one row a card;
//   - the output of CUDA's p2pBandwidthLatencyTest, also inside comments: of its tables with P2P
//     enabled the bidirectional one, halved, else the unidirectional one. Halved, because the cards
//     of a ring send and receive at once.
// Commas, tabs or blanks separate. The two directions of a pair may differ: the lower counts,
// rounded to whole GB/s. Pure and thread-safe.
Result<MeasuredGbps> ReadMeasuredGbps(std::string_view text, std::string_view file);

// Only the third form: nothing when the text has no such table, in comments or not.
Result<std::optional<MeasuredGbps>> ReadTestTables(std::string_view text, std::string_view file);

// Measured pairs override what the description has. Refused: a table of another number of cards,
// pairs of cards that the node lacks.
Status ApplyMeasured(const MeasuredGbps& measured, Description& description);

}  // namespace aliquot::topology
