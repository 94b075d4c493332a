// SPDX-License-Identifier: Apache-2.0
#include "cli/run_command.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"

namespace aliquot::cli {
namespace {

using kubeclient::CommandEnd;
using kubeclient::CommandStart;
using Time = std::chrono::steady_clock;

constexpr std::chrono::seconds kGrace{2};  // between SIGTERM and SIGKILL

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  void Close() {
    if (fd_ >= 0) {
      close(std::exchange(fd_, -1));
    }
  }

 private:
  int fd_;
};

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

// The file to run; "" when there is none. Of PATH, absolute folders only: a program out of the
// folder in which somebody happens to stand is not what the kubeconfig means.
std::string FindCommand(const std::string& command) {
  if (command.find('/') != std::string::npos) {
    return Exists(command) ? command : "";
  }
  const char* path = std::getenv("PATH");
  std::string refused;  // there, but not executable
  for (const std::string_view folder : Split(path == nullptr ? "/usr/bin:/bin" : path, ':')) {
    std::string file = std::string(folder) + "/" + command;
    if (!StartsWith(folder, "/") || !Exists(file)) {
      continue;
    }
    if (access(file.c_str(), X_OK) == 0) {
      return file;
    }
    refused = refused.empty() ? file : refused;
  }
  return refused;
}

// This process's variables and those of the start, which win.
std::vector<std::string> EnvironmentOf(const CommandStart& start) {
  std::vector<std::string> lines;
  for (char** line = environ; *line != nullptr; ++line) {
    const std::string_view text = *line;
    const std::string_view name = text.substr(0, text.find('='));
    const auto same = [&](const auto& variable) { return variable.first == name; };
    if (std::none_of(start.environment.begin(), start.environment.end(), same)) {
      lines.emplace_back(text);
    }
  }
  for (const auto& [name, value] : start.environment) {
    const auto replaced =
        std::find_if(lines.begin(), lines.end(),
                     [&name = name](const auto& line) { return StartsWith(line, name + "="); });
    if (replaced != lines.end()) {
      lines.erase(replaced);  // the last of a name holds
    }
    lines.push_back(name + "=" + value);
  }
  return lines;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

// What the child does with descriptors and signals before it becomes the program.
class SpawnSettings {
 public:
  SpawnSettings(int output, bool passes_input) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    bool ok = posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO) == 0;
    if (!passes_input) {
      ok &=
          posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0;
    }
    ok &= posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1) == 0;
    sigset_t signals;
    sigemptyset(&signals);
    ok &= posix_spawnattr_setsigmask(&attributes_, &signals) == 0;
    sigaddset(&signals, SIGPIPE);
    ok &= posix_spawnattr_setsigdefault(&attributes_, &signals) == 0;
    ok &=
        posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) == 0;
    ok_ = ok;
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  bool ok() const { return ok_; }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
  bool ok_ = false;
};

// 0 and the process, or an errno.
int Spawn(const std::string& file, const CommandStart& start, int output, pid_t& child) {
  const SpawnSettings settings(output, start.passes_input);
  if (!settings.ok()) {
    return ENOMEM;
  }
  std::vector<std::string> words = {start.command};
  words.insert(words.end(), start.arguments.begin(), start.arguments.end());
  std::vector<std::string> variables = EnvironmentOf(start);
  return posix_spawn(&child, file.c_str(), settings.actions(), settings.attributes(),
                     Pointers(words).data(), Pointers(variables).data());
}

// The wait for a child that has been started, and its end. Until it is waited for, its number is
// nobody else's.
class Child {
 public:
  Child(pid_t pid, int output) : pid_(pid), output_(output) {
    ended_.fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  }
  ~Child() {
    if (ended_.fd >= 0) {
      close(ended_.fd);
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  CommandEnd Watch(const CommandStart& start) {
    CommandEnd end;
    if (ended_.fd < 0) {
      end.number = errno;
      return Kill(std::move(end));
    }
    const auto deadline = Time::now() + start.time_limit;
    while (!WaitUntil(deadline)) {
      if (Time::now() >= deadline) {
        end.kind = CommandEnd::Kind::kOutOfTime;
        return Kill(std::move(end));
      }
      Read();
      if (text_.size() > start.max_output_bytes) {
        end.kind = CommandEnd::Kind::kTooTalkative;
        return Kill(std::move(end));
      }
    }
    while (Read() && text_.size() <= start.max_output_bytes) {
    }
    end = Reap();
    if (text_.size() > start.max_output_bytes) {
      end.kind = CommandEnd::Kind::kTooTalkative;
    } else {
      end.output = std::move(text_);
    }
    return end;
  }

 private:
  // True when the child has ended; false when there may be something to read or the time is over.
  bool WaitUntil(Time::time_point deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Time::now());
    std::array<pollfd, 2> waits{{{ended_.fd, POLLIN, 0}, {at_end_ ? -1 : output_, POLLIN, 0}}};
    poll(waits.data(), waits.size(), static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    return waits[0].revents != 0;
  }

  // A piece of what is there now; false when there is none.
  bool Read() {
    std::array<char, 65536> piece{};
    const ssize_t count = read(output_, piece.data(), piece.size());
    at_end_ = count == 0;
    if (count <= 0) {
      return false;
    }
    text_.append(piece.data(), static_cast<std::size_t>(count));
    return true;
  }

  CommandEnd Kill(CommandEnd end) {
    kill(pid_, SIGTERM);
    at_end_ = true;  // what it still prints is of no use
    if (ended_.fd < 0 || !WaitUntil(Time::now() + kGrace)) {
      kill(pid_, SIGKILL);
    }
    static_cast<void>(Reap());
    return end;
  }

  CommandEnd Reap() const {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    CommandEnd end;
    end.kind = WIFSIGNALED(status) ? CommandEnd::Kind::kSignalled : CommandEnd::Kind::kExited;
    end.number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    return end;
  }

  const pid_t pid_;
  const int output_;  // does not block
  pollfd ended_{-1, POLLIN, 0};
  bool at_end_ = false;
  std::string text_;
};

CommandEnd NotStarted(int number) {
  CommandEnd end;
  end.kind = number == 0 ? CommandEnd::Kind::kNotFound : CommandEnd::Kind::kNotStarted;
  end.number = number;
  return end;
}

}  // namespace

CommandEnd RunCommand(const CommandStart& start) {
  const std::string file = FindCommand(start.command);
  if (file.empty()) {
    return NotStarted(0);
  }
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return NotStarted(errno);
  }
  const Descriptor ours(ends[0]);
  Descriptor theirs(ends[1]);
  pid_t pid = 0;
  if (const int problem = Spawn(file, start, theirs.get(), pid); problem != 0) {
    return NotStarted(problem);
  }
  theirs.Close();
  fcntl(ours.get(), F_SETFL, O_NONBLOCK);
  return Child(pid, ours.get()).Watch(start);
}

kubeclient::PluginHost OwnPluginHost() { return {RunCommand, isatty(STDIN_FILENO) == 1}; }

}  // namespace aliquot::cli
