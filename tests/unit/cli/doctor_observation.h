// SPDX-License-Identifier: Apache-2.0
#pragma once

// An observation in which everything is well, for tests of the doctor to change at one place.

#include <gtest/gtest.h>

#include "certificates/issuer.h"
#include "cli/doctor/checks.h"
#include "kubeclient/base64.h"

namespace aliquot::cli {

using nlohmann::json;
using std::chrono::hours;

inline constexpr SystemTime kNow{std::chrono::seconds(1'800'000'000)};  // 2027-01-15T08:00:00Z

inline json Webhooks(const std::string& name, const std::string& in) {
  return {{"metadata", {{"name", name}}},
          {"webhooks",
           {{{"name", "mutate.admission.aliquot.io"},
             {"failurePolicy", "Fail"},
             {"matchConditions", {{{"name", "names-our-resources"}}}},
             {"namespaceSelector",
              {{"matchExpressions",
                {{{"key", "kubernetes.io/metadata.name"},
                  {"operator", "NotIn"},
                  {"values", {"kube-system", "aliquot-system"}}}}}}},
             {"clientConfig",
              {{"caBundle", "QQ=="},
               {"service", {{"name", "aliquot-admission"}, {"namespace", in}}}}}}}}};
}

inline json DaemonSet(const std::string& in, const std::string& name, int desired, int ready) {
  return {{"metadata",
           {{"name", name}, {"namespace", in}, {"labels", {{"app.kubernetes.io/name", name}}}}},
          {"status",
           {{"desiredNumberScheduled", desired},
            {"currentNumberScheduled", desired},
            {"updatedNumberScheduled", desired},
            {"numberReady", ready}}}};
}

inline json SchedulerSecret(SystemTime until) {
  const auto authority = certificates::MakeAuthority({kNow - hours(24), kNow + hours(90'000)});
  const auto key = certificates::MakeKey();
  const auto leaf = certificates::IssueLeaf({"aliquot-scheduler", {}, {kNow - hours(24), until}},
                                            *key, *authority);
  return {{"data",
           {{"ca.crt", kubeclient::EncodeBase64(authority->certificate)},
            {"tls.crt", kubeclient::EncodeBase64(*leaf)},
            {"tls.key", kubeclient::EncodeBase64(*key)}}}};
}

inline constexpr char kRecord[] =
    R"({"v":1,"uid":"u1","node":"n1","containers":{"main":{"cards":[{"uuid":"GPU-1","core":20,"mib":256}],"isolation":"auto"}}})";

inline SeenPod Pod() { return {"team", "train", "u1", "n1", "aliquot", false, kRecord, ""}; }

inline json ControlPlanePod(const std::string& component, json env) {
  return {{"metadata", {{"namespace", "kube-system"}, {"name", component + "-cp1"}}},
          {"spec", {{"containers", {{{"name", component}, {"env", std::move(env)}}}}}}};
}

inline json Variable(const std::string& name, const std::string& value) {
  return {{"name", name}, {"value", value}};
}

inline json RuntimeClass(const std::string& name, const std::string& handler) {
  return {{"metadata", {{"name", name}}}, {"handler", handler}};
}

// The GPU Operator's DaemonSet that sets the runtime up.
inline json ToolkitSet(json env) {
  json set = DaemonSet("gpu-operator", "nvidia-container-toolkit-daemonset", 1, 1);
  set["spec"]["template"]["spec"]["containers"] = {{{"name", "ctr"}, {"env", std::move(env)}}};
  return set;
}

inline Observation Well() {
  Observation seen;
  seen.now = kNow;
  seen.ahead = std::chrono::seconds(0);
  seen.allocator = json{{"status", {{"readyReplicas", 1}}}};
  seen.scheduler = json{{"status", {{"readyReplicas", 1}}}};
  seen.lease = json{{"spec", {{"renewTime", "2027-01-15T07:59:58.000000Z"}}}};
  seen.scheduler_secret = SchedulerSecret(kNow + hours(24 * 61));
  seen.webhooks = std::vector<json>{Webhooks("aliquot", "aliquot-system")};
  seen.daemon_sets = std::vector<json>{DaemonSet("aliquot-system", "aliquot-agent", 2, 2)};
  seen.own_pods = std::vector<json>{};
  seen.own_events = std::vector<json>{};
  seen.tried_pod = json{{"metadata", {{"labels", {{"aliquot.io/gpu", "true"}}}}},
                        {"spec", {{"schedulerName", "aliquot"}}}};
  seen.nodes = std::vector<SeenNode>{{"n1", true, true, false, ""}};
  seen.nodes->front().runtime_handlers = {"", "runc"};
  seen.runtime_classes = std::vector<json>{};
  seen.loose_pods = std::vector<LoosePod>{};
  seen.control_plane = std::vector<json>{ControlPlanePod("kube-apiserver", json::array())};
  seen.kai_pods = std::vector<json>{};
  seen.gpu_pods = std::vector<SeenPod>{Pod()};
  seen.unseen_gpu_pods = std::vector<std::string>{};
  seen.extender_probe = ProbeOutcome{ProbeOutcome::Kind::kGood, ""};
  seen.admission_probe = ProbeOutcome{ProbeOutcome::Kind::kGood, ""};
  return seen;
}

inline Finding Of(const Observation& seen, const std::string& check) {
  for (const Finding& each : Diagnose(seen)) {
    if (each.check == check) {
      return each;
    }
  }
  ADD_FAILURE() << "there is no check " << check;
  return {};
}

inline void ExpectFinding(const Observation& seen, const std::string& check, Verdict verdict,
                          const std::string& part) {
  const Finding finding = Of(seen, check);
  EXPECT_EQ(finding.verdict, verdict) << finding.says;
  EXPECT_NE((finding.says + " -> " + finding.remedy).find(part), std::string::npos)
      << finding.says << " -> " << finding.remedy;
}

}  // namespace aliquot::cli
