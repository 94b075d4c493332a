// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace aliquot::bench {

// What the kernel knows of a process at one moment.
struct ProcessFigures {
  double rss_mb = 0;        // resident, MB of 10^6 bytes
  double anonymous_mb = 0;  // of these: not of files
  double cpu_s = 0;         // user and system time so far
  int threads = 0;
  long switches = 0;  // voluntary context switches of all threads so far: how often it woke up
};

// A program that ends with this one at the latest. Not thread-safe.
class ChildProcess {
 public:
  // Starts arguments[0] with its output in the file `log`. Throws std::runtime_error.
  ChildProcess(const std::vector<std::string>& arguments, std::string log);
  // Kills it: what ends now is not measured.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Throws when it has ended, with what it wrote last.
  void CheckRunning();
  ProcessFigures Figures() const;
  // What it has written.
  std::string Log() const;

 private:
  const std::string log_;
  pid_t pid_ = -1;
};

}  // namespace aliquot::bench
