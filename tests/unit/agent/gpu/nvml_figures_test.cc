// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_figures.h"

#include <gtest/gtest.h>

#include "tests/unit/agent/gpu/nvml_fixture.h"

namespace aliquot::agent {
namespace {

class NvmlFiguresTest : public NvmlTest {
 protected:
  CardFigures Figures(const std::string& uuid = "GPU-0") {
    Result<CardFigures> figures = backend().Figures(uuid);
    EXPECT_TRUE(figures.ok()) << figures.status().message();
    return figures.ok() ? *figures : CardFigures();
  }
  CardCheck Check() {
    Result<std::vector<CardCheck>> checks = backend().CheckCards();
    EXPECT_TRUE(checks.ok() && checks->size() == 1);
    return checks.ok() && checks->size() == 1 ? checks->front() : CardCheck();
  }
};

TEST_F(NvmlFiguresTest, GaugesAreWhatTheDriverTells) {
  Machine(Cards(1));
  State(
      "cards: [{uuid: GPU-0, mibUsed: 1024, gpuPercent: 37, memoryPercent: 5, "
      "temperatureCelsius: 61, powerMilliwatts: 70123}]\n");
  Look();
  const CardFigures figures = Figures();
  EXPECT_EQ(figures.mib_used, 1024);
  EXPECT_EQ(figures.mib_total, 15360);
  EXPECT_EQ(figures.gpu_percent, 37);
  EXPECT_EQ(figures.memory_percent, 5);
  EXPECT_EQ(figures.temperature_celsius, 61);
  EXPECT_EQ(figures.power_milliwatts, 70123);
}

TEST_F(NvmlFiguresTest, WhatIsNotSupportedIsNothing) {
  Machine(Cards(1));
  Look();
  const CardFigures figures = Figures();
  EXPECT_EQ(figures.gpu_percent, std::nullopt);
  EXPECT_EQ(figures.memory_percent, std::nullopt);
  EXPECT_EQ(figures.temperature_celsius, std::nullopt);
  EXPECT_EQ(figures.power_milliwatts, std::nullopt);
  EXPECT_TRUE(figures.processes.empty());
}

TEST_F(NvmlFiguresTest, OlderDriversTellTheTemperatureByTheOlderCall) {
  Machine(Cards(1));
  State("cards: [{uuid: GPU-0, temperatureCelsius: 61}]\n");
  Faults("{function: nvmlDeviceGetTemperatureV, error: 13}");
  Look();
  EXPECT_EQ(Figures().temperature_celsius, 61);
}

TEST_F(NvmlFiguresTest, NewerDriversNeedNotHaveTheOlderCall) {
  Machine(Cards(1));
  State("cards: [{uuid: GPU-0, temperatureCelsius: 61}]\n");
  Faults("{function: nvmlDeviceGetTemperature, error: 13}");
  Look();
  EXPECT_EQ(Figures().temperature_celsius, 61);
}

TEST_F(NvmlFiguresTest, OlderDriversCountTheirOwnPartAsUsed) {
  Machine(Cards(1));
  State("cards: [{uuid: GPU-0, mibUsed: 1000}]\n");
  Faults("{function: nvmlDeviceGetMemoryInfo_v2, error: 13}");
  Look();
  // The simulated driver keeps a 128th of the memory: 15360 / 128 = 120.
  EXPECT_EQ(Figures().mib_used, 1120);
}

TEST_F(NvmlFiguresTest, ProcessInTwoListsIsOneProcess) {
  Machine(Cards(1));
  State(
      "cards: [{uuid: GPU-0, processes: [{pid: 4711, mib: 300, smPercent: 42}, {pid: 4712, mib: "
      "200}]}]\n");
  Look();
  const CardFigures figures = Figures();  // the simulated driver has 4711 as drawing too
  ASSERT_EQ(figures.processes.size(), 2u);
  EXPECT_EQ(figures.processes[0].pid, 4711);
  EXPECT_EQ(figures.processes[0].mib, 300);
  EXPECT_EQ(figures.processes[0].sm_percent, 42);
  EXPECT_EQ(figures.processes[1].pid, 4712);
  EXPECT_EQ(figures.processes[1].sm_percent, 0);  // no sample where others have one: it was idle
}

TEST_F(NvmlFiguresTest, MemoryThatTheDriverDoesNotTellIsMinusOne) {
  Machine(Cards(1));
  State("cards: [{uuid: GPU-0, processes: [{pid: 4711}]}]\n");
  Look();
  EXPECT_EQ(Figures().processes.at(0).mib, -1);
}

TEST_F(NvmlFiguresTest, WithoutSamplesAProcesssUtilisationIsUnknown) {
  Machine(Cards(1));
  State("cards: [{uuid: GPU-0, processes: [{pid: 4711, mib: 300, smPercent: 42}]}]\n");
  Faults("{function: nvmlDeviceGetProcessUtilization, error: 3}");
  Look();
  EXPECT_EQ(Figures().processes.at(0).sm_percent, -1);
}

TEST_F(NvmlFiguresTest, UnknownCardIsNotFound) {
  Machine(Cards(1));
  Look();
  const Status error = backend().Figures("GPU-9").status();
  EXPECT_EQ(error.code(), StatusCode::kNotFound);
  EXPECT_EQ(error.message(), "no card GPU-9 on this node now; the next look may find it");
}

TEST_F(NvmlFiguresTest, LostCardHasNoFigures) {
  Machine(Cards(1));
  Look();
  State("cards: [{uuid: GPU-0, lost: true}]\n");
  EXPECT_EQ(backend().Figures("GPU-0").status().code(), StatusCode::kFailedPrecondition);
}

TEST_F(NvmlFiguresTest, IntactCardChecksOut) {
  Machine(Cards(1));
  Look();
  const CardCheck check = Check();
  EXPECT_EQ(check.uuid, "GPU-0");
  EXPECT_TRUE(check.present);
  EXPECT_FALSE(check.uncorrectable_pending);
  EXPECT_FALSE(check.remap_failed);
}

TEST_F(NvmlFiguresTest, RowsToRemapAndPagesToRetireArePending) {
  for (const char* capability : {"8.0", "7.0"}) {  // rows since Ampere, pages before
    Machine(Cards(1), "",
            std::string("{model: X, mib: 1024, computeCapability: \"") + capability + "\"}");
    backend().Release();
    State("");
    Look();
    State("cards: [{uuid: GPU-0, uncorrectablePending: true}]\n");
    EXPECT_TRUE(Check().uncorrectable_pending) << capability;
    EXPECT_FALSE(Check().remap_failed) << capability;
  }
}

TEST_F(NvmlFiguresTest, RemapThatFailedIsTold) {
  Machine(Cards(1), "", "{model: X, mib: 1024, computeCapability: \"8.0\"}");
  State("cards: [{uuid: GPU-0, remapFailed: true}]\n");
  Look();
  EXPECT_TRUE(Check().remap_failed);
}

TEST_F(NvmlFiguresTest, CardThatWantsAResetIsPending) {
  Machine(Cards(1));
  Look();
  Faults("{function: nvmlDeviceGetMemoryInfo, error: 16}");
  EXPECT_TRUE(Check().present);
  EXPECT_TRUE(Check().uncorrectable_pending);
}

TEST_F(NvmlFiguresTest, CheckThatIsNotSupportedFindsNothing) {
  Machine(Cards(1));
  Look();
  Faults(
      "{function: nvmlDeviceGetRemappedRows, error: 3}, "
      "{function: nvmlDeviceGetRetiredPagesPendingStatus, error: 999}");
  EXPECT_TRUE(Check().present);
  EXPECT_FALSE(Check().uncorrectable_pending);
}

}  // namespace
}  // namespace aliquot::agent
