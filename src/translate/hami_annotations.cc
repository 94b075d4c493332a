// SPDX-License-Identifier: Apache-2.0
#include "admission/pod_review.h"
#include "base/strings.h"
#include "model/names.h"
#include "translate/schemes.h"

namespace aliquot::translate {
namespace {

constexpr char kNodePolicy[] = "hami.io/node-scheduler-policy";
constexpr char kGpuPolicy[] = "hami.io/gpu-scheduler-policy";

// Entries of a comma separated list, each with `mark` before it.
void Append(std::string_view list, const char* mark, std::string& to) {
  for (const std::string_view entry : Split(list, ',')) {
    if (const std::string_view name = Trim(entry); !name.empty()) {
      to += (to.empty() ? "" : ",") + std::string(mark) + std::string(name);
    }
  }
}

// Two lists of HAMi's, to have and not to have, are one of ours. HAMi takes an empty one for none.
// Returns our list.
std::string MoveLists(PodEdit& edit, const char* have, const char* have_not,
                      std::string_view ours) {
  std::string list;
  if (const std::string* value = edit.Annotation(have)) {
    Append(*value, "", list);
  }
  if (const std::string* value = edit.Annotation(have_not)) {
    Append(*value, "!", list);
  }
  edit.RemoveAnnotation(have);
  edit.RemoveAnnotation(have_not);
  if (!list.empty()) {
    edit.SetAnnotation(ours, list);
  }
  return list;
}

void MoveSelection(PodEdit& edit) {
  const std::string models = MoveLists(edit, "nvidia.com/use-gputype", "nvidia.com/nouse-gputype",
                                       model::kGpuModelAnnotation);
  if (!models.empty()) {
    edit.Note("annotation " + std::string(model::kGpuModelAnnotation) + " is " + Printable(models) +
              "; HAMi finds a part of a model's name, Aliquot compares the whole of it, such as "
              "A100-SXM4-80GB, so write it out");
  }
  const bool included = edit.Annotation("nvidia.com/use-gpuuuid") != nullptr;
  const std::string cards = MoveLists(edit, "nvidia.com/use-gpuuuid", "nvidia.com/nouse-gpuuuid",
                                      model::kGpuUuidAnnotation);
  if (!cards.empty() && included) {
    edit.Note("annotation " + std::string(model::kGpuUuidAnnotation) +
              " names cards to have, which a namespace's pods may only where an admin labelled it "
              "aliquot.io/allow-gpu-uuid=true");
  }
}

// What Aliquot calls the policy; "" for none.
std::string_view PlacementOf(std::string_view policy) {
  if (policy == "binpack" || policy == "spread") {
    return policy;
  }
  return policy == "topology-aware" ? "topology" : "";
}

// HAMi has one for nodes and an ordered list for cards; here both follow one policy.
void MovePolicies(PodEdit& edit) {
  std::string placement;
  for (const char* key : {kGpuPolicy, kNodePolicy}) {
    const std::string* value = edit.Annotation(key);
    if (value == nullptr) {
      continue;
    }
    for (const std::string_view entry : Split(*value, ',')) {
      const std::string policy(Trim(entry));
      const std::string_view ours = PlacementOf(policy);
      if (policy == "numa") {
        edit.SetAnnotation(model::kNumaAnnotation, "preferred");
      } else if (ours.empty()) {
        edit.Note(std::string("annotation ") + key + ": " + Printable(policy) +
                  " has no equal and is removed; for a card of one's own ask for a whole GPU");
      } else if (placement.empty()) {
        placement = ours;
      } else if (placement != ours) {
        edit.Note(std::string("annotation ") + key + ": " + Printable(policy) +
                  " is removed; Aliquot follows one policy for nodes and cards, here " + placement);
      }
    }
    edit.RemoveAnnotation(key);
  }
  if (!placement.empty()) {
    edit.SetAnnotation(model::kPlacementAnnotation, placement);
  }
}

void MoveModes(PodEdit& edit) {
  if (const std::string* bind = edit.Annotation("nvidia.com/numa-bind")) {
    if (*bind == "true") {
      edit.SetAnnotation(model::kNumaAnnotation, "required");
    }
    edit.RemoveAnnotation("nvidia.com/numa-bind");
  }
  if (const std::string* mode = edit.Annotation("nvidia.com/vgpu-mode")) {
    if (*mode != "hami-core") {
      edit.Note("annotation nvidia.com/vgpu-mode is " + Printable(*mode) +
                " and removed; in this version shares are held by the driver's or the library's "
                "limits alone");
    }
    edit.RemoveAnnotation("nvidia.com/vgpu-mode");
  }
  if (edit.Annotation("hami.io/device-scoring-weights") != nullptr) {
    edit.Note("annotation hami.io/device-scoring-weights has no equal and is removed");
    edit.RemoveAnnotation("hami.io/device-scoring-weights");
  }
}

// What HAMi's scheduler wrote, in a pod that was read from a cluster.
void RemoveRecords(PodEdit& edit) {
  bool any = false;
  for (const char* key :
       {"hami.io/vgpu-node", "hami.io/vgpu-time", "hami.io/vgpu-devices-to-allocate",
        "hami.io/vgpu-devices-allocated", "hami.io/vgpu-mig-allocations", "hami.io/bind-phase",
        "hami.io/bind-time"}) {
    any = any || edit.Annotation(key) != nullptr;
    edit.RemoveAnnotation(key);
  }
  edit.RemoveLabel("hami.io/vgpu-node");
  if (any) {
    edit.Note("the annotations in which HAMi recorded the pod's cards are removed");
  }
}

void NoteSurroundings(PodEdit& edit) {
  const nlohmann::json* runtime = admission::Member(edit.pod(), {"spec", "runtimeClassName"});
  if (runtime != nullptr && *runtime == "nvidia") {
    edit.Note(
        "runtimeClassName nvidia stays; Aliquot does not need it, and where no such "
        "RuntimeClass exists the pod is refused");
  }
  const nlohmann::json* selected = admission::Member(edit.pod(), {"spec", "nodeSelector", "gpu"});
  if (selected != nullptr) {
    edit.Note("nodeSelector gpu stays; HAMi's nodes have that label, see that Aliquot's have it");
  }
}

}  // namespace

void TranslateHamiAnnotations(PodEdit& edit) {
  MoveSelection(edit);
  MovePolicies(edit);
  MoveModes(edit);
  RemoveRecords(edit);
  edit.NoteLeftAnnotations({"hami.io/", "nvidia.com/", "4pd.io/"});
  NoteSurroundings(edit);
}

}  // namespace aliquot::translate
