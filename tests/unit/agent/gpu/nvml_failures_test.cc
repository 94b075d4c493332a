// SPDX-License-Identifier: Apache-2.0
// A driver that is not there, that fails, that loses cards and that hangs.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/unit/agent/gpu/nvml_fixture.h"

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class NvmlFailuresTest : public NvmlTest {
 protected:
  // The error of a look that must fail.
  Status LookError() {
    Result<aliquot::agent::Machine> machine = backend().Look();
    EXPECT_FALSE(machine.ok());
    return machine.status();
  }
  // UUIDs that CheckCards tells as not present.
  std::vector<std::string> NotPresent() {
    Result<std::vector<CardCheck>> checks = backend().CheckCards();
    EXPECT_TRUE(checks.ok()) << checks.status().message();
    std::vector<std::string> uuids;
    for (const CardCheck& each : checks.ok() ? *checks : std::vector<CardCheck>()) {
      if (!each.present) {
        uuids.push_back(each.uuid);
      }
    }
    return uuids;
  }
};

struct InitError {
  int code;
  StatusCode status;
  const char* sentence;
};

class NvmlInitErrorTest : public NvmlFailuresTest,
                          public ::testing::WithParamInterface<InitError> {};

TEST_P(NvmlInitErrorTest, IsOneSentenceWithTheRemedy) {
  Machine(Cards(1));
  Faults("{function: nvmlInit_v2, error: " + std::to_string(GetParam().code) + "}");
  const Status error = LookError();
  EXPECT_EQ(error.code(), GetParam().status);
  EXPECT_EQ(error.message(), GetParam().sentence);
}

INSTANTIATE_TEST_SUITE_P(
    Codes, NvmlInitErrorTest,
    ::testing::Values(
        InitError{
            9, StatusCode::kUnavailable,
            "the NVIDIA driver is not loaded (nvmlInit_v2 answered 9); load the nvidia kernel "
            "module, or let GPU Operator install the driver"},
        InitError{18, StatusCode::kUnavailable,
                  "the kernel module and libnvidia-ml.so.1 are of different driver versions "
                  "(nvmlInit_v2 answered 18); reload the nvidia kernel modules or reboot the node "
                  "after a driver upgrade"},
        InitError{12, StatusCode::kUnavailable,
                  "a library of the driver is missing (nvmlInit_v2 answered 12); install the "
                  "driver's user-space libraries of the same version"},
        InitError{4, StatusCode::kPermissionDenied,
                  "the agent may not use the driver (nvmlInit_v2 answered 4); give it read and "
                  "write access to /dev/nvidiactl and to the cards' device nodes"},
        InitError{20, StatusCode::kResourceExhausted,
                  "there is not enough memory (nvmlInit_v2 answered 20); raise the agent's memory "
                  "limit"},
        InitError{999, StatusCode::kInternal,
                  "an unknown error of the driver (nvmlInit_v2 answered 999); look for XID errors "
                  "in the kernel log"},
        InitError{27, StatusCode::kInternal,
                  "NVML failed (nvmlInit_v2 answered 27, simulated error); look into the kernel "
                  "log"}));

TEST_F(NvmlFailuresTest, DriverThatComesLaterIsFoundByALaterLook) {
  Machine(Cards(1));
  State("driver: absent\n");
  EXPECT_EQ(LookError().code(), StatusCode::kUnavailable);
  State("driver: present\n");
  EXPECT_THAT(Uuids(Look()), ElementsAre("GPU-0"));
}

TEST_F(NvmlFailuresTest, CountThatFailsIsTheLooksError) {
  Machine(Cards(1));
  Faults("{function: nvmlDeviceGetCount_v2, error: 999}");
  EXPECT_THAT(LookError().message(), HasSubstr("nvmlDeviceGetCount_v2 answered 999"));
  Faults("");
  EXPECT_THAT(Uuids(Look()), ElementsAre("GPU-0"));
}

TEST_F(NvmlFailuresTest, ThirdOfFourCardsFailsAloneAndIsNoted) {
  Machine(Cards(4));
  Faults("{function: nvmlDeviceGetHandleByIndex_v2, card: 2, error: 15}");
  const aliquot::agent::Machine machine = Look();
  EXPECT_THAT(Uuids(machine), ElementsAre("GPU-0", "GPU-1", "GPU-3"));
  EXPECT_EQ(machine.links.size(), 3u);
  EXPECT_THAT(machine.notes,
              ElementsAre("card 2 of 4 is left out: the driver has lost the card "
                          "(nvmlDeviceGetHandleByIndex_v2 answered 15); look for XID 79 in the "
                          "kernel log, then reset the card or reboot the node"));
}

class NvmlNeededCallTest : public NvmlFailuresTest,
                           public ::testing::WithParamInterface<const char*> {};

TEST_P(NvmlNeededCallTest, FailingOnOneCardCostsThatCard) {
  Machine(Cards(3));
  Faults(std::string("{function: ") + GetParam() + ", card: 1, error: 999}");
  const aliquot::agent::Machine machine = Look();
  EXPECT_THAT(Uuids(machine), ElementsAre("GPU-0", "GPU-2"));
  ASSERT_EQ(machine.notes.size(), 1u);
  EXPECT_THAT(machine.notes[0], HasSubstr("card 1 of 3 is left out: "));
  EXPECT_THAT(machine.notes[0], HasSubstr(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Functions, NvmlNeededCallTest,
                         ::testing::Values("nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetUUID",
                                           "nvmlDeviceGetMinorNumber", "nvmlDeviceGetName",
                                           "nvmlDeviceGetMemoryInfo", "nvmlDeviceGetPciInfo_v3"));

class NvmlOptionalCallTest : public NvmlFailuresTest,
                             public ::testing::WithParamInterface<const char*> {};

TEST_P(NvmlOptionalCallTest, FailingCostsNoCard) {
  Machine(Cards(3), "links: {default: NV4}\n");
  Faults(std::string("{function: ") + GetParam() + ", error: 999}");
  EXPECT_THAT(Uuids(Look()), ElementsAre("GPU-0", "GPU-1", "GPU-2"));
}

INSTANTIATE_TEST_SUITE_P(
    Functions, NvmlOptionalCallTest,
    ::testing::Values("nvmlDeviceGetCpuAffinity", "nvmlDeviceGetCudaComputeCapability",
                      "nvmlDeviceGetMigMode", "nvmlDeviceGetTopologyCommonAncestor",
                      "nvmlDeviceGetNvLinkState", "nvmlDeviceGetNvLinkRemotePciInfo_v2",
                      "nvmlDeviceGetNvLinkRemoteDeviceType", "nvmlDeviceGetFieldValues",
                      "nvmlEventSetCreate", "nvmlDeviceRegisterEvents",
                      "nvmlDeviceGetSupportedEventTypes"));

TEST_F(NvmlFailuresTest, DriverThatGoesAwayDuringALookIsUnavailable) {
  Machine(Cards(2));
  Faults("{function: nvmlDeviceGetName, card: 1, error: 9}");
  EXPECT_EQ(LookError().code(), StatusCode::kUnavailable);
  Faults("");
  EXPECT_EQ(backend().CheckCards().status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(Uuids(Look()), ElementsAre("GPU-0", "GPU-1"));
}

TEST_F(NvmlFailuresTest, DriverThatGoesAwayDuringACheckIsTakenAnew) {
  Machine(Cards(1));
  Look();
  Faults("{function: nvmlDeviceGetMemoryInfo, error: 1}");
  const Status error = backend().CheckCards().status();
  EXPECT_EQ(error.code(), StatusCode::kUnavailable);
  EXPECT_EQ(error.message(),
            "NVML is not initialized (nvmlDeviceGetMemoryInfo answered 1); it is initialized again "
            "at the next look");
  Faults("");
  Look();
  EXPECT_THAT(NotPresent(), IsEmpty());
}

TEST_F(NvmlFailuresTest, CardLostWhileRunningIsNotPresentAndThenLeftOut) {
  Machine(Cards(3));
  Look();
  State("cards: [{uuid: GPU-1, lost: true}]\n");
  EXPECT_THAT(NotPresent(), ElementsAre("GPU-1"));
  const aliquot::agent::Machine machine = Look();
  EXPECT_THAT(Uuids(machine), ElementsAre("GPU-0", "GPU-2"));
  EXPECT_EQ(machine.notes.size(), 1u);
  EXPECT_THAT(NotPresent(), ElementsAre("GPU-1"));  // still known, though no look sees it
  EXPECT_EQ(backend().Figures("GPU-1").status().code(), StatusCode::kNotFound);
}

TEST_F(NvmlFailuresTest, CardThatWasResetComesBackAtTheNextLook) {
  // The simulated driver, like the real one, shows it only to who initializes NVML anew.
  Machine(Cards(2));
  Look();
  State("cards: [{uuid: GPU-1, lost: true}]\n");
  EXPECT_THAT(Uuids(Look()), ElementsAre("GPU-0"));
  State("");
  EXPECT_THAT(Uuids(Look()), ElementsAre("GPU-0", "GPU-1"));
  EXPECT_THAT(NotPresent(), IsEmpty());
}

TEST_F(NvmlFailuresTest, CardLostInTheMiddleOfALookIsLeftOut) {
  Machine(Cards(3));
  // Lost between its UUID and its memory.
  Faults("{function: nvmlDeviceGetMemoryInfo, card: 0, error: 15}");
  EXPECT_THAT(Uuids(Look()), ElementsAre("GPU-1", "GPU-2"));
}

TEST_F(NvmlFailuresTest, ReleaseUnloadsTheLibraryAndTheNextLookLoadsIt) {
  Machine(Cards(1));
  Look();
  void* loaded = dlopen(ALIQUOT_SIMGPU_NVML, RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(loaded, nullptr);
  dlclose(loaded);

  backend().Release();
  EXPECT_EQ(dlopen(ALIQUOT_SIMGPU_NVML, RTLD_NOW | RTLD_NOLOAD), nullptr);
  const Status error = backend().CheckCards().status();
  EXPECT_EQ(error.code(), StatusCode::kUnavailable);
  EXPECT_EQ(error.message(),
            "the driver is not in use: it was let go of, or the last look found none; it is taken "
            "at the next look");
  EXPECT_EQ(backend().Figures("GPU-0").status().code(), StatusCode::kUnavailable);

  EXPECT_THAT(Uuids(Look()), ElementsAre("GPU-0"));
}

TEST_F(NvmlFailuresTest, ReleaseEndsAWaitForEvents) {
  Machine(Cards(1));
  Look();
  std::atomic<bool> ended{false};
  std::thread waiting([&] {
    EXPECT_TRUE(backend_->WaitForEvents(std::chrono::hours(1)).ok());
    ended = true;
  });
  // Wherever the thread is: a release ends a wait for events, and a look one for a driver.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(40);
  while (!ended && std::chrono::steady_clock::now() < deadline) {
    backend().Release();
    Look();
  }
  ASSERT_TRUE(ended);
  waiting.join();
}

TEST_F(NvmlFailuresTest, CallsOfSeveralThreadsAndReleasesInBetweenEndInAWorkingDriver) {
  Machine(Cards(4));
  Look();
  // Whatever comes in between, a call works or says in which way the driver is not there.
  const auto expected = [](const Status& status) {
    return status.ok() || status.code() == StatusCode::kUnavailable ||
           status.code() == StatusCode::kNotFound;
  };
  std::atomic<int> odd{0};
  const auto repeat = [&](auto call) {
    return std::thread([&odd, expected, call] {
      for (int i = 0; i < 40; ++i) {
        odd += expected(call()) ? 0 : 1;
      }
    });
  };
  std::thread threads[] = {
      repeat([this] { return backend_->Look().status(); }),
      repeat([this] { return backend_->CheckCards().status(); }),
      repeat([this] { return backend_->Figures("GPU-2").status(); }),
      repeat([this] { return backend_->WaitForEvents(std::chrono::milliseconds(2)).status(); }),
      repeat([this] {
        backend_->Release();
        return Status::Ok();
      })};
  for (std::thread& each : threads) {
    each.join();
  }
  EXPECT_EQ(odd, 0);
  EXPECT_EQ(Look().cards.size(), 4u);
  EXPECT_THAT(NotPresent(), IsEmpty());
}

TEST_F(NvmlFailuresTest, CallThatHangsIsGivenUpAndWorksAgainWhenItComesBack) {
  options_.look_limit = std::chrono::milliseconds(100);
  options_.call_limit = std::chrono::milliseconds(100);
  Machine(Cards(1));
  Faults("{function: nvmlDeviceGetCount_v2, hang: true}");
  const Status error = LookError();
  EXPECT_EQ(error.code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(error.message(),
            "the driver has not answered for 100 ms while reading the cards; look for XID errors "
            "and hung tasks in the kernel log, reboot the node if it stays so");
  EXPECT_EQ(backend().CheckCards().status().code(), StatusCode::kDeadlineExceeded);

  Faults("");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  Result<aliquot::agent::Machine> machine = backend().Look();
  while (!machine.ok() && std::chrono::steady_clock::now() < deadline) {
    machine = backend().Look();
  }
  ASSERT_TRUE(machine.ok()) << machine.status().message();
  EXPECT_THAT(Uuids(*machine), ElementsAre("GPU-0"));
}

TEST_F(NvmlFailuresTest, ReleaseDoesNotWaitForACallThatHangs) {
  options_.call_limit = std::chrono::milliseconds(100);
  Machine(Cards(1));
  Look();
  Faults("{function: nvmlDeviceGetMemoryInfo, hang: true}");
  EXPECT_EQ(backend().CheckCards().status().code(), StatusCode::kDeadlineExceeded);
  backend().Release();  // returns; the driver is let go of when the call comes back
  Faults("");
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  void* loaded = nullptr;
  do {
    loaded = dlopen(ALIQUOT_SIMGPU_NVML, RTLD_NOW | RTLD_NOLOAD);
    if (loaded != nullptr) {
      dlclose(loaded);
      std::this_thread::yield();
    }
  } while (loaded != nullptr && std::chrono::steady_clock::now() < deadline);
  EXPECT_EQ(loaded, nullptr);
}

}  // namespace
}  // namespace aliquot::agent
