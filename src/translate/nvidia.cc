// SPDX-License-Identifier: Apache-2.0
#include "admission/pod_review.h"
#include "base/strings.h"
#include "translate/memory.h"
#include "translate/schemes.h"

namespace aliquot::translate {
namespace {

constexpr char kSharedResource[] = "nvidia.com/gpu.shared";
constexpr char kMigPrefix[] = "nvidia.com/mig-";

void NoteMig(PodEdit& edit, const ContainerRef& container) {
  for (const char* kind : {"limits", "requests"}) {
    const nlohmann::json* amounts = admission::Member(*container.container, {"resources", kind});
    if (amounts == nullptr || !amounts->is_object()) {
      continue;
    }
    for (const auto& [key, value] : amounts->items()) {
      if (StartsWith(key, kMigPrefix)) {
        edit.Note(container.label + ": " + Printable(key) +
                  " stays; Aliquot hands out no MIG instances, NVIDIA's plugin does");
        return;
      }
    }
  }
}

// A replica of a time-sliced GPU bounds neither memory nor core; the admin says what it is worth.
Status GiveReplicas(PodEdit& edit, const ContainerRef& container, std::int64_t count,
                    const ReplicaShare& replica) {
  Share share;
  share.cards = count;
  share.core = replica.core;
  const Result<std::int64_t> units = UnitsOf(edit, container.label, "the replica", replica.mib);
  if (!units.ok()) {
    return units.status();
  }
  share.units = *units;
  edit.Note(container.label + ": a time-sliced GPU becomes " + std::to_string(replica.core) +
            " % and " + std::to_string(replica.mib) +
            " MiB, which are held from now on: a process that takes more memory is refused it");
  return edit.Give(container, share, {kGpuResource, kSharedResource});
}

Status TranslateContainer(PodEdit& edit, const ContainerRef& container) {
  NoteMig(edit, container);
  const auto shared = edit.Amount(container, kSharedResource);
  const auto gpus = edit.Amount(container, kGpuResource);
  if (!shared.ok() || !gpus.ok()) {
    return shared.ok() ? gpus.status() : shared.status();
  }
  const std::int64_t shared_count = shared->value_or(0);
  const std::int64_t count = gpus->value_or(0);
  if (shared_count > 0 && count > 0) {
    return InvalidArgument(container.label + " asks for " + kGpuResource + " and " +
                           kSharedResource + " at once; keep one of them");
  }
  if (shared_count > 0 && !edit.options().replica) {
    return InvalidArgument(container.label + ": " + kSharedResource +
                           " says neither core nor memory; say what one is worth with --share "
                           "CORE:MIB, or ask for " +
                           edit.options().names.core + " and " + edit.options().names.memory);
  }
  if (edit.options().replica && shared_count + count > 0) {
    return GiveReplicas(edit, container, shared_count + count, *edit.options().replica);
  }
  return GiveWholeGpus(edit, container);
}

}  // namespace

Status GiveWholeGpus(PodEdit& edit, const ContainerRef& container) {
  const auto gpus = edit.Amount(container, kGpuResource);
  if (!gpus.ok()) {
    return gpus.status();
  }
  const std::int64_t count = gpus->value_or(0);
  if (count == 0) {
    return Status::Ok();
  }
  Share share;
  share.cards = count;
  share.whole = true;
  return edit.Give(container, share, {kGpuResource});
}

Status TranslateNvidia(PodEdit& edit) {
  for (const ContainerRef& container : edit.Containers()) {
    if (Status status = TranslateContainer(edit, container); !status.ok()) {
      return status;
    }
  }
  if (edit.gave_any() && !edit.options().replica) {
    edit.Note(std::string(kGpuResource) +
              " becomes whole GPUs; where the GPUs were time-sliced, convert with --share "
              "CORE:MIB instead");
  }
  return Status::Ok();
}

}  // namespace aliquot::translate
