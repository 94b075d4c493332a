// SPDX-License-Identifier: Apache-2.0
#include "cli/why/container_trouble.h"

#include <cctype>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "cli/doctor/api_reader.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kShown = 600;

bool IsImage(std::string_view reason) {
  return reason == "ImagePullBackOff" || reason == "ErrImagePull" || reason == "InvalidImageName" ||
         reason == "ErrImageNeverPull" || reason == "RegistryUnavailable" ||
         reason == "ImageInspectError";
}

// "card_busy: ..": our agent's refusals open with their name (docs/reference/grant.md).
bool IsRefusal(std::string_view text) {
  const std::size_t colon = text.find(": ");
  if (colon == 0 || colon == std::string_view::npos) {
    return false;
  }
  for (const char c : text.substr(0, colon)) {
    if (c != '_' && (std::islower(static_cast<unsigned char>(c)) == 0)) {
      return false;
    }
  }
  return true;
}

// What gRPC wraps around a sentence, once a call.
std::string_view Innermost(std::string_view text) {
  constexpr std::string_view kWrapped = "desc = ";
  const std::size_t at = text.rfind(kWrapped);
  return at == std::string_view::npos ? text : text.substr(at + kWrapped.size());
}

// The agent is asked by PreStartContainer, before each start.
WhyAnswer ByPreStart(const std::string& container, std::string_view message) {
  const std::string_view inner = Innermost(message);
  if (IsRefusal(inner)) {
    return {"agent_refused",
            container + " is refused its cards by the node's agent: " + Printable(inner, kShown) +
                "; it starts by itself once that is over"};
  }
  return {"agent_silent", container +
                              " waits, because no agent answers on its node; does a pod of "
                              "aliquot-agent run there? The kubelet says: " +
                              Printable(message, kShown)};
}

std::string Times(std::int64_t restarts) {
  return restarts == 1 ? "once" : std::to_string(restarts) + " times";
}

WhyAnswer EndsAgain(const std::string& container, const json& status) {
  const std::string how = TextAt(status, "/lastState/terminated/reason");
  const std::string times = Times(NumberAt(status, "/restartCount"));
  if (how == "OOMKilled") {
    return {"oom_killed", container + " is killed for main memory again and again (restarted " +
                              times + "); raise its limits.memory: GPU memory is not meant"};
  }
  const std::string message = Printable(TextAt(status, "/lastState/terminated/message"), kShown);
  return {"crash_loop", container + " ends again and again (" + (how.empty() ? "" : how + ", ") +
                            "exit code " +
                            std::to_string(NumberAt(status, "/lastState/terminated/exitCode")) +
                            ", restarted " + times + ")" + (message.empty() ? "" : ": " + message) +
                            "; see kubectl logs --previous"};
}

WhyAnswer OfContainer(const json& status, bool gpu) {
  const std::string container = "container " + TextAt(status, "/name");
  const std::string reason = TextAt(status, "/state/waiting/reason");
  const std::string message = TextAt(status, "/state/waiting/message");
  if (reason == "CrashLoopBackOff") {
    return EndsAgain(container, status);
  }
  if (reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing") {
    return {};
  }
  if (IsImage(reason)) {
    return {"image", container + " has no image: " + reason +
                         (message.empty() ? "" : ": " + Printable(message, kShown)) +
                         "; see its name, and the pull secret"};
  }
  if (gpu && message.find("PreStartContainer") != std::string::npos) {
    return ByPreStart(container, message);
  }
  return {"container_waiting", container + " waits: " + reason +
                                   (message.empty() ? "" : ": " + Printable(message, kShown))};
}

}  // namespace

WhyAnswer ContainerTrouble(const json& pod, bool gpu) {
  for (const char* list : {"/status/initContainerStatuses", "/status/containerStatuses"}) {
    for (const json& status : MemberAt(pod, list)) {
      if (WhyAnswer trouble = OfContainer(status, gpu); !trouble.code.empty()) {
        return trouble;
      }
    }
  }
  return {};
}

std::string PastRestart(const json& pod) {
  for (const json& status : MemberAt(pod, "/status/containerStatuses")) {
    const std::string how = TextAt(status, "/lastState/terminated/reason");
    if (!how.empty()) {
      return "container " + TextAt(status, "/name") + " was restarted " +
             Times(NumberAt(status, "/restartCount")) + ", the last time after " +
             Printable(how, kShown) + " (exit code " +
             std::to_string(NumberAt(status, "/lastState/terminated/exitCode")) + ")";
    }
  }
  return {};
}

}  // namespace aliquot::cli
