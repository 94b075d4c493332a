// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/fuzz/fuzz_targets.h"
#include "topology/card_set.h"
#include "topology/read_measured_gbps.h"
#include "topology/read_nccl_xml.h"
#include "topology/read_pair_list.h"
#include "topology/read_smi_matrix.h"
#include "topology/read_topology.h"
#include "topology/topology_graph.h"

namespace aliquot::fuzz {
namespace {

// A refusal is one sentence about the file; a description makes a graph in which every card reaches
// every other.
void Check(const Result<topology::Description>& read) {
  if (!read.ok()) {
    const std::string message = read.status().message();
    Require(message.compare(0, 4, "file") == 0 && message.size() < 1000);
    Require(std::none_of(message.begin(), message.end(), [](unsigned char c) { return c < 0x20; }));
    return;
  }
  const auto graph = topology::TopologyGraph::Create(*read);
  Require(graph.ok());
  Require(graph->card_count() <= topology::kMaxCards);
  for (int a = 0; a < graph->card_count(); ++a) {
    for (int b = 0; b < graph->card_count(); ++b) {
      if (a != b) {
        const topology::Path& path = graph->CardToCard(a, b);
        Require(path.link.gbps >= 0 && path.link.gbps <= topology::kMaxPairGbps && path.hops > 0);
        Require(FormatLink(path.link) == FormatLink(graph->CardToCard(b, a).link));
      }
    }
  }
}

}  // namespace

void SmiMatrix(std::string_view input) {
  const auto read = topology::ReadSmiMatrix(input, "file");
  Check(read);
  if (!read.ok()) {
    return;
  }
  // The searches find the matrix again.
  const auto graph = topology::TopologyGraph::Create(*read);
  const std::size_t cards = read->cards.size();
  for (std::size_t a = 0; a < cards; ++a) {
    for (std::size_t b = a + 1; b < cards; ++b) {
      const auto& found = graph->CardToCard(static_cast<int>(a), static_cast<int>(b)).link;
      Require(FormatLink(found) == FormatLink(read->links[topology::PairIndex(a, b, cards)]));
    }
  }
}

void NcclXml(std::string_view input) { Check(topology::ReadNcclXml(input, "file")); }

void PairList(std::string_view input) { Check(topology::ReadPairList(input, "file")); }

void MeasuredGbps(std::string_view input) {
  const auto measured = topology::ReadMeasuredGbps(input, "file");
  if (measured.ok()) {
    Require(measured->cards >= 1 && measured->cards <= topology::kMaxCards);
    Require(measured->gbps.size() ==
            topology::PairCount(static_cast<std::size_t>(measured->cards)));
    Require(std::all_of(measured->gbps.begin(), measured->gbps.end(),
                        [](int gbps) { return gbps >= 0 && gbps <= topology::kMaxPairGbps; }));
  } else {
    Require(measured.status().message().compare(0, 4, "file") == 0);
  }
  Check(topology::ReadTopology(input, "file"));
}

}  // namespace aliquot::fuzz
