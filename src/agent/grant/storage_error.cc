// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/storage_error.h"

#include <cerrno>
#include <system_error>

namespace aliquot::agent {
namespace {

std::string_view Remedy(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "make room on its file system";
    case EROFS:
      return "mount it writable for the agent";
    case EPERM:
      return "give the agent CAP_MKNOD and CAP_CHOWN, and a file system that allows device nodes";
    case EACCES:
      return "run the agent as the directory's owner";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files";
    default:
      return "see that the agent may write there";
  }
}

}  // namespace

Status StorageError(const std::string& directory, std::string_view doing, int error_number) {
  const StatusCode code = error_number == ENOSPC || error_number == EDQUOT
                              ? StatusCode::kResourceExhausted
                              : StatusCode::kFailedPrecondition;
  return Status(code, directory + " is not written: " + std::string(doing) + ": " +
                          std::generic_category().message(error_number) + "; " +
                          std::string(Remedy(error_number)));
}

}  // namespace aliquot::agent
