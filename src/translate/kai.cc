// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "admission/pod_review.h"
#include "base/strings.h"
#include "translate/memory.h"
#include "translate/schemes.h"
#include "translate/surroundings.h"

namespace aliquot::translate {
namespace {

constexpr char kFraction[] = "gpu-fraction";
constexpr char kMemory[] = "gpu-memory";
constexpr char kDevices[] = "gpu-fraction-num-devices";
constexpr char kContainerName[] = "gpu-fraction-container-name";

Status Malformed(const char* key, const std::string& value, const char* remedy) {
  return InvalidArgument(std::string("annotation ") + key + " is " + Printable(value) + "; " +
                         remedy);
}

// "0.5" to 5000 ten-thousandths; nothing for anything but a decimal above 0 and up to 1. Digits
// past the fourth are left out.
std::optional<std::int64_t> TenThousandths(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view digits = point == std::string_view::npos ? "" : text.substr(point + 1);
  const bool all_digits =
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  const auto units = whole.empty() ? std::optional<std::int64_t>(0) : ParseUnsigned(whole);
  if (!all_digits || !units || *units > 1 || (whole.empty() && digits.empty())) {
    return std::nullopt;
  }
  std::int64_t value = *units;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  }
  return value >= 1 && value <= 10000 ? std::optional(value) : std::nullopt;
}

// KAI gives the share to the container that is named, or to the first one.
Result<ContainerRef> SharesContainer(const PodEdit& edit) {
  const std::string* name = edit.Annotation(kContainerName);
  for (const ContainerRef& container : edit.Containers()) {
    const bool app = StartsWith(container.path, "/spec/containers/");
    if (name == nullptr ? app : *admission::Member(*container.container, "name") == *name) {
      return container;
    }
  }
  return name == nullptr ? InvalidArgument("the pod has no container; give one")
                         : Malformed(kContainerName, *name, "name a container of the pod");
}

Status ReadFraction(PodEdit& edit, const std::string& label, const std::string& text,
                    Share& share) {
  const auto part = TenThousandths(text);
  if (!part) {
    return Malformed(kFraction, text, "give a decimal above 0 and up to 1, such as 0.5");
  }
  share.whole = *part == 10000;
  if (share.whole) {
    return Status::Ok();
  }
  share.core = std::clamp<std::int64_t>((*part + 99) / 100, 1, 99);
  if (share.core * 100 != *part) {
    edit.Note(label + ": " + kFraction + " " + Printable(text) + " becomes " +
              std::to_string(share.core) + " %; Aliquot counts core in whole percent");
  }
  const auto units =
      UnitsOfPart(edit, label, std::string(kFraction) + " " + Printable(text), *part);
  share.units = units.ok() ? *units : 0;
  return units.status();
}

Status ReadMemory(PodEdit& edit, const std::string& label, const std::string& text, Share& share) {
  const auto mib = ParseUnsigned(text);
  if (!mib) {
    return Malformed(kMemory, text, "give the MiB of one card as a whole number");
  }
  const Result<std::int64_t> units =
      UnitsOf(edit, label, std::string("annotation ") + kMemory, *mib);
  if (!units.ok()) {
    return units.status();
  }
  share.units = *units;
  const Result<std::int64_t> core = CoreOfMemory(edit, label, *units);
  share.core = core.ok() ? *core : 0;
  return core.status();
}

Status ReadDevices(const PodEdit& edit, Share& share) {
  const std::string* text = edit.Annotation(kDevices);
  if (text == nullptr) {
    return Status::Ok();
  }
  const auto count = ParseUnsigned(*text);
  if (!count || *count < 1) {
    return Malformed(kDevices, *text, "give a whole number from 1");
  }
  share.cards = *count;
  return Status::Ok();
}

Status TranslateShare(PodEdit& edit, const std::string* fraction, const std::string* memory) {
  if (fraction != nullptr && memory != nullptr) {
    return InvalidArgument(std::string("annotations ") + kFraction + " and " + kMemory +
                           " are given at once; keep one of them");
  }
  const Result<ContainerRef> container = SharesContainer(edit);
  if (!container.ok()) {
    return container.status();
  }
  Share share;
  share.elastic = true;
  Status status = ReadDevices(edit, share);
  if (status.ok()) {
    status = fraction != nullptr ? ReadFraction(edit, container->label, *fraction, share)
                                 : ReadMemory(edit, container->label, *memory, share);
  }
  if (status.ok()) {
    status = edit.Give(*container, share, {kGpuResource});
  }
  if (status.ok() && !share.whole) {
    edit.Note(container->label +
              ": KAI bounds neither core nor memory; Aliquot holds the memory, guarantees the core "
              "and gives more of it while the card is idle");
  }
  return status;
}

void NoteWhatKaiDoesBesides(PodEdit& edit) {
  for (std::string& note : QueueNotes(edit.pod())) {
    edit.Note(std::move(note));
  }
  if (edit.Annotation("pod-group-name") != nullptr) {
    edit.Note(
        "annotation pod-group-name stays and has no effect; Aliquot places pods one by one, "
        "Kueue starts groups together");
  }
  edit.RemoveLabel("runai-gpu-group");
  edit.NoteLeftAnnotations({"kai.scheduler/", "runai/", "gpu-"});
}

}  // namespace

Status TranslateKai(PodEdit& edit) {
  const std::string* fraction = edit.Annotation(kFraction);
  const std::string* memory = edit.Annotation(kMemory);
  if (fraction != nullptr || memory != nullptr) {
    if (Status status = TranslateShare(edit, fraction, memory); !status.ok()) {
      return status;
    }
    for (const char* key : {kFraction, kMemory, kDevices, kContainerName}) {
      edit.RemoveAnnotation(key);
    }
  } else {
    for (const ContainerRef& container : edit.Containers()) {
      if (Status status = GiveWholeGpus(edit, container); !status.ok()) {
        return status;
      }
    }
  }
  if (edit.gave_any()) {
    edit.RemoveScheduler(kKaiScheduler);
    NoteWhatKaiDoesBesides(edit);
  }
  return Status::Ok();
}

}  // namespace aliquot::translate
