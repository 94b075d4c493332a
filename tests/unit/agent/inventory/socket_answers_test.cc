// SPDX-License-Identifier: Apache-2.0
#include "agent/inventory/socket_answers.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "tests/support/test_certificates.h"

namespace aliquot::agent {
namespace {

// A socket at `path`, bound; it answers only once it listens.
class BoundSocket {
 public:
  explicit BoundSocket(const std::string& path) : fd_(socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    EXPECT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  }
  ~BoundSocket() { close(fd_); }
  void Listen() const { EXPECT_EQ(listen(fd_, 1), 0); }

 private:
  const int fd_;
};

TEST(SocketAnswers, OnlyWhereSomebodyListens) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.PathOf("vcore.sock");
  EXPECT_FALSE(SocketAnswers(path));
  const BoundSocket socket(path);
  EXPECT_FALSE(SocketAnswers(path)) << "a socket file left behind is no program";
  socket.Listen();
  EXPECT_TRUE(SocketAnswers(path));
  EXPECT_EQ(GpuManagerSocket(directory.PathOf("")), directory.PathOf("") + "/vcore.sock");
}

TEST(SocketAnswers, NeitherAFileNorAnEndlessPathDoes) {
  const test::TemporaryDirectory directory;
  EXPECT_FALSE(SocketAnswers(directory.Write("vcore.sock", "x")));
  EXPECT_FALSE(SocketAnswers(std::string(5000, 'a')));
  EXPECT_FALSE(SocketAnswers(""));
  EXPECT_EQ(GpuManagerSocket(directory.PathOf("")), "");
}

}  // namespace
}  // namespace aliquot::agent
