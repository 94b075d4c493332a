// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_processes.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/unit/agent/gpu/nvml_fixture.h"

namespace aliquot::agent {
namespace {

class NvmlWorkTest : public NvmlTest {
 protected:
  void SetUp() override {
    Machine(Cards(2));
    State(
        "cards: [{uuid: GPU-0, processes: [{pid: 4711, mib: 300, smPercent: 42}, {pid: 4712, mib: "
        "200}]}]\n");
  }
  CardWork Work(const std::string& uuid, std::uint64_t since = 0) {
    const Result<CardWork> work = backend().Work(uuid, since);
    EXPECT_TRUE(work.ok()) << work.status().message();
    return work.ok() ? *work : CardWork();
  }
};

// The simulated driver has 4711 in the list of graphics processes, too.
TEST_F(NvmlWorkTest, EachProcessOnceWithItsBytesAndTheSamplesOfThoseThatWorked) {
  Look();
  const CardWork work = Work("GPU-0");
  ASSERT_EQ(work.processes.size(), 2u);
  EXPECT_EQ(work.processes[0].pid, 4711);
  EXPECT_EQ(work.processes[0].bytes, 300u << 20);
  EXPECT_EQ(work.processes[1].bytes, 200u << 20);
  EXPECT_TRUE(work.sampled);
  ASSERT_EQ(work.samples.size(), 1u);
  EXPECT_EQ(work.samples[0].pid, 4711);
  EXPECT_EQ(work.samples[0].sm_percent, 42);
  EXPECT_GT(work.samples[0].timestamp_us, 0u);
}

// 2^40 MiB; 16 TiB are no card's.
TEST_F(NvmlWorkTest, AFigureThatNoCardCanHaveIsNone) {
  State("cards: [{uuid: GPU-0, processes: [{pid: 4711, mib: 1099511627776}]}]\n");
  Look();
  const CardWork work = Work("GPU-0");
  ASSERT_EQ(work.processes.size(), 1u);
  EXPECT_EQ(work.processes[0].bytes, std::nullopt);
}

TEST_F(NvmlWorkTest, SamplesThatWereSeenAreNotToldAgain) {
  Look();
  EXPECT_TRUE(Work("GPU-0", ~std::uint64_t{0}).samples.empty());
}

TEST_F(NvmlWorkTest, ACardWithoutProcessesIsNoError) {
  Look();
  EXPECT_TRUE(Work("GPU-1").processes.empty());
}

// Else a driver that fails would pass for a card that nobody uses.
TEST_F(NvmlWorkTest, AListThatFailsIsAnError) {
  Look();
  Faults("{function: nvmlDeviceGetComputeRunningProcesses_v3, error: 999}");
  EXPECT_FALSE(backend().Work("GPU-0", 0).ok());
}

TEST_F(NvmlWorkTest, ADriverThatDoesNotSampleSaysSo) {
  Faults("{function: nvmlDeviceGetProcessUtilization, error: 3}");
  Look();
  EXPECT_FALSE(Work("GPU-0").sampled);
}

TEST_F(NvmlWorkTest, BeforeALookThereIsNoDriver) {
  EXPECT_EQ(backend().Work("GPU-0", 0).status().code(), StatusCode::kUnavailable);
}

// It waits for no other call, and its own hanging costs no other call anything.
TEST_F(NvmlWorkTest, ACallThatHangsIsGivenUpAndStandsInNobodysWay) {
  options_.call_limit = std::chrono::milliseconds(200);
  Look();
  Faults("{function: nvmlDeviceGetComputeRunningProcesses_v3, hang: true}");
  EXPECT_EQ(backend().Work("GPU-0", 0).status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(backend().CheckCards().ok());
  Faults("");
}

}  // namespace
}  // namespace aliquot::agent
