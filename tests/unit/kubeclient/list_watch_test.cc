// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/list_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.h"

namespace aliquot::kubeclient {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What the server does with the next request.
struct Step {
  std::string kind;    // "list" or "watch", checked
  CallResult result;   // of the call
  std::string chunks;  // of a watch, sent in two halves
  std::chrono::seconds takes{0};
};

Step Reply(const std::string& kind, int status, const std::string& body) {
  Step step;
  step.kind = kind;
  step.result.outcome = CallResult::Outcome::kReply;
  step.result.reply.status = status;
  step.result.reply.body = body;
  return step;
}

Step ListOf(const std::string& version, const std::string& next = "") {
  return Reply("list", 200, json{{"version", version}, {"next", next}}.dump());
}

Step WatchOf(const std::string& events) {
  Step step = Reply("watch", 200, "");
  step.chunks = events;
  return step;
}

std::string Event(const std::string& type, const std::string& version) {
  return json{{"type", type}, {"version", version}}.dump();
}

std::string ErrorEvent(int code) { return json{{"type", "ERROR"}, {"code", code}}.dump(); }

// Follows a script, then waits until it is cancelled.
class ScriptedTransport final : public Transport {
 public:
  ScriptedTransport(std::vector<Step> script, FakeClock& clock)
      : script_(script.begin(), script.end()), clock_(clock) {}

  CallResult Call(const ApiRequest& request, SteadyTime, Cancellation* cancellation) override {
    return Play("list", request, *cancellation, nullptr);
  }
  CallResult Stream(const ApiRequest& request, const StreamLimits&, Cancellation& cancellation,
                    const ChunkConsumer& consumer) override {
    return Play("watch", request, cancellation, &consumer);
  }

  // The queries of all requests, once the script is over and one more request has come.
  std::vector<std::string> Queries() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    MutexLock lock(mutex_);
    while (!over_) {
      if (!changed_.WaitUntil(mutex_, deadline)) {
        ADD_FAILURE() << "the script was not played to its end";
        break;
      }
    }
    return queries_;
  }

 private:
  CallResult Play(const std::string& kind, const ApiRequest& request, Cancellation& cancellation,
                  const ChunkConsumer* consumer) {
    Step step;
    {
      MutexLock lock(mutex_);
      queries_.push_back(kind + "?" + request.query);
      over_ = script_.empty();
      changed_.NotifyAll();
      if (!over_) {
        step = script_.front();
        script_.pop_front();
      }
    }
    if (step.kind.empty()) {
      cancellation.WaitUntil(std::chrono::steady_clock::now() + std::chrono::seconds(20));
      return {};
    }
    EXPECT_EQ(step.kind, kind);
    clock_.Advance(step.takes);
    if (consumer != nullptr) {
      const std::string_view all = step.chunks;
      if ((*consumer)(all.substr(0, all.size() / 2))) (*consumer)(all.substr(all.size() / 2));
    }
    return step.result;
  }

  Mutex mutex_;
  CondVar changed_;
  std::deque<Step> script_ GUARDED_BY(mutex_);
  std::vector<std::string> queries_ GUARDED_BY(mutex_);
  bool over_ GUARDED_BY(mutex_) = false;
  FakeClock& clock_;
};

// Understands the script's small documents.
class ScriptSink final : public ListWatchSink {
 public:
  void ListStarted() override { log.emplace_back("start"); }
  Result<Page> PageReceived(std::string_view text) override {
    const json page = json::parse(text, nullptr, false);
    if (page.is_discarded()) return InvalidArgument("unreadable page");
    log.emplace_back("page");
    return Page{page["version"], page["next"], 1};
  }
  void ListFinished() override { log.emplace_back("finish"); }
  Result<Event> EventReceived(std::string_view text) override {
    const json event = json::parse(text, nullptr, false);
    if (event.is_discarded() || event["type"] == "BAD") return InvalidArgument("unreadable event");
    Event out;
    if (event["type"] == "ERROR") {
      out.kind = Event::Kind::kError;
      out.error.code = event["code"];
      return out;
    }
    out.kind = event["type"] == "BOOKMARK" ? Event::Kind::kBookmark : Event::Kind::kObject;
    out.resource_version = event["version"];
    log.push_back(event["type"].get<std::string>());
    return out;
  }

  std::vector<std::string> log;  // read after Stop only
};

class CountingObserver final : public ListWatchObserver {
 public:
  void Listed(std::string_view, std::size_t objects, std::chrono::nanoseconds) override {
    listed += objects;
  }
  void Heard(std::string_view) override { ++heard; }
  void WatchRestarted(std::string_view, std::string_view reason) override {
    restarts.emplace_back(reason);
  }
  void Relisting(std::string_view, std::string_view reason) override {
    relists.emplace_back(reason);
  }
  void Failed(std::string_view, const Status& problem) override {
    failures.push_back(problem.message());
  }

  // Read after Stop only.
  std::size_t listed = 0;
  int heard = 0;
  std::vector<std::string> restarts;
  std::vector<std::string> relists;
  std::vector<std::string> failures;
};

class ListWatchTest : public ::testing::Test {
 protected:
  // Plays the script; returns "list" or "watch@VERSION" for each request.
  std::vector<std::string> Play(std::vector<Step> script) {
    ScriptedTransport transport(std::move(script), clock_);
    ListWatchOptions options;
    options.resource = "pods";
    options.list = kListPods;
    options.watch = kWatchPods;
    options.label_selector = "a=b";
    options.field_selector = field_selector_;
    options.backoff.base = std::chrono::milliseconds(1);
    options.backoff.cap = std::chrono::milliseconds(1);
    options.backoff.max_retry_after = std::chrono::milliseconds(1);
    ListWatch list_watch(options, transport, sink_, observer_, clock_, SeededUniform(1));
    list_watch.Start();
    queries_ = transport.Queries();
    synced_ = list_watch.synced();
    list_watch.Stop();
    std::vector<std::string> out;
    for (const std::string& query : queries_) {
      const std::size_t at = query.find("resourceVersion=");
      if (at == std::string::npos) {
        out.push_back(query.substr(0, query.find('?')));
      } else {
        out.push_back("watch@" + query.substr(at + 16, query.find('&', at) - at - 16));
      }
    }
    return out;
  }

  FakeClock clock_;
  ScriptSink sink_;
  CountingObserver observer_;
  std::string field_selector_;
  std::vector<std::string> queries_;
  bool synced_ = false;
};

TEST_F(ListWatchTest, ListsInPagesThenWatchesFromTheListsVersion) {
  EXPECT_THAT(Play({ListOf("7", "token/1"), ListOf("7")}), ElementsAre("list", "list", "watch@7"));
  EXPECT_EQ(queries_[0], "list?limit=500&labelSelector=a%3Db");
  EXPECT_EQ(queries_[1], "list?limit=500&labelSelector=a%3Db&continue=token%2F1");
  EXPECT_THAT(queries_[2], HasSubstr("watch=1&allowWatchBookmarks=true&resourceVersion=7"));
  EXPECT_THAT(queries_[2], HasSubstr("labelSelector=a%3Db"));
  EXPECT_THAT(sink_.log, ElementsAre("start", "page", "page", "finish"));
  EXPECT_EQ(observer_.listed, 2u);
  EXPECT_TRUE(synced_);
}

TEST_F(ListWatchTest, EveryRequestCarriesTheFieldSelector) {
  field_selector_ = "spec.nodeName=n1";
  EXPECT_THAT(Play({ListOf("7", "token"), ListOf("7"), WatchOf(Event("ADDED", "8"))}),
              ElementsAre("list", "list", "watch@7", "watch@8"));
  for (const std::string& query : queries_) {
    EXPECT_THAT(query, HasSubstr("&labelSelector=a%3Db&fieldSelector=spec.nodeName%3Dn1"));
  }
}

TEST_F(ListWatchTest, AsksEachWatchToEndAfterFiveToTenMinutes) {
  std::vector<Step> script = {ListOf("7")};
  for (int i = 0; i < 30; ++i) script.push_back(WatchOf(Event("ADDED", "8")));
  Play(script);
  std::set<long> asked;
  for (std::size_t i = 1; i < queries_.size(); ++i) {
    const std::size_t at = queries_[i].find("timeoutSeconds=");
    ASSERT_NE(at, std::string::npos);
    asked.insert(std::stol(queries_[i].substr(at + 15)));
  }
  EXPECT_GE(*asked.begin(), 300);
  EXPECT_LE(*asked.rbegin(), 600);
  EXPECT_GT(asked.size(), 20u) << "they must differ";
}

TEST_F(ListWatchTest, ResumesFromTheLastEventOrBookmark) {
  EXPECT_THAT(Play({ListOf("7"), WatchOf(Event("ADDED", "8") + Event("MODIFIED", "9")),
                    WatchOf(Event("BOOKMARK", "20")), WatchOf("")}),
              ElementsAre("list", "watch@7", "watch@9", "watch@20", "watch@20"));
  EXPECT_EQ(observer_.heard, 3);
  EXPECT_EQ(observer_.restarts.size(), 3u);
}

TEST_F(ListWatchTest, ACutInTheMiddleOfAnEventResumesBeforeIt) {
  Step cut = WatchOf(Event("ADDED", "8") + Event("ADDED", "9").substr(0, 10));
  cut.result.outcome = CallResult::Outcome::kUnknown;
  EXPECT_THAT(Play({ListOf("7"), cut}), ElementsAre("list", "watch@7", "watch@8"));
  EXPECT_THAT(sink_.log, ElementsAre("start", "page", "finish", "ADDED"));
}

TEST_F(ListWatchTest, AnExpiredWatchListsAgainWhicheverWayItIsTold) {
  EXPECT_THAT(Play({ListOf("7"), WatchOf(ErrorEvent(410)), ListOf("50"), Reply("watch", 410, "{}"),
                    ListOf("60")}),
              ElementsAre("list", "watch@7", "list", "watch@50", "list", "watch@60"));
  EXPECT_EQ(observer_.relists.size(), 2u);
  EXPECT_TRUE(observer_.failures.empty()) << "this is usual, not a failure";
}

TEST_F(ListWatchTest, AnExpiredContinueTokenStartsTheListOver) {
  const std::string expired = R"({"code":410,"metadata":{"continue":"other"}})";
  EXPECT_THAT(Play({ListOf("7", "t"), Reply("list", 410, expired), ListOf("9")}),
              ElementsAre("list", "list", "list", "watch@9"));
  EXPECT_THAT(queries_[2], Not(HasSubstr("continue")));
  EXPECT_THAT(sink_.log, ElementsAre("start", "page", "start", "page", "finish"));
}

TEST_F(ListWatchTest, ABusyServerKeepsOurPlace) {
  const std::string too_large =
      R"({"code":504,"details":{"retryAfterSeconds":1,"causes":[{"reason":"ResourceVersionTooLarge"}]}})";
  EXPECT_THAT(Play({Reply("list", 429, "{}"), ListOf("7"), Reply("watch", 429, "{}"),
                    Reply("watch", 500, "{}"), Reply("watch", 504, too_large),
                    Reply("watch", 401, "{}"), WatchOf(ErrorEvent(500))}),
              ElementsAre("list", "list", "watch@7", "watch@7", "watch@7", "watch@7", "watch@7",
                          "watch@7"));
  EXPECT_EQ(observer_.failures.size(), 6u);
}

TEST_F(ListWatchTest, ErrorEventsWithoutProgressEndInAList) {
  EXPECT_THAT(Play({ListOf("7"), WatchOf(ErrorEvent(500)), WatchOf(ErrorEvent(500)),
                    WatchOf(ErrorEvent(500)), ListOf("9")}),
              ElementsAre("list", "watch@7", "watch@7", "watch@7", "list", "watch@9"));
}

TEST_F(ListWatchTest, ProgressBetweenErrorEventsForgivesThem) {
  std::vector<Step> script = {ListOf("7")};
  for (int i = 0; i < 5; ++i) script.push_back(WatchOf(Event("ADDED", "8") + ErrorEvent(500)));
  EXPECT_EQ(Play(script).back(), "watch@8");
}

TEST_F(ListWatchTest, AnUnreadableEventListsAgainInsteadOfSkippingIt) {
  EXPECT_THAT(Play({ListOf("7"), WatchOf(R"({"type":"BAD"})" + Event("ADDED", "8")), ListOf("9"),
                    WatchOf("no json"), WatchOf(Event("ADDED", "10"))}),
              ElementsAre("list", "watch@7", "list", "watch@9", "watch@9", "watch@10"));
  EXPECT_EQ(observer_.failures.size(), 2u);
}

TEST_F(ListWatchTest, AnUnreadablePageIsNotTakenForAList) {
  EXPECT_THAT(Play({Reply("list", 200, "<html>"), ListOf("7")}),
              ElementsAre("list", "list", "watch@7"));
  EXPECT_THAT(sink_.log, ElementsAre("start", "start", "page", "finish"));
}

TEST_F(ListWatchTest, APageOverTheLimitIsAskedForInHalves) {
  Step large;
  large.kind = "list";
  large.result.outcome = CallResult::Outcome::kUnknown;
  large.result.cause = CallResult::Cause::kTooLarge;
  Play({large, large, ListOf("7", "t"), large, ListOf("7")});
  EXPECT_THAT(queries_[1], HasSubstr("limit=250&"));
  EXPECT_THAT(queries_[2], HasSubstr("limit=125&"));
  EXPECT_THAT(queries_[3], HasSubstr("limit=125&"));
  EXPECT_THAT(queries_[4], HasSubstr("limit=62&"));
  EXPECT_THAT(queries_[4], HasSubstr("continue=t")) << "the page that failed, not the first";
}

TEST_F(ListWatchTest, AWatchThatNeverSpeaksIsFollowedByAList) {
  Step silent = WatchOf("");
  silent.takes = std::chrono::minutes(5);
  silent.result.outcome = CallResult::Outcome::kUnknown;
  silent.result.cause = CallResult::Cause::kSilence;
  EXPECT_THAT(Play({ListOf("99999"), silent, ListOf("7")}),
              ElementsAre("list", "watch@99999", "list", "watch@7"));
}

TEST_F(ListWatchTest, AWatchThatFellSilentAfterABookmarkResumes) {
  Step silent = WatchOf(Event("BOOKMARK", "8"));
  silent.takes = std::chrono::minutes(5);
  silent.result.outcome = CallResult::Outcome::kUnknown;
  silent.result.cause = CallResult::Cause::kSilence;
  EXPECT_THAT(Play({ListOf("7"), silent}), ElementsAre("list", "watch@7", "watch@8"));
}

TEST_F(ListWatchTest, IsNotSyncedBeforeTheLastPage) {
  EXPECT_THAT(Play({ListOf("7", "t")}), ElementsAre("list", "list"));
  EXPECT_FALSE(synced_);
}

}  // namespace
}  // namespace aliquot::kubeclient
