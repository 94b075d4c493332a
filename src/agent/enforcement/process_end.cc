// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/process_end.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace aliquot::agent {
namespace {

// glibc 2.36 has wrappers, older ones do not: pidfd_open(2), pidfd_send_signal(2).
class Pidfd {
 public:
  explicit Pidfd(pid_t pid) : fd_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}
  ~Pidfd() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }
  Pidfd(const Pidfd&) = delete;
  Pidfd& operator=(const Pidfd&) = delete;

  bool open() const { return fd_ >= 0; }
  bool Kill() const { return syscall(SYS_pidfd_send_signal, fd_, SIGKILL, nullptr, 0) == 0; }

 private:
  const int fd_;
};

Status Failed(pid_t pid, const std::string& what, int error) {
  const std::string sentence =
      "process " + std::to_string(pid) + " " + what + ": " + std::generic_category().message(error);
  if (error == ESRCH) {
    return NotFound(sentence);
  }
  return error == EPERM
             ? Status(StatusCode::kPermissionDenied, sentence + "; give the agent CAP_KILL")
             : Unavailable(sentence);
}

}  // namespace

Status EndProcess(const ProcessToEnd& process, const ProcessReader& reader) {
  const Pidfd pidfd(process.pid);
  if (!pidfd.open()) {
    return Failed(process.pid, "can't be named", errno);
  }
  const auto owner = OwnerOf(process.pid, reader.proc());
  const bool same = owner && owner->pod_uid == process.owner.pod_uid &&
                    owner->container_id == process.owner.container_id &&
                    !process.owner.pod_uid.empty() &&
                    reader.StartTicks(process.pid) == process.start_ticks;
  if (!same) {
    return NotFound("process " + std::to_string(process.pid) +
                    " is another one, or of another container, than it was; it is left alone");
  }
  return pidfd.Kill() ? Status::Ok() : Failed(process.pid, "can't be ended", errno);
}

}  // namespace aliquot::agent
