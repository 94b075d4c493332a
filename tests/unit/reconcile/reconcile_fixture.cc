// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/reconcile/reconcile_fixture.h"

#include "api/allocation_codec.h"

namespace aliquot::reconcile {

model::Pod BoundByUs(model::Pod pod, const std::string& node, int core, std::int64_t mib) {
  model::Allocation allocation;
  allocation.uid = pod.uid;
  allocation.node = node;
  allocation.containers = {{"main", {{"GPU-" + node + "-0", core, mib}}, 0, "auto"}};
  pod.node_name = node;
  pod.annotations["aliquot.io/allocation"] = api::FormatAllocation(allocation);
  return pod;
}

}  // namespace aliquot::reconcile
