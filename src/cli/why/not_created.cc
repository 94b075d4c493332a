// SPDX-License-Identifier: Apache-2.0
#include "cli/why/not_created.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/strings.h"

namespace aliquot::cli {
namespace {

constexpr std::size_t kShown = 600;
constexpr std::string_view kOurWebhooks = ".aliquot.io";

struct Kind {
  std::string_view name;
  std::string_view plural;
  std::string_view brief;
};
constexpr std::array<Kind, 8> kKinds{{{"Deployment", "deployments", "deploy"},
                                      {"ReplicaSet", "replicasets", "rs"},
                                      {"StatefulSet", "statefulsets", "sts"},
                                      {"DaemonSet", "daemonsets", "ds"},
                                      {"Job", "jobs", "job"},
                                      {"CronJob", "cronjobs", "cj"},
                                      {"ReplicationController", "replicationcontrollers", "rc"},
                                      {"Pod", "pods", "po"}}};

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// "web-5d9f8c7b4" of "web": what a Deployment or CronJob adds to its name is made of these alone
// (k8s.io/apimachinery/pkg/util/rand, SafeEncodeString; minutes since 1970).
bool MadeFor(std::string_view name, std::string_view owner, std::string_view alphabet) {
  return name.size() > owner.size() + 1 && StartsWith(name, owner) && name[owner.size()] == '-' &&
         name.find_first_not_of(alphabet, owner.size() + 1) == std::string_view::npos;
}
constexpr std::string_view kHash = "bcdfghjklmnpqrstvwxz2456789";
constexpr std::string_view kMinutes = "0123456789";

// What follows the last of these words; nothing when they are not there.
std::string_view After(std::string_view text, std::string_view words) {
  const std::size_t at = text.rfind(words);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + words.size());
}

// 'mutate.admission.aliquot.io' of `failed calling webhook "mutate.admission.aliquot.io": ..`.
std::string_view QuotedAfter(std::string_view text, std::string_view words) {
  const std::string_view rest = After(text, words);
  return rest.substr(0, rest.find('"'));
}

bool IsOurs(std::string_view webhook) {
  return webhook.size() > kOurWebhooks.size() &&
         webhook.substr(webhook.size() - kOurWebhooks.size()) == kOurWebhooks;
}

WhyAnswer Refused(std::string_view code, const std::string& why) {
  return {std::string(code), "its pods are not created" + why};
}

}  // namespace

bool Owner::Covers(std::string_view kind_of_maker, std::string_view name_of_maker) const {
  if ((kind.empty() || kind == kind_of_maker) && name == name_of_maker) {
    return true;
  }
  if (kind_of_maker == "ReplicaSet" && (kind.empty() || kind == "Deployment")) {
    return MadeFor(name_of_maker, name, kHash);
  }
  return kind_of_maker == "Job" && (kind.empty() || kind == "CronJob") &&
         MadeFor(name_of_maker, name, kMinutes);
}

Owner OwnerNamed(std::string_view kind, std::string_view name) {
  const std::string plain = Lower(kind.substr(0, kind.find('.')));
  for (const Kind& known : kKinds) {
    if (plain == Lower(known.name) || plain == known.plural || plain == known.brief) {
      return {std::string(known.name), std::string(name)};
    }
  }
  return {"", std::string(name)};
}

const SeenEvent* FailedCreation(const Owner& owner, const std::vector<SeenEvent>& events) {
  // k8s.io/kubernetes/pkg/controller/statefulset names the pod in its message.
  const std::string of_set = " Pod " + owner.name + " in StatefulSet ";
  for (const SeenEvent& event : events) {
    if (event.reason == "FailedCreate" &&
        (owner.Covers(event.kind, event.name) ||
         (owner.kind.empty() && event.message.find(of_set) != std::string::npos))) {
      return &event;
    }
  }
  return nullptr;
}

WhyAnswer NotCreated(std::string_view message) {
  if (const std::string_view webhook = QuotedAfter(message, "failed calling webhook \"");
      !webhook.empty()) {
    const std::string tail = Printable(After(message, "failed to call webhook: "), kShown);
    if (IsOurs(webhook)) {
      return Refused("allocator_down",
                     ", because aliquot-allocator, which admits GPU pods, does not answer; that is "
                     "tried again; aliquotctl doctor says more" +
                         (tail.empty() ? "" : ": " + tail));
    }
    return Refused("not_created", ", because the webhook " + Printable(webhook) +
                                      " does not answer" + (tail.empty() ? "" : ": " + tail));
  }
  if (const std::string_view sentence = After(message, "denied the request: "); !sentence.empty()) {
    const std::string_view webhook = QuotedAfter(message, "admission webhook \"");
    return IsOurs(webhook)
               ? Refused("admission_refused", ": " + Printable(sentence, kShown))
               : Refused("not_created", ", because the webhook " + Printable(webhook) +
                                            " refuses them: " + Printable(sentence, kShown));
  }
  if (const std::string_view sentence = After(message, "denied request: ");
      !sentence.empty() && message.find("'aliquot-") != std::string_view::npos) {
    return Refused("admission_refused", ": " + Printable(sentence, kShown));
  }
  for (const std::string_view words : {"exceeded quota: ", "failed quota: "}) {
    if (const std::string_view quota = After(message, words); !quota.empty()) {
      return Refused("quota", " for want of quota: " + std::string(words) +
                                  Printable(quota, kShown) +
                                  "; ask for less, end other pods, or have the quota raised");
    }
  }
  return Refused("not_created", ": " + Printable(message, kShown));
}

WhyAnswer WentAway(const std::vector<SeenEvent>& events_of_pod) {
  for (const SeenEvent& event : events_of_pod) {
    if (event.reason == "Preempted") {
      return {"preempted",
              "it is gone, as a pod of higher priority took its place (" + event.ToString() + ")"};
    }
    const bool marked = event.reason == "TaintManagerEviction" &&
                        event.message.find("Marking for deletion") != std::string::npos;
    if (marked || event.reason == "Evicted") {
      return {"evicted", "it is gone, as it was evicted (" + event.ToString() + ")"};
    }
  }
  return {};
}

}  // namespace aliquot::cli
