// SPDX-License-Identifier: Apache-2.0
#include "observability/metrics.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "observability/build_info.h"

namespace aliquot::observability {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

class MetricsTest : public testing::Test {
 protected:
  // The value of a series, written as in the exposition format without the common prefix.
  std::string ValueOf(const std::string& series) {
    const std::string text = "\n" + metrics_.Render();
    const std::string start = "\naliquot_allocator_" + series + " ";
    const std::size_t at = text.find(start);
    if (at == std::string::npos) return "no such series";
    const std::size_t from = at + start.size();
    return text.substr(from, text.find('\n', from) - from);
  }

  FakeClock clock_;
  Metrics metrics_{clock_};
};

TEST_F(MetricsTest, ARequestCountsOnceByVerbAndOutcome) {
  metrics_.CountRequest(Verb::kBind, RequestOutcome::kUnconfirmed, milliseconds(3));
  EXPECT_EQ(ValueOf("requests_total{outcome=\"unconfirmed\",verb=\"bind\"}"), "1");
  EXPECT_EQ(ValueOf("requests_total{outcome=\"ok\",verb=\"bind\"}"), "0");
  EXPECT_EQ(ValueOf("requests_total{outcome=\"unconfirmed\",verb=\"filter\"}"), "0");
}

TEST_F(MetricsTest, LatencyFallsIntoTheBucketOfItsSeconds) {
  metrics_.CountRequest(Verb::kFilter, RequestOutcome::kOk, milliseconds(3));
  EXPECT_EQ(ValueOf("request_duration_seconds_bucket{verb=\"filter\",le=\"0.0025\"}"), "0");
  EXPECT_EQ(ValueOf("request_duration_seconds_bucket{verb=\"filter\",le=\"0.005\"}"), "1");
  EXPECT_EQ(ValueOf("request_duration_seconds_count{verb=\"filter\"}"), "1");
}

TEST_F(MetricsTest, ApiWritesCountByKindAndOutcomeWithTheirLatency) {
  metrics_.CountApiWrite(ApiWrite::kBinding, ApiOutcome::kConflict, milliseconds(20));
  metrics_.CountApiWrite(ApiWrite::kEvent, ApiOutcome::kDone, milliseconds(1));
  EXPECT_EQ(ValueOf("api_writes_total{kind=\"binding\",outcome=\"conflict\"}"), "1");
  EXPECT_EQ(ValueOf("api_writes_total{kind=\"event\",outcome=\"done\"}"), "1");
  EXPECT_EQ(ValueOf("api_write_duration_seconds_count{kind=\"binding\"}"), "1");
}

TEST_F(MetricsTest, WatchLagGrowsUntilTheWatchSpeaksAgain) {
  EXPECT_EQ(ValueOf("watch_lag_seconds{resource=\"pods\"}"), "0");
  clock_.Advance(seconds(100));
  EXPECT_EQ(ValueOf("watch_lag_seconds{resource=\"pods\"}"), "0") << "no watch has spoken yet";
  metrics_.WatchHeard(WatchedResource::kPods);
  clock_.Advance(seconds(7));
  EXPECT_EQ(ValueOf("watch_lag_seconds{resource=\"pods\"}"), "7");
  EXPECT_EQ(ValueOf("watch_lag_seconds{resource=\"nodes\"}"), "0");
  metrics_.WatchHeard(WatchedResource::kPods);
  EXPECT_EQ(ValueOf("watch_lag_seconds{resource=\"pods\"}"), "0");
}

TEST_F(MetricsTest, LedgerFiguresAreInBaseUnits) {
  LedgerFigures figures;
  figures.nodes = 5000;
  figures.cards = 40000;
  figures.pods_bound = 50000;
  figures.pods_unstamped = 2;
  figures.core_total = 4000000;
  figures.core_used = 120;
  figures.mib_used = 3;
  metrics_.SetLedger(figures);
  EXPECT_EQ(ValueOf("ledger_nodes"), "5000");
  EXPECT_EQ(ValueOf("ledger_cards"), "40000");
  EXPECT_EQ(ValueOf("ledger_pods{state=\"bound\"}"), "50000");
  EXPECT_EQ(ValueOf("ledger_pods{state=\"reserved\"}"), "0");
  EXPECT_EQ(ValueOf("ledger_pods{state=\"unstamped\"}"), "2");
  EXPECT_EQ(ValueOf("ledger_core_capacity_percent"), "4000000");
  EXPECT_EQ(ValueOf("ledger_core_used_percent"), "120");
  EXPECT_EQ(ValueOf("ledger_memory_used_bytes"), "3145728");  // 3 * 1024 * 1024
}

TEST_F(MetricsTest, HttpStatusesCountByClass) {
  for (const int status : {200, 404, 413, 503, 0, 700}) {
    metrics_.CountHttpResponse(Listener::kExtender, status);
  }
  EXPECT_EQ(ValueOf("http_responses_total{listener=\"extender\",status=\"2xx\"}"), "2");  // 200, 0
  EXPECT_EQ(ValueOf("http_responses_total{listener=\"extender\",status=\"4xx\"}"), "2");
  EXPECT_EQ(ValueOf("http_responses_total{listener=\"extender\",status=\"5xx\"}"),
            "2");  // 503, 700
}

TEST_F(MetricsTest, ConnectionsReloadsAndDegradedStatesAreSeen) {
  metrics_.SetConnections(Listener::kAdmission, 12);
  metrics_.CountConnectionFailure(Listener::kExtender);
  metrics_.CountTlsReload(Listener::kExtender, true);
  metrics_.CountTlsReload(Listener::kExtender, false);
  metrics_.SetDegraded(Degraded::kTlsReloadFailed, true);
  EXPECT_EQ(ValueOf("connections{listener=\"admission\"}"), "12");
  EXPECT_EQ(ValueOf("connection_failures_total{listener=\"extender\"}"), "1");
  EXPECT_EQ(ValueOf("tls_reloads_total{listener=\"extender\",outcome=\"ok\"}"), "1");
  EXPECT_EQ(ValueOf("tls_reloads_total{listener=\"extender\",outcome=\"failed\"}"), "1");
  EXPECT_EQ(ValueOf("degraded{state=\"tls_reload_failed\"}"), "1");
  metrics_.SetDegraded(Degraded::kTlsReloadFailed, false);
  EXPECT_EQ(ValueOf("degraded{state=\"tls_reload_failed\"}"), "0");
}

TEST_F(MetricsTest, RotationsCountByKindAndOutcome) {
  metrics_.CountRotation(Rotation::kAuthority, true);
  metrics_.CountRotation(Rotation::kSigningKey, false);
  EXPECT_EQ(ValueOf("rotations_total{kind=\"authority\",outcome=\"ok\"}"), "1");
  EXPECT_EQ(ValueOf("rotations_total{kind=\"authority\",outcome=\"failed\"}"), "0");
  EXPECT_EQ(ValueOf("rotations_total{kind=\"signing_key\",outcome=\"failed\"}"), "1");
}

TEST_F(MetricsTest, SingleCountersCount) {
  metrics_.CountFilterCacheHit();
  metrics_.CountSearchCutShort();
  metrics_.CountLateStamp(StampOutcome::kNoRoom);
  metrics_.CountRecordProblem(RecordProblem::kClosedNode);
  metrics_.CountWatchRestart(WatchedResource::kNodes);
  metrics_.CountRelist(WatchedResource::kPods);
  EXPECT_EQ(ValueOf("filter_cache_hits_total"), "1");
  EXPECT_EQ(ValueOf("search_cut_short_total"), "1");
  EXPECT_EQ(ValueOf("late_stamps_total{outcome=\"no_room\"}"), "1");
  EXPECT_EQ(ValueOf("record_problems_total{kind=\"closed_node\"}"), "1");
  EXPECT_EQ(ValueOf("watch_restarts_total{resource=\"nodes\"}"), "1");
  EXPECT_EQ(ValueOf("watch_relists_total{resource=\"pods\"}"), "1");
}

TEST_F(MetricsTest, DroppedLinesFollowTheLogsTotal) {
  metrics_.SetLogLinesDropped(5);
  metrics_.SetLogLinesDropped(5);
  metrics_.SetLogLinesDropped(8);
  EXPECT_EQ(ValueOf("log_lines_dropped_total"), "8");
}

TEST_F(MetricsTest, BuildInfoSaysWhatRuns) {
  EXPECT_THAT(metrics_.Render(), HasSubstr("version=\"" + std::string(Version()) + "\""));
}

}  // namespace
}  // namespace aliquot::observability
