// SPDX-License-Identifier: Apache-2.0
#include "extender/annotations.h"

#include <gtest/gtest.h>

#include "api/allocation_codec.h"
#include "signing/verifier.h"
#include "tests/support/test_certificates.h"
#include "tests/support/test_keys.h"
#include "tests/unit/extender/extender_fixture.h"

namespace aliquot::extender {
namespace {

struct Given {
  model::PodDemand demand;
  model::Allocation allocation;
  std::vector<std::vector<int>> minors;
};

// A pod of one init container and two app containers, of which spec.containers[1] asks for no GPU.
Given ThreeContainers() {
  Given given;
  model::Pod pod;
  AddContainer(pod, "prep", model::ContainerKind::kInit, 0, 100, 0);
  AddContainer(pod, "main", model::ContainerKind::kApp, 0, 20, 15);
  AddContainer(pod, "second", model::ContainerKind::kApp, 2, 200, 0);
  given.demand = *model::DemandOf(pod, model::ResourceNames());
  given.allocation.uid = "u1";
  given.allocation.node = "n1";
  given.allocation.containers = {
      {"prep", {{"GPU-a", 100, 16384}}, 0, "auto"},
      {"main", {{"GPU-a", 20, 3840}}, 0, "auto"},
      {"second", {{"GPU-b", 100, 16384}, {"GPU-c", 100, 16384}}, 0, "auto"}};
  given.minors = {{3}, {3}, {0, 1}};
  return given;
}

TEST(AllocationAnnotationsTest, NumbersAppContainersByTheirPlaceInTheSpec) {
  const Given given = ThreeContainers();
  const api::Annotations annotations =
      *AllocationAnnotations(given.allocation, given.demand, given.minors, SystemTime(), {});
  EXPECT_EQ(annotations.at("tencent.com/predicate-gpu-idx-0"), "3");
  EXPECT_EQ(annotations.at("tencent.com/predicate-gpu-idx-2"), "0,1");
  EXPECT_EQ(annotations.count("tencent.com/predicate-gpu-idx-1"), 0u);
}

TEST(AllocationAnnotationsTest, CarriesTheRecordTheNodeAndTheTimeInNanoseconds) {
  const Given given = ThreeContainers();
  const SystemTime now{std::chrono::nanoseconds(1764423926123456789)};
  const api::Annotations annotations =
      *AllocationAnnotations(given.allocation, given.demand, given.minors, now, {});
  const auto record = api::ParseAllocation(annotations.at("aliquot.io/allocation"));
  ASSERT_TRUE(record.ok()) << record.status().message();
  EXPECT_EQ(record->uid, "u1");
  EXPECT_EQ(record->containers.size(), 3u);  // init containers too
  EXPECT_EQ(annotations.at("tencent.com/predicate-node"), "n1");
  EXPECT_EQ(annotations.at("tencent.com/predicate-time"), "1764423926123456789");
  EXPECT_TRUE(api::CheckAnnotations(annotations).ok());
}

TEST(AllocationAnnotationsTest, WritesGpuAssignedOnlyWhereConfigured) {
  const Given given = ThreeContainers();
  EXPECT_EQ(AllocationAnnotations(given.allocation, given.demand, given.minors, SystemTime(), {})
                ->count("tencent.com/gpu-assigned"),
            0u);
  AnnotationOptions options;
  options.gpu_assigned = true;
  EXPECT_EQ(
      AllocationAnnotations(given.allocation, given.demand, given.minors, SystemTime(), options)
          ->at("tencent.com/gpu-assigned"),
      "false");
}

TEST(AllocationAnnotationsTest, SignsTheRecordsExactBytesWhereAKeyIsConfigured) {
  const Given given = ThreeContainers();
  const test::KeyTexts key = test::NewKey();
  const test::TemporaryDirectory directory;
  signing::Signer signer(directory.Write("key.pem", key.private_key));
  signing::Verifier verifier({directory.Write("public.pem", key.public_key)});
  ASSERT_TRUE(signer.Refresh().ok());
  ASSERT_TRUE(verifier.Refresh().ok());
  AnnotationOptions options;
  options.signer = &signer;
  const auto annotations =
      AllocationAnnotations(given.allocation, given.demand, given.minors, SystemTime(), options);
  ASSERT_TRUE(annotations.ok()) << annotations.status().message();
  const Status verified = verifier.Verify(annotations->at("aliquot.io/allocation"),
                                          annotations->at("aliquot.io/allocation-signature"));
  EXPECT_TRUE(verified.ok()) << verified.message();
}

TEST(AllocationAnnotationsTest, WithoutAKeyThereIsNoSignature) {
  const Given given = ThreeContainers();
  EXPECT_EQ(AllocationAnnotations(given.allocation, given.demand, given.minors, SystemTime(), {})
                ->count("aliquot.io/allocation-signature"),
            0u);
}

TEST(AllocationAnnotationsTest, ARecordThatCannotBeSignedIsNotWritten) {
  const Given given = ThreeContainers();
  const signing::Signer without_key("/nowhere");
  AnnotationOptions options;
  options.signer = &without_key;
  const auto annotations =
      AllocationAnnotations(given.allocation, given.demand, given.minors, SystemTime(), options);
  ASSERT_FALSE(annotations.ok());
  EXPECT_NE(annotations.status().message().find("the record cannot be signed"), std::string::npos);
}

TEST(AllocationAnnotationsTest, CardsTextNamesEachContainer) {
  const Given given = ThreeContainers();
  EXPECT_EQ(CardsText(given.demand, given.minors), "prep=3 main=3 second=0,1");
}

}  // namespace
}  // namespace aliquot::extender
