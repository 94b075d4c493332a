// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/device_request.h"

#include <gtest/gtest.h>

namespace aliquot::agent {
namespace {

constexpr char kResource[] = "tencent.com/vcuda-core";

Status Check(const std::vector<std::string>& ids, std::int64_t limit = 800) {
  return CheckDeviceIds(kResource, "c", limit, ids);
}

TEST(DeviceRequestTest, DifferentAdvertisedIdsAreARequest) {
  EXPECT_TRUE(Check({"c799", "c0", "c17"}).ok());
}

TEST(DeviceRequestTest, NoIdIsRefused) {
  const Status status = Check({});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "a request for tencent.com/vcuda-core names no device ID; the kubelet names at least "
            "one");
}

TEST(DeviceRequestTest, AnEmptyIdIsRefused) {
  EXPECT_EQ(Check({"c1", ""}).message(),
            "a request for tencent.com/vcuda-core names the device ID \"\", which was never "
            "advertised; delete the pod to have it placed anew");
}

TEST(DeviceRequestTest, AnIdPastTheLimitIsRefused) {
  EXPECT_EQ(Check({"c800"}).message(),
            "a request for tencent.com/vcuda-core names the device ID \"c800\", which was never "
            "advertised; delete the pod to have it placed anew");
  EXPECT_TRUE(Check({"c800"}, 801).ok());
}

TEST(DeviceRequestTest, AnIdOfAnotherResourceIsRefused) {
  EXPECT_EQ(Check({"m3"}).code(), StatusCode::kInvalidArgument);
}

TEST(DeviceRequestTest, TheSameIdTwiceIsRefused) {
  EXPECT_EQ(Check({"c1", "c2", "c1"}).message(),
            "a request for tencent.com/vcuda-core names the device ID \"c1\" twice; a container "
            "holds each ID once");
}

TEST(DeviceRequestTest, ALongIdIsRefusedWithoutBeingRepeated) {
  EXPECT_EQ(Check({std::string(64, 'c')}).message(),
            "a request for tencent.com/vcuda-core names a device ID of 64 characters; at most 63 "
            "are allowed");
}

TEST(DeviceRequestTest, ControlCharactersDoNotReachTheSentence) {
  EXPECT_EQ(Check({"c1\n"}).message(),
            "a request for tencent.com/vcuda-core names the device ID \"c1?\", which was never "
            "advertised; delete the pod to have it placed anew");
}

}  // namespace
}  // namespace aliquot::agent
