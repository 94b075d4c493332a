// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/plugin_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "tests/unit/agent/plugin/plugin_fixture.h"

namespace aliquot::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

// A bound socket that listens while the object lives; its file stays.
class BoundSocket {
 public:
  BoundSocket(const std::string& path, bool listening)
      : descriptor_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    EXPECT_EQ(::bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    if (listening) {
      EXPECT_EQ(::listen(descriptor_, 4), 0);
    }
  }
  ~BoundSocket() { ::close(descriptor_); }
  BoundSocket(const BoundSocket&) = delete;
  BoundSocket& operator=(const BoundSocket&) = delete;

 private:
  const int descriptor_;
};

TEST(PluginSocketTest, NamesCarryKindAndNonce) {
  EXPECT_EQ(PluginSocketName("core", "12ab34cd"), "aliquot-core-12ab34cd.sock");
}

TEST(PluginSocketTest, NoncesDiffer) {
  const std::string first = RandomNonce();
  EXPECT_THAT(first, MatchesRegex("[0-9a-f]{8}"));
  std::set<std::string> nonces;
  for (int i = 0; i < 8; ++i) nonces.insert(RandomNonce());
  EXPECT_GT(nonces.size(), 1u);
}

TEST(PluginSocketTest, ASocketMadeAnewIsAnotherOne) {
  const TemporaryDirectory directory;
  const std::string path = directory / "kubelet.sock";
  EXPECT_FALSE(FindSocket(path).has_value());
  const BoundSocket first(path, true);
  const auto before = FindSocket(path);
  ASSERT_TRUE(before.has_value());
  EXPECT_EQ(*before, *FindSocket(path));
  ::unlink(path.c_str());
  const BoundSocket second(path, true);
  EXPECT_NE(*before, *FindSocket(path));
}

TEST(PluginSocketTest, ChangedRightsMakeNoOtherSocket) {
  const TemporaryDirectory directory;
  const std::string path = directory / "kubelet.sock";
  const BoundSocket socket(path, true);
  const auto before = FindSocket(path);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  EXPECT_EQ(before, FindSocket(path));
}

TEST(PluginSocketTest, AFileOrALinkIsNoSocket) {
  const TemporaryDirectory directory;
  std::ofstream(directory / "file").put('x');
  EXPECT_FALSE(FindSocket(directory / "file").has_value());
  const BoundSocket socket(directory / "real.sock", true);
  std::filesystem::create_symlink(directory / "real.sock", directory / "link.sock");
  EXPECT_FALSE(FindSocket(directory / "link.sock").has_value());
}

TEST(PluginSocketTest, AMissingDirectoryIsOneSentence) {
  const Status status = CheckSocketDirectory("/tmp/aliquot-is-not-there", "x.sock");
  EXPECT_EQ(status.message(),
            "the kubelet's device plugin directory /tmp/aliquot-is-not-there cannot be used: No "
            "such file or directory; set kubelet.pluginDirectory to the kubelet's, or start the "
            "kubelet");
}

TEST(PluginSocketTest, AFileInItsPlaceIsOneSentence) {
  const TemporaryDirectory directory;
  std::ofstream(directory / "file").put('x');
  EXPECT_THAT(CheckSocketDirectory(directory / "file", "x.sock").message(),
              HasSubstr("is no directory; set kubelet.pluginDirectory"));
}

TEST(PluginSocketTest, APathTooLongForASocketIsRefused) {
  const TemporaryDirectory directory;
  // 107 bytes are the most: directory, "/", name.
  const std::string name(107 - directory.path().size() - 1, 'a');
  EXPECT_TRUE(CheckSocketDirectory(directory.path(), name).ok());
  const Status status = CheckSocketDirectory(directory.path(), name + "a");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("makes socket paths of 108 bytes"));
}

TEST(PluginSocketTest, OnlyDeadSocketsOfOursAreRemoved) {
  const TemporaryDirectory directory;
  { const BoundSocket dead(directory / "aliquot-core-1.sock", true); }
  { const BoundSocket foreign(directory / "nvidia-gpu.sock", true); }
  const BoundSocket alive(directory / "aliquot-core-2.sock", true);
  std::ofstream(directory / "aliquot-core-3.sock").put('x');  // no socket
  EXPECT_EQ(RemoveDeadPluginSockets(directory.path()), 1);
  EXPECT_FALSE(std::filesystem::exists(directory / "aliquot-core-1.sock"));
  EXPECT_TRUE(std::filesystem::exists(directory / "nvidia-gpu.sock"));
  EXPECT_TRUE(std::filesystem::exists(directory / "aliquot-core-2.sock"));
  EXPECT_TRUE(std::filesystem::exists(directory / "aliquot-core-3.sock"));
  EXPECT_EQ(RemoveDeadPluginSockets("/tmp/aliquot-is-not-there"), 0);
}

}  // namespace
}  // namespace aliquot::agent
