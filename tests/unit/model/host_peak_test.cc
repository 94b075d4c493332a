// SPDX-License-Identifier: Apache-2.0
#include "model/host_peak.h"

#include <gtest/gtest.h>

namespace aliquot::model {
namespace {

TEST(HostPeak, AppContainersAddUp) {
  HostPeak peak;
  peak.Add(ContainerKind::kApp, {500, 256});
  peak.Add(ContainerKind::kApp, {1500, 256});
  EXPECT_EQ(peak.total(), (HostAmount{2000, 512}));
}

TEST(HostPeak, AnInitContainerRunsAloneBesideEarlierSidecars) {
  HostPeak peak;
  peak.Add(ContainerKind::kInit, {3000, 0});  // alone: 3000
  peak.Add(ContainerKind::kSidecar, {1000, 100});
  peak.Add(ContainerKind::kInit, {2500, 50});  // beside the sidecar: 3500, 150
  peak.Add(ContainerKind::kApp, {1000, 400});  // with the sidecar: 2000, 500
  // The largest of each by itself: 3500 of processor, 500 of memory.
  EXPECT_EQ(peak.total(), (HostAmount{3500, 500}));
}

}  // namespace
}  // namespace aliquot::model
