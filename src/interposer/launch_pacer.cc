// SPDX-License-Identifier: Apache-2.0
#include "interposer/launch_pacer.h"

#include <time.h>

#include "interposer/cards.h"
#include "interposer/container.h"
#include "interposer/system_calls.h"

ALIQUOT_DRIVER_FUNCTION(CUresult, cuDeviceGetCount, (int* count));

namespace aliquot::interposer {
namespace {

constexpr std::uint32_t kOneCard = 1;
constexpr std::uint32_t kSeveralCards = 2;
constexpr std::uint64_t kLookEveryNs = 500'000;
constexpr std::uint64_t kLongestSliceNs = 10'000'000;
constexpr std::uint64_t kShortestSliceNs = 50'000;

void Sleep(std::uint64_t ns) {
  struct timespec slice {};
  slice.tv_nsec = static_cast<long>(ns);
  SystemCall(SYS_nanosleep, AsArgument(&slice), 0);
}

template <typename T>
void Count(T& counter, T by) {
  __atomic_fetch_add(&counter, by, __ATOMIC_RELAXED);
}

std::uint64_t KeyOf(const LaunchShape& shape) {
  const std::uint64_t words[] = {reinterpret_cast<std::uintptr_t>(shape.what), shape.grid[0],
                                 shape.grid[1], shape.grid[2]};
  return LaunchKeyOf(words, sizeof words / sizeof words[0]);
}

// Where there is but one card, nobody needs to ask the driver for each launch.
int CardOfLaunch(LaunchState& state) {
  std::uint32_t known = __atomic_load_n(&state.one_card, __ATOMIC_RELAXED);
  if (__builtin_expect(known == 0, 0)) {
    int devices = 0;
    if (ALIQUOT_REAL(cuDeviceGetCount)(&devices) != CUDA_SUCCESS) {
      return -1;
    }
    known = devices == 1 && CardCount() == 1 && CardOfDevice(0) == 0 ? kOneCard : kSeveralCards;
    __atomic_store_n(&state.one_card, known, __ATOMIC_RELAXED);
  }
  return known == kOneCard ? 0 : CardOfCurrentContext();
}

// GPU time on a card that this thread has paid for ahead.
struct Prepaid {
  std::uint64_t left_ns;
  std::int32_t card;
  LaunchBook book;
  ShareNow share;
};
__thread Prepaid prepaid __attribute__((tls_model("initial-exec")));

}  // namespace

ShareNow PacedLaunch::Share() const {
  const CoreLimit limit = CoreLimitOf(card_);
  return {limit.percent, limit.guaranteed, limit.busy_correction_ns};
}

PacedLaunch::PacedLaunch(const LaunchShape& shape) : stream_(shape.stream) {
  if (!Enforced()) {
    return;
  }
  state_ = OwnLaunchState();
  if (state_ == nullptr || Capturing(*state_, stream_)) {
    return;
  }
  const int card = CardOfLaunch(*state_);
  if (card < 0) {
    return;
  }
  card_ = card;
  cost_ = &FindCost(state_->costs, KeyOf(shape));
  if (IsPrepaid()) {
    return;
  }
  const int slot = OwnSlot();
  quota::UsageRegion& region = Region();
  if (slot >= 0) {
    book_.cell = &region.slot[slot].card[card];
  }
  share_ = Share();
  if (share_.guaranteed >= 100) {
    card_ = -1;
    return;
  }
  book_.pace = &region.pace[card];
  book_.flight = &state_->flight[card];
  Go(shape, ClockNs(CLOCK_MONOTONIC));
}

bool PacedLaunch::IsPrepaid() {
  if (__atomic_load_n(&state_->in_use, __ATOMIC_RELAXED) == 0) {
    __atomic_store_n(&state_->in_use, 1U, __ATOMIC_RELAXED);
    prepaid.left_ns = 0;
  }
  if (prepaid.left_ns == 0 || prepaid.card != card_) {
    return false;
  }
  charged_ns_ = TakePrepaid(*prepaid.book.flight, *cost_, prepaid.left_ns);
  book_ = charged_ns_ != 0 ? prepaid.book : book_;
  share_ = prepaid.share;
  return charged_ns_ != 0;
}

// What is left is used up first, and so is what was paid on another card.
void PacedLaunch::PayAhead(std::uint64_t now_ns) {
  if (prepaid.left_ns < charged_ns_ && (prepaid.left_ns == 0 || prepaid.card == card_)) {
    const std::uint64_t more_ns = Prepay(*book_.pace, *book_.flight, share_, charged_ns_, now_ns);
    prepaid = {prepaid.left_ns + more_ns, card_, book_, share_};
  }
}

void PacedLaunch::Go(const LaunchShape& shape, std::uint64_t now_ns) {
  std::uint64_t& looked = state_->looked_ns[card_];
  if (now_ns - __atomic_load_n(&looked, __ATOMIC_RELAXED) >= kLookEveryNs) {
    __atomic_store_n(&looked, now_ns, __ATOMIC_RELAXED);
    LookAtSamples(*state_, book_, share_, now_ns);
  }
  const GateResult asked =
      AskGate(*book_.pace, *book_.flight, *cost_, share_, now_ns, GateQuestion::kWorkAndTime);
  charged_ns_ = asked.value_ns;
  if (asked.answer != GateAnswer::kGo) {
    const std::uint64_t began_ns = now_ns;
    now_ns = Wait(now_ns);
    if (book_.cell != nullptr) {
      Count(book_.cell->throttled_ns, now_ns - began_ns);
    }
  } else {
    PayAhead(now_ns);
  }
  if (shape.timeable && SampleDue(*book_.flight, *cost_, now_ns)) {
    sample_ = BeginSample(*state_, book_, *cost_, stream_, now_ns);
  }
}

std::uint64_t PacedLaunch::Wait(std::uint64_t now_ns) {
  const std::uint64_t began_ns = now_ns;
  std::uint64_t may_wait_ns = 0;
  bool waited_for_work = false;
  GateQuestion question = GateQuestion::kWorkAndTime;
  while (true) {
    const GateResult asked = AskGate(*book_.pace, *book_.flight, *cost_, share_, now_ns, question);
    if (asked.answer == GateAnswer::kGo) {
      charged_ns_ = asked.value_ns;
      if (waited_for_work && question == GateQuestion::kWorkAndTime) {
        FlightWaitOver(*book_.flight, false);
      }
      return now_ns;
    }
    const std::uint64_t waited_ns = now_ns - began_ns;
    std::uint64_t slice_ns = asked.value_ns;
    if (asked.answer == GateAnswer::kWaitForWork) {
      waited_for_work = true;
      if (waited_ns > LongestFlightWait(*book_.flight)) {
        FlightWaitOver(*book_.flight, true);
        SamplesOverdue(*state_);
        question = GateQuestion::kTime;
        continue;
      }
      slice_ns = waited_ns / 4 < slice_ns ? waited_ns / 4 : slice_ns;
    } else {
      may_wait_ns = may_wait_ns != 0 ? may_wait_ns
                                     : waited_ns + LongestTimeWait(*book_.flight, *cost_, slice_ns);
      if (waited_ns > may_wait_ns) {
        question = GateQuestion::kNothing;
        continue;
      }
    }
    slice_ns = slice_ns < kLongestSliceNs ? slice_ns : kLongestSliceNs;
    Sleep(slice_ns > kShortestSliceNs ? slice_ns : kShortestSliceNs);
    now_ns = ClockNs(CLOCK_MONOTONIC);
    share_ = Share();
    LookAtSamples(*state_, book_, share_, now_ns);
  }
}

void PacedLaunch::End(CUresult result) {
  const bool launched = result == CUDA_SUCCESS;
  if (launched && book_.cell != nullptr) {
    Count(book_.cell->launches, std::uint64_t{1});
    Count(book_.cell->busy_ns, charged_ns_);
  }
  if (card_ < 0) {
    return;
  }
  if (!launched) {
    UndoLaunch(*book_.pace, *book_.flight, share_, charged_ns_, ClockNs(CLOCK_MONOTONIC));
  }
  if (sample_ != nullptr) {
    EndSample(book_, *sample_, stream_, launched, ClockNs(CLOCK_MONOTONIC));
  }
}

}  // namespace aliquot::interposer
