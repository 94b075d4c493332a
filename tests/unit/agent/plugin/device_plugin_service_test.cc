// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/device_plugin_service.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <thread>

#include "tests/support/eventually.h"
#include "tests/unit/agent/plugin/service_fixture.h"

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using DevicePluginServiceTest = ServiceTest;

TEST_F(DevicePluginServiceTest, CoreAsksForPreStartAndOffersNoPreference) {
  grpc::ClientContext context;
  v1beta1::DevicePluginOptions options;
  ASSERT_TRUE(stub_->GetDevicePluginOptions(&context, v1beta1::Empty(), &options).ok());
  EXPECT_TRUE(options.pre_start_required());
  EXPECT_FALSE(options.get_preferred_allocation_available());

  grpc::ClientContext preferred;
  v1beta1::PreferredAllocationResponse response;
  EXPECT_EQ(
      stub_->GetPreferredAllocation(&preferred, v1beta1::PreferredAllocationRequest(), &response)
          .error_code(),
      grpc::StatusCode::UNIMPLEMENTED);
}

TEST_F(DevicePluginServiceTest, AllocateAnswersWhatTheDeskSaysFieldByField) {
  v1beta1::AllocateResponse response;
  ASSERT_TRUE(Allocate({{"c2", "c0", "c1"}}, &response).ok());
  EXPECT_THAT(desk_.allocated(), ElementsAre(ElementsAre("c2", "c0", "c1")));
  ASSERT_EQ(response.container_responses_size(), 1);
  const v1beta1::ContainerAllocateResponse& answer = response.container_responses(0);
  EXPECT_EQ(answer.envs().at("NVIDIA_VISIBLE_DEVICES"), "void");
  ASSERT_EQ(answer.mounts_size(), 2);
  EXPECT_EQ(answer.mounts(0).container_path(), "/run/aliquot/limits");
  EXPECT_EQ(answer.mounts(0).host_path(), "/host/limits");
  EXPECT_TRUE(answer.mounts(0).read_only());
  EXPECT_FALSE(answer.mounts(1).read_only());
  ASSERT_EQ(answer.devices_size(), 1);
  EXPECT_EQ(answer.devices(0).container_path(), "/dev");
  EXPECT_EQ(answer.devices(0).host_path(), "/host/3");
  EXPECT_EQ(answer.devices(0).permissions(), "rw");
  ASSERT_EQ(answer.cdi_devices_size(), 1);
  EXPECT_EQ(answer.cdi_devices(0).name(), "aliquot.io/grant=g1");
  EXPECT_THAT(answer.annotations(), IsEmpty());
}

TEST_F(DevicePluginServiceTest, EachContainerOfARequestIsAnsweredInOrder) {
  v1beta1::AllocateResponse response;
  ASSERT_TRUE(Allocate({{"c0"}, {"c1", "c2"}}, &response).ok());
  ASSERT_EQ(response.container_responses_size(), 2);
  EXPECT_EQ(response.container_responses(0).devices(0).host_path(), "/host/1");
  EXPECT_EQ(response.container_responses(1).devices(0).host_path(), "/host/2");
}

TEST_F(DevicePluginServiceTest, ARequestWithOneBadContainerReachesTheDeskWithNone) {
  v1beta1::AllocateResponse response;
  const grpc::Status status = Allocate({{"c0"}, {"c1", "c1"}}, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(),
            "a request for tencent.com/vcuda-core names the device ID \"c1\" twice; a container "
            "holds each ID once");
  EXPECT_THAT(desk_.allocated(), IsEmpty());
}

TEST_F(DevicePluginServiceTest, AllocateTakesOnlyWhatWasAdvertised) {
  v1beta1::AllocateResponse response;
  EXPECT_EQ(Allocate({{"c800"}}, &response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Allocate({{}}, &response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Allocate({{std::string(64, 'x')}}, &response).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  // A list that has shrunk since: the kubelet may not have read it yet.
  feed_.Publish(Cores(700, 700));
  EXPECT_TRUE(Allocate({{"c750"}}, &response).ok());
}

TEST_F(DevicePluginServiceTest, PreStartKnowsIdsThatAnEarlierAgentAdvertised) {
  EXPECT_TRUE(PreStart({"c1500"}).ok());
  const grpc::Status status = PreStart({"core-001"});
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("\"core-001\", which was never advertised"));
  EXPECT_THAT(desk_.pre_started(), ElementsAre(ElementsAre("c1500")));
}

TEST_F(DevicePluginServiceTest, ARefusalReachesTheKubeletWordForWord) {
  desk_.Refuse(Status(StatusCode::kFailedPrecondition, "card_busy: card GPU-1 is held by a/b"));
  const grpc::Status status = PreStart({"c1"});
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(status.error_message(), "card_busy: card GPU-1 is held by a/b");
}

TEST_F(DevicePluginServiceTest, ThirtyStartsAtOnceAndAnAdmissionOverlap) {
  desk_.Hold(true);
  std::vector<std::thread> starts;
  for (int i = 0; i < 30; ++i) {
    starts.emplace_back([this, i] { EXPECT_TRUE(PreStart({"c" + std::to_string(i)}).ok()); });
  }
  EXPECT_TRUE(test::Eventually([&] { return desk_.inside() == 30; }));
  // The kubelet's admission waits for nobody's start.
  v1beta1::AllocateResponse response;
  EXPECT_TRUE(Allocate({{"c99"}}, &response).ok());
  desk_.Hold(false);
  for (std::thread& start : starts) start.join();
  EXPECT_THAT(desk_.pre_started(), SizeIs(30));
}

TEST_F(DevicePluginServiceTest, MoreStartsThanThreadsWaitAndAreAllAnswered) {
  desk_.Hold(true);
  std::vector<std::thread> starts;
  for (int i = 0; i < 150; ++i) {
    starts.emplace_back([this, i] {
      const grpc::Status status = PreStart({"c" + std::to_string(i)});
      EXPECT_TRUE(status.ok()) << status.error_message();
    });
  }
  EXPECT_TRUE(test::Eventually([&] { return desk_.inside() == 100; }));
  desk_.Hold(false);
  for (std::thread& start : starts) start.join();
  EXPECT_THAT(desk_.pre_started(), SizeIs(150));
}

TEST_F(DevicePluginServiceTest, AStartThatTakesTooLongEndsAtTheKubeletsDeadline) {
  desk_.Hold(true);
  EXPECT_EQ(PreStart({"c1"}, std::chrono::milliseconds(50)).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  desk_.Hold(false);
}

TEST_F(DevicePluginServiceTest, ARequestOfAllIdsThatCanBeIsRead) {
  feed_.Publish(Cores(kMaxAdvertisedDevices, kMaxAdvertisedDevices));
  std::vector<std::string> ids;
  for (std::int64_t i = 0; i < kMaxAdvertisedDevices; ++i) ids.push_back("c" + std::to_string(i));
  v1beta1::AllocateResponse response;
  ASSERT_TRUE(Allocate({ids}, &response).ok());
  EXPECT_EQ(response.container_responses(0).devices(0).host_path(), "/host/16384");
}

TEST_F(DevicePluginServiceTest, OnlyItsOwnerCanConnectToTheSocket) {
  struct stat found {};
  ASSERT_EQ(::stat((directory_ / "core.sock").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
}

TEST_F(DevicePluginServiceTest, AnEndedServerLeavesNoSocket) {
  EXPECT_TRUE(server_->socket_present());
  server_.reset();
  EXPECT_FALSE(std::filesystem::exists(directory_ / "core.sock"));
}

TEST(MemoryServiceTest, AnswersEmptyAndAsksForNoPreStart) {
  const TemporaryDirectory directory;
  DeviceListFeed feed([] {});
  DevicePluginService service({kMemory, "m", "memory", nullptr}, feed);
  feed.Publish(Memories(60));
  auto server = PluginServer::Start(directory.path(), "memory.sock", service, feed);
  ASSERT_TRUE(server.ok());
  const auto stub =
      v1beta1::DevicePlugin::NewStub(UnixSocketChannel(directory / "memory.sock", 1 << 20));

  grpc::ClientContext options_context;
  v1beta1::DevicePluginOptions options;
  ASSERT_TRUE(stub->GetDevicePluginOptions(&options_context, v1beta1::Empty(), &options).ok());
  EXPECT_FALSE(options.pre_start_required());

  v1beta1::AllocateRequest request;
  request.add_container_requests()->add_devices_ids("m59");
  grpc::ClientContext context;
  v1beta1::AllocateResponse response;
  ASSERT_TRUE(stub->Allocate(&context, request, &response).ok());
  ASSERT_EQ(response.container_responses_size(), 1);
  EXPECT_EQ(response.container_responses(0).ByteSizeLong(), 0u);

  request.mutable_container_requests(0)->set_devices_ids(0, "m60");
  grpc::ClientContext bad_context;
  EXPECT_EQ(stub->Allocate(&bad_context, request, &response).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST(PluginServerTest, ADirectoryThatCannotHoldASocketIsOneSentence) {
  SilenceGrpcLog();
  FakeDesk desk;
  DeviceListFeed feed([] {});
  DevicePluginService service({kCore, "c", "core", &desk}, feed);
  const auto missing = PluginServer::Start("/tmp/aliquot-is-not-there", "c.sock", service, feed);
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.status().message(), HasSubstr("cannot be used: No such file"));
  // Nothing can be created under /proc, not even by root.
  const auto refused = PluginServer::Start("/proc/self", "c.sock", service, feed);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.status().message(), HasSubstr("/proc/self"));
}

}  // namespace
}  // namespace aliquot::agent
