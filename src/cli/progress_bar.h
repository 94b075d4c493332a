// SPDX-License-Identifier: Apache-2.0
#pragma once

// A progress bar on a terminal, nothing elsewhere. Thread-safe: several runs may report.

#include <cstddef>
#include <iosfwd>
#include <vector>

#include "base/mutex.h"

namespace aliquot::cli {

class ProgressBar {
 public:
  // `out` must outlive it; silent unless `shown`.
  ProgressBar(std::ostream& out, bool shown, std::size_t runs);
  // Clears the line.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Run number `run` has done this part of its work, 0 to 1.
  void Report(std::size_t run, double part) EXCLUDES(mutex_);

 private:
  std::ostream& out_;
  const bool shown_;
  Mutex mutex_;
  std::vector<double> parts_ GUARDED_BY(mutex_);
  int drawn_ GUARDED_BY(mutex_) = -1;  // percent
};

}  // namespace aliquot::cli
