// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/grant_builder.h"

#include <cerrno>
#include <memory>
#include <string_view>

#include "agent/grant/allocate_answer.h"
#include "agent/grant/limits_of_grant.h"
#include "agent/grant/storage_error.h"

namespace aliquot::agent {
namespace {

// Runs one step after the other; the first error stays.
class Steps {
 public:
  explicit Steps(const std::string& shown) : shown_(shown) {}

  bool Do(const std::string& doing, int error) {
    if (status_.ok() && error != 0) {
      status_ = StorageError(shown_, doing, error);
    }
    return status_.ok();
  }
  const Status& status() const { return status_; }

 private:
  const std::string& shown_;
  Status status_;
};

// "nvidia-caps/nvidia-cap1" needs nvidia-caps.
int MakeFolderOf(const FileSystem& files, const std::string& devices, const std::string& name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos
             ? 0
             : files.MakeDirectories(devices + "/" + name.substr(0, slash), 0755);
}

void MakeDevices(const FileSystem& files, const GrantPlan& plan, const std::string& devices,
                 Steps& steps) {
  if (!steps.Do("making the directory of device nodes", files.MakeDirectory(devices, 0755))) {
    return;
  }
  for (const DeviceNode& node : plan.nodes) {
    if (!steps.Do("making the directory of " + node.name,
                  MakeFolderOf(files, devices, node.name)) ||
        !steps.Do("making device node " + node.name,
                  files.MakeNode(devices + "/" + node.name, node))) {
      return;
    }
  }
}

Status MakeLimits(const FileSystem& files, const GrantRecord& record, const std::string& directory,
                  Steps& steps) {
  const auto limits = std::make_unique<quota::LimitsRecord>();
  const Status made = LimitsOfGrant(record, *limits);
  if (!made.ok()) {
    return made;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(limits.get()), sizeof(*limits));
  const std::string folder = directory + "/limits";
  if (steps.Do("making the limits", files.MakeDirectory(folder, 0555))) {
    steps.Do("writing the limits", files.WriteNew(folder + "/" + kLimitsFile, bytes, 0444));
  }
  return steps.status();
}

// The library's file and the line that has the loader take it.
void MakeLibrary(const FileSystem& files, const PublishedLibrary& library,
                 const std::string& directory, Steps& steps) {
  const std::string folder = directory + "/library";
  const std::string preload = directory + "/preload";
  std::string line;
  if (!steps.Do("making the library's directory", files.MakeDirectory(folder, 0755)) ||
      !steps.Do("making the directory of ld.so.preload", files.MakeDirectory(preload, 0755))) {
    return;
  }
  if (library.available()) {
    const std::string from = library.directory + "/" + library.file;
    const std::string to = folder + "/" + library.file;
    int error = files.Link(from, to);
    if (error == EXDEV || error == EMLINK || error == EPERM) {
      error = files.Copy(from, to, 0755);
    }
    steps.Do("linking the enforcement library", error);
    line = std::string(kLibraryInContainer) + "/" + library.file + "\n";
  }
  steps.Do("writing ld.so.preload", files.WriteNew(preload + "/ld.so.preload", line, 0444));
}

}  // namespace

Status BuildGrant(const FileSystem& files, const GrantPlan& plan, const std::string& directory,
                  const std::string& shown) {
  Steps steps(shown);
  if (!steps.Do("making a directory", files.MakeDirectory(directory, 0711))) {
    return steps.status();
  }
  MakeDevices(files, plan, directory + "/dev", steps);
  if (!steps.status().ok()) {
    return steps.status();
  }
  if (const Status made = MakeLimits(files, plan.record, directory, steps); !made.ok()) {
    return made;
  }
  const std::string driver = directory + "/driver";
  steps.Do("naming the driver's libraries", plan.driver.directory.empty()
                                                ? files.MakeDirectory(driver, 0755)
                                                : files.MakeLink(plan.driver.directory, driver));
  MakeLibrary(files, plan.library, directory, steps);
  if (steps.status().ok()) {
    steps.Do(
        "writing " + std::string(kGrantRecordFile),
        files.WriteNew(directory + "/" + kGrantRecordFile, FormatGrantRecord(plan.record), 0600));
  }
  return steps.status();
}

}  // namespace aliquot::agent
