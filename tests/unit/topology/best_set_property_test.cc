// SPDX-License-Identifier: Apache-2.0
// The best set on real machines against plain enumeration.
#include <gtest/gtest.h>

#include "tests/unit/topology/inventories.h"
#include "tests/unit/topology/real_matrices.h"
#include "tests/unit/topology/set_shapes.h"
#include "topology/node_topology.h"

namespace aliquot::topology {
namespace {

class BestSetOnRealMachines : public ::testing::TestWithParam<std::size_t> {};

TEST_P(BestSetOnRealMachines, EqualsPlainEnumerationForEveryFreeSetAndCount) {
  const RealMatrix& matrix = RealMatrices()[GetParam()];
  const auto node = TopologyOf(matrix.links, matrix.numa);
  const SetShape& shape = node->chooser().shape();
  PlainObjective plain(shape);
  for (CardSet free = 0; free <= shape.all(); ++free) {
    for (int count = 1; count <= node->card_count(); ++count) {
      SetRequest request{free, count};
      request.split_well = true;
      ASSERT_EQ(node->chooser().Choose(request).set, plain.Best(request))
          << matrix.name << ", free " << free << ", count " << count;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, BestSetOnRealMachines,
                         ::testing::Range<std::size_t>(0, RealMatrices().size()));

}  // namespace
}  // namespace aliquot::topology
