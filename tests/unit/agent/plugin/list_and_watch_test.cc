// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <thread>

#include "tests/support/eventually.h"
#include "tests/unit/agent/plugin/service_fixture.h"

namespace aliquot::agent {
namespace {

using Response = v1beta1::ListAndWatchResponse;

// One ListAndWatch call, read when told to.
class Watcher {
 public:
  explicit Watcher(v1beta1::DevicePlugin::Stub& stub) {
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    reader_ = stub.ListAndWatch(&context_, v1beta1::Empty());
  }
  ~Watcher() {
    context_.TryCancel();
    Response response;
    while (reader_->Read(&response)) {
    }
    [[maybe_unused]] const grpc::Status status = reader_->Finish();
  }

  // The number of healthy devices in the next message, -1 at the stream's end.
  int NextHealthy() {
    if (!reader_->Read(&last_)) return -1;
    return static_cast<int>(
        std::count_if(last_.devices().begin(), last_.devices().end(),
                      [](const v1beta1::Device& device) { return device.health() == "Healthy"; }));
  }
  const Response& last() const { return last_; }
  void Cancel() { context_.TryCancel(); }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<Response>> reader_;
  Response last_;
};

using ListAndWatchTest = ServiceTest;

TEST_F(ListAndWatchTest, TheFullListComesAtOnce) {
  Watcher watcher(*stub_);
  EXPECT_EQ(watcher.NextHealthy(), 800);
  EXPECT_EQ(watcher.last().devices(799).id(), "c799");
  EXPECT_FALSE(watcher.last().devices(0).has_topology());
}

TEST_F(ListAndWatchTest, EveryChangeSendsTheFullListAgain) {
  Watcher watcher(*stub_);
  ASSERT_EQ(watcher.NextHealthy(), 800);
  feed_.Publish(Cores(800, 700));
  EXPECT_EQ(watcher.NextHealthy(), 700);
  EXPECT_EQ(watcher.last().devices_size(), 800);
  EXPECT_EQ(watcher.last().devices(799).health(), "Unhealthy");
  feed_.Publish(Cores(800, 800));
  EXPECT_EQ(watcher.NextHealthy(), 800);
}

TEST_F(ListAndWatchTest, AnEqualListIsNotSentAgain) {
  Watcher watcher(*stub_);
  ASSERT_EQ(watcher.NextHealthy(), 800);
  feed_.Publish(Cores(800, 800));
  feed_.Publish(Cores(800, 600));
  EXPECT_EQ(watcher.NextHealthy(), 600);
}

TEST_F(ListAndWatchTest, AnEmptyListIsAListToo) {
  Watcher watcher(*stub_);
  ASSERT_EQ(watcher.NextHealthy(), 800);
  feed_.Publish({});
  EXPECT_EQ(watcher.NextHealthy(), 0);
  EXPECT_EQ(watcher.last().devices_size(), 0);
}

TEST_F(ListAndWatchTest, SeveralStreamsAreServedAndCounted) {
  Watcher first(*stub_);
  Watcher second(*stub_);
  ASSERT_EQ(first.NextHealthy(), 800);
  ASSERT_EQ(second.NextHealthy(), 800);
  EXPECT_EQ(feed_.streams(), 2);
  feed_.Publish(Cores(800, 100));
  EXPECT_EQ(first.NextHealthy(), 100);
  EXPECT_EQ(second.NextHealthy(), 100);
}

TEST_F(ListAndWatchTest, AStreamEndsWithItsClient) {
  {
    Watcher watcher(*stub_);
    ASSERT_EQ(watcher.NextHealthy(), 800);
    EXPECT_EQ(feed_.streams(), 1);
  }
  EXPECT_TRUE(test::Eventually([&] { return feed_.streams() == 0; }));
}

TEST_F(ListAndWatchTest, ASlowReaderDelaysNobodyAndIsSentTheNewestThen) {
  const auto narrow = NewNarrowStub();
  Watcher slow(*narrow);
  Watcher fast(*stub_);
  ASSERT_EQ(slow.NextHealthy(), 800);
  ASSERT_EQ(fast.NextHealthy(), 800);
  // A message of 6,000 devices (about 110 KB) is past HTTP/2's window of 64 KiB: the slow one's
  // write stays stuck.
  for (int healthy = 1000; healthy < 1020; ++healthy) {
    feed_.Publish(Cores(6000, healthy));
    ASSERT_EQ(fast.NextHealthy(), healthy);
  }
  int read = 0;
  int healthy = 0;
  while (healthy != 1019) {
    healthy = slow.NextHealthy();
    ASSERT_GE(healthy, 0);
    ++read;
  }
  EXPECT_LT(read, 20);  // not every one of the 20 lists was kept for it
}

TEST_F(ListAndWatchTest, EndingTheServerEndsItsStreams) {
  Watcher watcher(*stub_);
  ASSERT_EQ(watcher.NextHealthy(), 800);
  server_.reset();
  EXPECT_EQ(watcher.NextHealthy(), -1);
  EXPECT_EQ(feed_.streams(), 0);
}

TEST_F(ListAndWatchTest, AStuckReaderDoesNotKeepTheServerFromEnding) {
  const auto narrow = NewNarrowStub();
  Watcher stuck(*narrow);
  ASSERT_EQ(stuck.NextHealthy(), 800);
  for (int i = 0; i < 20; ++i) feed_.Publish(Cores(6000, 100 + i));
  server_.reset();
  EXPECT_EQ(feed_.streams(), 0);
}

TEST_F(ListAndWatchTest, TheFeedServesTheNextServerToo) {
  server_.reset();
  feed_.Publish(Cores(400, 400));
  Serve();
  Watcher watcher(*stub_);
  EXPECT_EQ(watcher.NextHealthy(), 400);
}

TEST_F(ListAndWatchTest, TooManyStreamsAreRefusedAndTheOthersStay) {
  std::vector<std::unique_ptr<Watcher>> watchers;
  for (int i = 0; i < 16; ++i) {
    watchers.push_back(std::make_unique<Watcher>(*stub_));
    ASSERT_EQ(watchers.back()->NextHealthy(), 800);
  }
  Watcher refused(*stub_);
  EXPECT_EQ(refused.NextHealthy(), -1);
  feed_.Publish(Cores(800, 1));
  EXPECT_EQ(watchers.front()->NextHealthy(), 1);
}

}  // namespace
}  // namespace aliquot::agent
