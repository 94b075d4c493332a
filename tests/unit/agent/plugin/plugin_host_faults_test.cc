// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "tests/unit/agent/plugin/host_fixture.h"

namespace aliquot::agent {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

using PluginHostFaultsTest = HostTest;

TEST_F(PluginHostFaultsTest, AMissingDirectoryIsSaidAndWaitedFor) {
  StartHost();
  ASSERT_TRUE(test::Eventually([&] { return !host_->State().directory_problem.empty(); }));
  EXPECT_THAT(host_->State().directory_problem, HasSubstr("cannot be used: No such file"));
  StartKubelet();
  EXPECT_TRUE(Registered());
  EXPECT_EQ(host_->State().directory_problem, "");
}

TEST_F(PluginHostFaultsTest, AFileInTheDirectorysPlaceIsSaidAndWaitedFor) {
  std::ofstream(directory_ / "plugins").put('x');
  StartHost();
  ASSERT_TRUE(test::Eventually([&] { return !host_->State().directory_problem.empty(); }));
  EXPECT_THAT(host_->State().directory_problem, HasSubstr("is no directory"));
  std::filesystem::remove(directory_ / "plugins");
  StartKubelet();
  EXPECT_TRUE(Registered());
}

TEST_F(PluginHostFaultsTest, ARemovedSocketIsMadeAnew) {
  StartKubelet();
  StartHost();
  ASSERT_TRUE(Registered());
  const std::string removed = host_->State().core.endpoint;
  std::filesystem::remove(directory_ / ("plugins/" + removed));
  ASSERT_TRUE(test::Eventually([&] { return Registrations(kCore) == 2; }));
  EXPECT_TRUE(Registered());
  EXPECT_THAT(Sockets(), SizeIs(2));
  EXPECT_THAT(Sockets(), Not(Contains(removed)));
  // The other resource was left alone.
  EXPECT_EQ(Registrations(kMemory), 1u);
}

TEST_F(PluginHostFaultsTest, AReplacedDirectoryIsFollowed) {
  StartKubelet();
  StartHost();
  ASSERT_TRUE(Registered());
  kubelet_.reset();
  std::filesystem::rename(directory_ / "plugins", directory_ / "before");
  StartKubelet();
  EXPECT_TRUE(Registered());
}

TEST_F(PluginHostFaultsTest, AStreamThatTheKubeletEndedMeansToRegisterAnew) {
  StartKubelet();
  StartHost();
  ASSERT_TRUE(Registered());
  kubelet_->DropStreams();
  ASSERT_TRUE(test::Eventually([&] { return Registrations(kCore) >= 2; }));
  EXPECT_TRUE(Registered());
}

TEST_F(PluginHostFaultsTest, WhoeverSeesNoDevicesMayAskForANewRegistration) {
  StartKubelet();  // with the race of kubelets up to 1.36
  StartHost();
  ASSERT_TRUE(Registered());
  host_->RegisterAgain("allocatable of the node is 0");
  ASSERT_TRUE(test::Eventually([&] { return Registrations(kMemory) == 2; }));
  ASSERT_TRUE(test::Eventually([&] { return Registrations(kCore) == 2; }));
  EXPECT_TRUE(Registered());
  // Both kept their new streams: the old ones' ends came before.
  ASSERT_TRUE(kubelet_->Admit({{"team", "a"}, "uid-1", {{"main", {}, {{kCore, 20}}}}}).ok());
}

TEST_F(PluginHostFaultsTest, ARefusedRegistrationIsCountedSaidAndTriedAgain) {
  StartKubelet();
  PluginHostOptions options = HostOptions();
  options.core_resource = "vcuda-core";  // no domain: the kubelet refuses it
  StartHost(options);
  ASSERT_TRUE(test::Eventually([&] { return host_->State().core.failed_registrations >= 2; }));
  const PluginState state = host_->State();
  EXPECT_FALSE(state.core.registered);
  EXPECT_THAT(state.core.problem, HasSubstr("did not register vcuda-core"));
  EXPECT_THAT(state.core.problem, HasSubstr("is invalid"));
  EXPECT_FALSE(state.ready());
  // The other resource does not suffer.
  EXPECT_TRUE(kubelet_->WaitForAllocatable(kMemory, 60));
}

TEST_F(PluginHostFaultsTest, SocketsOfAKilledAgentAreRemoved) {
  std::filesystem::create_directories(directory_ / "plugins");
  const std::string left = directory_ / "plugins/aliquot-core-deadbeef.sock";
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, left.c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ::close(descriptor);
  StartHost();
  EXPECT_TRUE(test::Eventually([&] { return !std::filesystem::exists(left); }));
}

// A kubelet that accepts connections and says nothing.
TEST_F(PluginHostFaultsTest, StopDoesNotWaitForAKubeletThatHangs) {
  std::filesystem::create_directories(directory_ / "plugins");
  const std::string path = directory_ / "plugins/kubelet.sock";
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(::listen(listener, 4), 0);
  PluginHostOptions options = HostOptions();
  options.register_timeout = std::chrono::hours(1);
  StartHost(options);
  ASSERT_TRUE(test::Eventually([&] { return !host_->State().core.endpoint.empty(); }));
  host_->Stop();  // the test's own time limit is what fails it
  ::close(listener);
}

TEST_F(PluginHostFaultsTest, AHungRegistrationEndsAtItsDeadline) {
  std::filesystem::create_directories(directory_ / "plugins");
  const std::string path = directory_ / "plugins/kubelet.sock";
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(::listen(listener, 4), 0);
  PluginHostOptions options = HostOptions();
  options.register_timeout = std::chrono::milliseconds(100);
  StartHost(options);
  EXPECT_TRUE(test::Eventually([&] { return host_->State().core.failed_registrations >= 1; }));
  host_->Stop();
  ::close(listener);
}

}  // namespace
}  // namespace aliquot::agent
