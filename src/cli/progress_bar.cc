// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_bar.h"

#include <numeric>
#include <ostream>
#include <string>

namespace aliquot::cli {
namespace {

constexpr int kWidth = 40;

}  // namespace

ProgressBar::ProgressBar(std::ostream& out, bool shown, std::size_t runs)
    : out_(out), shown_(shown), parts_(runs, 0) {}

ProgressBar::~ProgressBar() {
  MutexLock lock(mutex_);
  if (drawn_ >= 0) {
    out_ << '\r' << std::string(kWidth + 8, ' ') << '\r' << std::flush;
  }
}

void ProgressBar::Report(std::size_t run, double part) {
  if (!shown_) {
    return;
  }
  MutexLock lock(mutex_);
  parts_[run] = part;
  const double done = std::accumulate(parts_.begin(), parts_.end(), 0.0);
  const int percent = static_cast<int>(100 * done / static_cast<double>(parts_.size()));
  if (percent == drawn_) {
    return;
  }
  drawn_ = percent;
  const auto filled = static_cast<std::size_t>(percent * kWidth / 100);
  out_ << "\r[" << std::string(filled, '#') << std::string(kWidth - filled, '.') << "] " << percent
       << '%' << std::flush;
}

}  // namespace aliquot::cli
