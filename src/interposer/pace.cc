// SPDX-License-Identifier: Apache-2.0
#include "interposer/pace.h"

namespace aliquot::interposer {
namespace {

template <typename T>
T Load(const T& from) {
  return __atomic_load_n(&from, __ATOMIC_RELAXED);
}

template <typename T>
bool Exchange(T& word, T& expected, T desired) {
  return __atomic_compare_exchange_n(&word, &expected, desired, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED);
}

std::uint64_t Add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? ~std::uint64_t{0} : sum;
}

std::uint64_t Least(std::uint64_t a, std::uint64_t b) { return a < b ? a : b; }
std::uint64_t Most(std::uint64_t a, std::uint64_t b) { return a > b ? a : b; }

// The time in the cell; one that nobody can owe is a stranger's, and counts as paid.
std::uint64_t Believed(std::uint64_t ready, std::uint64_t now) {
  return ready > Add(now, kLongestDebtNs) ? now : ready;
}

std::uint64_t Moved(std::uint64_t ready, std::uint64_t wall, std::uint64_t now,
                    std::uint64_t credit) {
  const std::uint64_t earliest = now > credit ? now - credit : 0;
  const std::uint64_t from = Most(Believed(ready, now), earliest);
  return Least(Add(from, wall), Add(now, kLongestDebtNs));
}

std::uint64_t TakeRefund(quota::PaceCell& cell, std::uint64_t most) {
  std::uint64_t was = Load(cell.refund_ns);
  std::uint64_t taken = 0;
  do {
    if (was == 0) {
      return 0;
    }
    taken = Least(Least(was, kLargestRefundNs), most);
  } while (!Exchange(cell.refund_ns, was, Least(was, kLargestRefundNs) - taken));
  return taken;
}

void AddRefund(quota::PaceCell& cell, std::uint64_t more) {
  std::uint64_t was = Load(cell.refund_ns);
  while (more != 0 && !Exchange(cell.refund_ns, was, Least(Add(was, more), kLargestRefundNs))) {
  }
}

// What is owed shrinks first; what is left is given back with the next launches.
void GiveBack(quota::PaceCell& cell, std::uint64_t gpu_ns, std::uint32_t percent,
              std::uint64_t now) {
  std::uint64_t was = Load(cell.ready_ns);
  std::uint64_t paid = 0;
  std::uint64_t to = 0;
  do {
    const std::uint64_t ready = Believed(was, now);
    const std::uint64_t owed = ready > now ? ready - now : 0;
    paid = Least(WallTimeOf(gpu_ns, percent), owed);
    to = ready - paid;
  } while (!Exchange(cell.ready_ns, was, to));
  const std::uint64_t paid_gpu = paid * percent / 100;
  AddRefund(cell, gpu_ns > paid_gpu ? gpu_ns - paid_gpu : 0);
}

}  // namespace

std::uint64_t WallTimeOf(std::uint64_t gpu_ns, std::uint32_t percent) {
  if (percent == 0 || gpu_ns >= kLongestDebtNs) {
    return gpu_ns == 0 ? 0 : kLongestDebtNs;
  }
  return Least(gpu_ns * 100 / percent, kLongestDebtNs);
}

std::uint64_t PaceWait(const quota::PaceCell& cell, std::uint64_t now_ns) {
  const std::uint64_t ready = Believed(Load(cell.ready_ns), now_ns);
  return ready > now_ns ? ready - now_ns : 0;
}

std::uint64_t PaceAdmit(quota::PaceCell& cell, std::uint64_t gpu_ns, std::uint32_t percent,
                        std::uint64_t now_ns, std::uint64_t credit_ns) {
  const std::uint64_t refunded = TakeRefund(cell, gpu_ns);
  const std::uint64_t wall = WallTimeOf(gpu_ns - refunded, percent);
  std::uint64_t was = Load(cell.ready_ns);
  do {
    const std::uint64_t ready = Believed(was, now_ns);
    if (ready > now_ns && wall != 0) {
      AddRefund(cell, refunded);
      return ready - now_ns;
    }
  } while (!Exchange(cell.ready_ns, was, Moved(was, wall, now_ns, credit_ns)));
  return 0;
}

void PaceCharge(quota::PaceCell& cell, std::uint64_t gpu_ns, std::uint32_t percent,
                std::uint64_t now_ns, std::uint64_t credit_ns) {
  const std::uint64_t wall = WallTimeOf(gpu_ns - TakeRefund(cell, gpu_ns), percent);
  std::uint64_t was = Load(cell.ready_ns);
  while (!Exchange(cell.ready_ns, was, Moved(was, wall, now_ns, credit_ns))) {
  }
}

void PaceAdjust(quota::PaceCell& cell, std::int64_t gpu_ns, std::uint32_t percent,
                std::uint64_t now_ns) {
  if (gpu_ns < 0) {
    GiveBack(cell, std::uint64_t{0} - static_cast<std::uint64_t>(gpu_ns), percent, now_ns);
    return;
  }
  const auto more = static_cast<std::uint64_t>(gpu_ns);
  const std::uint64_t wall = WallTimeOf(more - TakeRefund(cell, more), percent);
  std::uint64_t was = Load(cell.ready_ns);
  std::uint64_t to = 0;
  do {
    // Debts that launches made stay; a correction adds none beyond its own bound.
    const std::uint64_t ready = Believed(was, now_ns);
    to = Least(Add(ready, wall), Most(ready, Add(now_ns, kLongestCorrectionDebtNs)));
  } while (!Exchange(cell.ready_ns, was, to));
}

bool PaceCorrect(quota::PaceCell& cell, std::int64_t correction_ns, std::uint32_t percent,
                 std::uint64_t now_ns) {
  std::int64_t was = Load(cell.correction_applied_ns);
  if (was == correction_ns || !Exchange(cell.correction_applied_ns, was, correction_ns)) {
    return false;
  }
  std::int64_t grown = 0;
  if (__builtin_sub_overflow(correction_ns, was, &grown)) {
    return false;  // a stranger wrote the word; it is right again from here on
  }
  PaceAdjust(cell, grown, percent, now_ns);
  return true;
}

bool PaceFollow(quota::PaceCell& cell, std::uint32_t percent, std::uint64_t now_ns) {
  std::uint64_t before = Load(cell.percent);
  if (before == percent || !Exchange(cell.percent, before, std::uint64_t{percent})) {
    return false;
  }
  if (before == 0 || before > 100 || percent == 0) {
    return true;
  }
  std::uint64_t was = Load(cell.ready_ns);
  std::uint64_t to = 0;
  do {
    const std::uint64_t ready = Believed(was, now_ns);
    if (ready <= now_ns) {
      return true;
    }
    to = now_ns + Least((ready - now_ns) * before / percent, kLongestDebtNs);
  } while (!Exchange(cell.ready_ns, was, to));
  return true;
}

}  // namespace aliquot::interposer
