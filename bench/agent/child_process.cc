// SPDX-License-Identifier: Apache-2.0
#include "bench/agent/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace aliquot::bench {
namespace {

std::string ReadAll(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The number after `field` in /proc's "Field:   number kB" lines.
long NumberOf(const std::string& status, const std::string& field) {
  const std::size_t at = status.find("\n" + field + ":");
  if (at == std::string::npos) {
    throw std::runtime_error("/proc names no " + field);
  }
  return std::stol(status.substr(at + field.size() + 2));
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments, std::string log)
    : log_(std::move(log)) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  const int out = open(log_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (out < 0) {
    throw std::runtime_error(log_ + " cannot be written");
  }
  pid_ = fork();
  if (pid_ == 0) {
    // Only what is safe between fork and exec in a program of many threads.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(out);
  if (pid_ < 0) {
    throw std::runtime_error(arguments[0] + " cannot be started");
  }
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

void ChildProcess::CheckRunning() {
  if (pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == pid_) {
    pid_ = -1;
  }
  if (pid_ < 0) {
    throw std::runtime_error("the program has ended by itself:\n" + Log());
  }
}

ProcessFigures ChildProcess::Figures() const {
  constexpr double kMbPerKib = 1024.0 / 1e6;
  const std::string folder = "/proc/" + std::to_string(pid_);
  const std::string status = ReadAll(folder + "/status");
  ProcessFigures figures;
  figures.rss_mb = static_cast<double>(NumberOf(status, "VmRSS")) * kMbPerKib;
  figures.anonymous_mb = static_cast<double>(NumberOf(status, "RssAnon")) * kMbPerKib;
  figures.threads = static_cast<int>(NumberOf(status, "Threads"));
  // After the name, which may hold anything: state is the 1st field, user and system time the 12th
  // and 13th.
  const std::string stat = ReadAll(folder + "/stat");
  std::istringstream fields(stat.substr(stat.rfind(')') + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) {
    fields >> skipped;
  }
  double user = 0;
  double system = 0;
  fields >> user >> system;
  figures.cpu_s = (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  for (const auto& task : std::filesystem::directory_iterator(folder + "/task")) {
    figures.switches += NumberOf(ReadAll(task.path() / "status"), "voluntary_ctxt_switches");
  }
  return figures;
}

std::string ChildProcess::Log() const { return ReadAll(log_); }

}  // namespace aliquot::bench
