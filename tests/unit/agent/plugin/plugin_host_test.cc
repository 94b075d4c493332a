// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/plugin_host.h"

#include <gmock/gmock.h>

#include <atomic>

#include "tests/unit/agent/plugin/host_fixture.h"

namespace aliquot::agent {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

using PluginHostTest = HostTest;

TEST_F(PluginHostTest, BothResourcesAreRegisteredAndCounted) {
  StartKubelet();
  StartHost();
  ASSERT_TRUE(Registered());
  EXPECT_EQ(kubelet_->Capacity(kCore), 100);
  EXPECT_TRUE(test::Eventually([&] { return host_->State().ready(); }));
  const PluginState state = host_->State();
  EXPECT_TRUE(state.kubelet_present);
  EXPECT_EQ(state.directory_problem, "");
  EXPECT_EQ(state.core.advertised, 100);
  EXPECT_EQ(state.core.healthy, 100);
  EXPECT_EQ(state.core.streams, 1);
  EXPECT_EQ(state.core.registrations, 1u);
  EXPECT_EQ(state.core.failed_registrations, 0u);
  EXPECT_EQ(state.memory.advertised, 60);
  EXPECT_EQ(Sockets(), (std::set<std::string>{state.core.endpoint, state.memory.endpoint}));
}

TEST_F(PluginHostTest, NothingIsServedBeforeTheFirstList) {
  StartKubelet();
  host_ = std::make_unique<PluginHost>(HostOptions(), desk_, log_);
  host_->Start();
  ASSERT_TRUE(test::Eventually([&] { return host_->State().kubelet_present; }));
  EXPECT_THAT(Sockets(), IsEmpty());
  EXPECT_THAT(kubelet_->Registrations(), IsEmpty());
  host_->SetDevices(Cores(100, 100), Memories(60));
  EXPECT_TRUE(Registered());
}

TEST_F(PluginHostTest, ANodeWithoutCardsRegistersEmptyLists) {
  StartKubelet();
  host_ = std::make_unique<PluginHost>(HostOptions(), desk_, log_);
  host_->SetDevices({}, {});
  host_->Start();
  EXPECT_TRUE(test::Eventually([&] { return host_->State().ready(); }));
  EXPECT_EQ(kubelet_->Allocatable(kCore), 0);
  host_->SetDevices(Cores(100, 100), Memories(60));
  EXPECT_TRUE(Registered());
}

TEST_F(PluginHostTest, AnUnhealthyCardLowersAllocatableAndNotCapacity) {
  StartKubelet();
  StartHost();
  ASSERT_TRUE(Registered());
  host_->SetDevices(Cores(100, 0), Memories(60));
  EXPECT_TRUE(kubelet_->WaitForAllocatable(kCore, 0));
  EXPECT_EQ(kubelet_->Capacity(kCore), 100);
  EXPECT_EQ(kubelet_->Allocatable(kMemory), 60);
  host_->SetDevices(Cores(100, 100), Memories(60));
  EXPECT_TRUE(kubelet_->WaitForAllocatable(kCore, 100));
}

TEST_F(PluginHostTest, APodIsAdmittedAndStarted) {
  StartKubelet();
  StartHost();
  ASSERT_TRUE(Registered());
  const test::FakePod pod{{"team", "a"}, "uid-1", {{"main", {}, {{kCore, 20}, {kMemory, 15}}}}};
  ASSERT_TRUE(kubelet_->Admit(pod).ok());
  EXPECT_THAT(desk_.pre_started(), IsEmpty());
  const auto started = kubelet_->StartContainer("uid-1", "main");
  ASSERT_TRUE(started.ok()) << started.status().message();
  EXPECT_EQ(started->at(kCore).devices.at(0).host_path, "/host/20");
  EXPECT_EQ(started->at(kMemory).devices.size(), 0u);
  // PreStart was for core alone, with the set that was allocated.
  ASSERT_THAT(desk_.pre_started(), SizeIs(1));
  EXPECT_THAT(desk_.pre_started()[0],
              ::testing::UnorderedElementsAreArray(kubelet_->DeviceIds("uid-1", "main", kCore)));
}

TEST_F(PluginHostTest, ARefusedStartSucceedsOnceTheReasonIsGone) {
  StartKubelet();
  StartHost();
  ASSERT_TRUE(Registered());
  ASSERT_TRUE(kubelet_->Admit({{"team", "a"}, "uid-1", {{"main", {}, {{kCore, 20}}}}}).ok());
  desk_.Refuse(FailedPrecondition("no_allocation: pod team/a has no record"));
  const auto refused = kubelet_->StartContainer("uid-1", "main");
  EXPECT_EQ(refused.status().message(), "no_allocation: pod team/a has no record");
  desk_.Refuse(Status::Ok());
  EXPECT_TRUE(kubelet_->StartContainer("uid-1", "main").ok());
}

TEST_F(PluginHostTest, AKubeletThatStartsLaterIsFound) {
  std::filesystem::create_directories(directory_ / "plugins");
  StartHost();
  ASSERT_TRUE(test::Eventually([&] { return host_->State().directory_problem.empty(); }));
  EXPECT_FALSE(host_->State().kubelet_present);
  StartKubelet();
  EXPECT_TRUE(Registered());
}

class PluginHostRestartTest : public HostTest, public ::testing::WithParamInterface<bool> {};

TEST_P(PluginHostRestartTest, ARestartedKubeletIsRegisteredWithAnewOnFreshSockets) {
  test::FakeKubeletOptions options;
  options.removes_all_files = GetParam();
  StartKubelet(options);
  StartHost();
  ASSERT_TRUE(Registered());
  ASSERT_TRUE(kubelet_->Admit({{"team", "a"}, "uid-1", {{"main", {}, {{kCore, 20}}}}}).ok());
  const auto ids = kubelet_->DeviceIds("uid-1", "main", kCore);
  for (int restart = 1; restart <= 3; ++restart) {
    kubelet_->Stop();
    kubelet_->Start();
    ASSERT_TRUE(Registered());
  }
  // The checkpoint brought the allocation through; no second Allocate.
  EXPECT_EQ(kubelet_->DeviceIds("uid-1", "main", kCore), ids);
  EXPECT_THAT(desk_.allocated(), SizeIs(1));
  // As the kubelet does, again until it succeeds: a restart may be seen in two steps.
  EXPECT_TRUE(test::Eventually([&] { return kubelet_->StartContainer("uid-1", "main").ok(); }));
  std::set<std::string> endpoints;
  const auto registrations = kubelet_->Registrations();
  for (const auto& [resource, endpoint] : registrations) endpoints.insert(endpoint);
  EXPECT_THAT(endpoints, SizeIs(registrations.size()));
  EXPECT_TRUE(test::Eventually([&] { return Sockets().size() == 2; }));
}

INSTANTIATE_TEST_SUITE_P(Minors, PluginHostRestartTest, ::testing::Values(false, true),
                         [](const auto& minor) {
                           return minor.param ? "RemovesAllFiles" : "RemovesSockets";
                         });

TEST_F(PluginHostTest, OneRegistrationForEachKubelet) {
  StartKubelet();
  StartHost();
  ASSERT_TRUE(Registered());
  // Files that come and go, as the checkpoint does at each allocation, are no reason to register.
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(kubelet_
                    ->Admit({{"team", "p" + std::to_string(i)},
                             "uid-" + std::to_string(i),
                             {{"main", {}, {{kCore, 5}}}}})
                    .ok());
  }
  EXPECT_EQ(Registrations(kCore), 1u);
  EXPECT_EQ(Registrations(kMemory), 1u);
}

// A kubelet that starts removes our socket before its predecessor's, which we may still have seen
// when this one answers. To register anew then would withdraw all devices from it.
TEST_F(PluginHostTest, TheKubeletThatAnsweredIsTheOneThatIsThereAfterwards) {
  test::FakeKubeletOptions kubelet;
  std::atomic<int> calls = 0;
  kubelet.before_register = [&](const std::string&) {
    if (++calls == 1) ReplaceKubeletSocket();
  };
  StartKubelet(kubelet);
  StartHost();
  ASSERT_TRUE(Registered());
  ASSERT_TRUE(test::Eventually([&] { return host_->State().ready(); }));
  EXPECT_EQ(Registrations(kCore), 1u);
  EXPECT_EQ(Registrations(kMemory), 1u);
}

// What it looks at before it knows our devices it fails for good; and the old stream, whose end may
// not have been seen yet, was its predecessor's.
TEST_F(PluginHostTest, AnotherKubeletIsRegisteredWithAtOnce) {
  test::FakeKubeletOptions kubelet;
  kubelet.old_stream_disconnects = false;
  StartKubelet(kubelet);
  PluginHostOptions options = HostOptions();
  options.settle = std::chrono::hours(1);
  StartHost(options);
  ASSERT_TRUE(Registered());
  ASSERT_TRUE(test::Eventually([&] { return host_->State().ready(); }));
  ReplaceKubeletSocket();
  host_->SetDevices(Cores(100, 90), Memories(60));  // it looks
  EXPECT_TRUE(test::Eventually([&] { return Registrations(kCore) == 2; }));
  EXPECT_TRUE(test::Eventually([&] { return Registrations(kMemory) == 2; }));
}

TEST_F(PluginHostTest, StopEndsTheStreamsAndRemovesTheSockets) {
  StartKubelet();
  StartHost();
  ASSERT_TRUE(Registered());
  host_->Stop();
  EXPECT_THAT(Sockets(), IsEmpty());
  EXPECT_TRUE(kubelet_->WaitForAllocatable(kCore, 0));
  EXPECT_EQ(kubelet_->Capacity(kCore), 100);
  EXPECT_FALSE(host_->State().ready());
}

TEST_F(PluginHostTest, ANewAgentTakesOverFromTheOneThatStopped) {
  StartKubelet();
  StartHost();
  ASSERT_TRUE(Registered());
  host_.reset();
  ASSERT_TRUE(kubelet_->WaitForAllocatable(kCore, 0));
  StartHost();
  EXPECT_TRUE(Registered());
}

}  // namespace
}  // namespace aliquot::agent
