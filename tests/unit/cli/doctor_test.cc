// SPDX-License-Identifier: Apache-2.0
// Each check by an observation in which everything is well, changed at one place.
#include <gtest/gtest.h>

#include "cli/doctor/api_reader.h"
#include "cli/doctor/observe.h"
#include "cli/doctor/report.h"
#include "tests/unit/cli/doctor_observation.h"

namespace aliquot::cli {
namespace {

TEST(Doctor, WhereAllIsWellNothingFailsOrIsWarnedOf) {
  for (const Finding& each : Diagnose(Well())) {
    EXPECT_NE(each.verdict, Verdict::kFailed) << each.check << ": " << each.says;
    EXPECT_NE(each.verdict, Verdict::kWarning) << each.check << ": " << each.says;
  }
}

TEST(Doctor, WhatCouldNotBeReadIsUnknownAndNeverFails) {
  const Findings findings = Diagnose(Observation());
  EXPECT_GE(findings.size(), 15u);
  for (const Finding& each : findings) {
    EXPECT_EQ(each.verdict, Verdict::kUnknown) << each.check << ": " << each.says;
  }
}

TEST(Doctor, EveryFailureAndWarningHasARemedy) {
  Observation seen = Well();
  seen.allocator = NotFound("");
  seen.webhooks = std::vector<json>{};
  seen.policies = std::vector<json>{};
  seen.bindings = std::vector<json>{};
  seen.daemon_sets = std::vector<json>{DaemonSet("kube-system", "gpu-manager", 1, 1)};
  seen.gpu_pods->front().allocation = "{";
  seen.nodes->front().advertises_nvidia = true;
  seen.ahead = std::chrono::seconds(-100);
  for (const Finding& each : Diagnose(seen)) {
    const bool good = each.verdict == Verdict::kOk || each.verdict == Verdict::kUnknown;
    EXPECT_TRUE(good || !each.remedy.empty()) << each.check;
  }
}

TEST(DoctorInstallation, NoOrTwoReadyAllocatorsFail) {
  Observation seen = Well();
  seen.allocator = json{{"status", json::object()}};
  ExpectFinding(seen, "allocator", Verdict::kFailed, "logs deployment/aliquot-allocator");
  seen.allocator = json{{"status", {{"readyReplicas", 2}}}};
  ExpectFinding(seen, "allocator", Verdict::kFailed, "2 allocators");
  seen.allocator = NotFound("none");
  ExpectFinding(seen, "allocator", Verdict::kFailed, "-n");
}

TEST(DoctorInstallation, ASecondOneInAnotherNamespaceIsNamed) {
  Observation seen = Well();
  seen.webhooks->push_back(Webhooks("aliquot-too", "gpu"));
  ExpectFinding(seen, "one-installation", Verdict::kFailed, "aliquot-too (namespace gpu)");
  seen = Well();
  seen.daemon_sets->push_back(DaemonSet("gpu", "aliquot-agent", 1, 1));
  ExpectFinding(seen, "one-installation", Verdict::kFailed, "namespace gpu");
}

TEST(DoctorClock, AMinuteIsWarnedOfAndADayFails) {
  Observation seen = Well();
  seen.ahead = std::chrono::seconds(60);
  ExpectFinding(seen, "clock", Verdict::kOk, "");
  seen.ahead = std::chrono::seconds(-61);
  ExpectFinding(seen, "clock", Verdict::kWarning, "61 s behind");
  seen.ahead = hours(24);
  ExpectFinding(seen, "clock", Verdict::kFailed, "NTP");
}

TEST(DoctorCertificates, TheSchedulersIsWarnedOf60DaysAhead) {
  Observation seen = Well();
  ExpectFinding(seen, "scheduler-certificate", Verdict::kOk, "61 days");
  seen.scheduler_secret = SchedulerSecret(kNow + hours(24 * 59 + 1));
  ExpectFinding(seen, "scheduler-certificate", Verdict::kWarning, "59 days");
  seen.scheduler_secret = SchedulerSecret(kNow - hours(1));
  ExpectFinding(seen, "scheduler-certificate", Verdict::kFailed, "not valid now");
}

TEST(DoctorCertificates, TheRemedyIsForWhoMakesThem) {
  Observation seen = Well();
  seen.scheduler_secret = SchedulerSecret(kNow - hours(1));
  ExpectFinding(seen, "scheduler-certificate", Verdict::kFailed, "aliquot.io/rotate=now");
  (*seen.scheduler_secret)["metadata"]["annotations"]["cert-manager.io/certificate-name"] =
      "aliquot-scheduler-client";
  ExpectFinding(seen, "scheduler-certificate", Verdict::kFailed, "-> cert-manager makes it");
}

TEST(DoctorCertificates, AnEmptySecretOrAnotherKeyFails) {
  Observation seen = Well();
  (*seen.scheduler_secret)["data"]["tls.key"] = kubeclient::EncodeBase64(*certificates::MakeKey());
  ExpectFinding(seen, "scheduler-certificate", Verdict::kFailed, "aliquot-scheduler-client");
  seen.scheduler_secret = json{{"metadata", json::object()}};
  ExpectFinding(seen, "scheduler-certificate", Verdict::kFailed, "no certificate yet");
}

TEST(DoctorCertificates, AnUntrustedServerFailsAndAnUnreachableOneIsUnknown) {
  Observation seen = Well();
  seen.extender_probe = ProbeOutcome{ProbeOutcome::Kind::kUntrusted, "self-signed"};
  ExpectFinding(seen, "extender-certificate", Verdict::kFailed, "self-signed");
  seen.extender_probe = ProbeOutcome{ProbeOutcome::Kind::kRefused, "alert"};
  ExpectFinding(seen, "extender-certificate", Verdict::kFailed, "alert");
  seen.extender_probe = ProbeOutcome{ProbeOutcome::Kind::kUnreachable, "no route"};
  ExpectFinding(seen, "extender-certificate", Verdict::kUnknown, "test RELEASE");
}

TEST(DoctorWebhook, OneThatEveryPodDependsOnFails) {
  Observation seen = Well();
  seen.webhooks->front()["webhooks"][0].erase("matchConditions");
  ExpectFinding(seen, "webhook", Verdict::kFailed, "every pod");
  seen = Well();
  seen.webhooks->front()["webhooks"][0]["clientConfig"].erase("caBundle");
  ExpectFinding(seen, "webhook", Verdict::kFailed, "caBundle");
  seen.webhooks = std::vector<json>{};
  ExpectFinding(seen, "webhook", Verdict::kFailed, "helm upgrade");
}

TEST(DoctorWebhook, ATriedPodShowsWhetherItIsCalled) {
  Observation seen = Well();
  seen.tried_pod->at("metadata").erase("labels");
  ExpectFinding(seen, "webhook-called", Verdict::kFailed, "not called");
  seen.tried_pod = FailedPrecondition(
      "pods: the API server answers 500: failed calling webhook \"mutate.admission.aliquot.io\"");
  ExpectFinding(seen, "webhook-called", Verdict::kFailed, "NetworkPolicy");
  seen.tried_pod = FailedPrecondition("exceeded quota");
  ExpectFinding(seen, "webhook-called", Verdict::kUnknown, "--try-in");
}

TEST(DoctorWebhook, APodLeftToTheDefaultSchedulerFailsWhereOneIsBundled) {
  Observation seen = Well();
  (*seen.tried_pod)["spec"]["schedulerName"] = "default-scheduler";
  ExpectFinding(seen, "webhook-called", Verdict::kFailed, "admission.schedulerName");
  seen.scheduler = NotFound("stock");
  ExpectFinding(seen, "webhook-called", Verdict::kOk, "default-scheduler");
}

TEST(DoctorPolicies, OneThatIsNotBoundWithDenyIsMissing) {
  Observation seen = Well();
  std::vector<json> policies;
  std::vector<json> bindings;
  for (const char* name :
       {"aliquot-pod-record", "aliquot-binding-record", "aliquot-gpu-inventory",
        "aliquot-agent-node", "aliquot-agent-event", "aliquot-isolation", "aliquot-gpu-uuid"}) {
    policies.push_back({{"metadata", {{"name", name}}}});
    bindings.push_back({{"spec", {{"policyName", name}, {"validationActions", {"Deny"}}}}});
  }
  seen.policies = policies;
  seen.bindings = bindings;
  ExpectFinding(seen, "policies", Verdict::kOk, "all 7");
  (*seen.bindings)[1]["spec"]["validationActions"] = {"Warn"};
  ExpectFinding(seen, "policies", Verdict::kFailed, "aliquot-binding-record");
}

TEST(DoctorScheduler, ABundledOneMustRenewItsLease) {
  Observation seen = Well();
  seen.now = kNow + std::chrono::seconds(120);
  ExpectFinding(seen, "scheduler", Verdict::kFailed, "Lease");
  // The same moment by a clock that is two minutes ahead.
  seen.ahead = std::chrono::seconds(120);
  ExpectFinding(seen, "scheduler", Verdict::kOk, "");
  seen.lease = NotFound("none");
  ExpectFinding(seen, "scheduler", Verdict::kFailed, "Lease");
}

TEST(DoctorScheduler, PodsOnNodesWithoutCardsShowOneThatDoesNotAskUs) {
  Observation seen = Well();
  ExpectFinding(seen, "scheduler-calls-us", Verdict::kOk, "1 GPU pod on nodes");
  seen.gpu_pods->push_back({"team", "stray", "u2", "n1", "other", false, "", ""});
  ExpectFinding(seen, "scheduler-calls-us", Verdict::kWarning, "team/stray");
  seen.gpu_pods->erase(seen.gpu_pods->begin());
  ExpectFinding(seen, "scheduler-calls-us", Verdict::kFailed, "guards.schedulers");
  seen.gpu_pods->front().node.clear();
  ExpectFinding(seen, "scheduler-calls-us", Verdict::kUnknown, "no GPU pod");
}

TEST(DoctorAgents, ARefusalByPodSecurityIsShownWithTheLabel) {
  Observation seen = Well();
  seen.daemon_sets = std::vector<json>{DaemonSet("aliquot-system", "aliquot-agent", 2, 0)};
  ExpectFinding(seen, "agents", Verdict::kFailed, "describe pods");
  seen.own_events = std::vector<json>{
      {{"reason", "FailedCreate"},
       {"involvedObject", {{"kind", "DaemonSet"}}},
       {"message", "pods \"aliquot-agent-\" is forbidden: violates PodSecurity \"restricted\""}}};
  ExpectFinding(seen, "agents", Verdict::kFailed, "enforce=privileged");
  seen.daemon_sets = std::vector<json>{};
  ExpectFinding(seen, "agents", Verdict::kFailed, "no DaemonSet");
}

TEST(DoctorAgents, SeveralVersionsAreWarnedOf) {
  Observation seen = Well();
  for (const char* version : {"0.1.0", "0.2.0"}) {
    seen.own_pods->push_back({{"metadata",
                               {{"labels",
                                 {{"app.kubernetes.io/name", "aliquot-agent"},
                                  {"app.kubernetes.io/version", version}}}}}});
  }
  ExpectFinding(seen, "versions", Verdict::kWarning, "0.1.0, 0.2.0");
}

TEST(DoctorAgents, ANodeWithCardsThatAdvertisesNoneFails) {
  Observation seen = Well();
  seen.nodes->front().advertises_ours = false;
  ExpectFinding(seen, "cards-advertised", Verdict::kFailed, "n1");
  seen.nodes->clear();
  ExpectFinding(seen, "cards-advertised", Verdict::kWarning, "no node");
}

TEST(DoctorRecords, OneOfAnotherPodOrNodeOrFormFails) {
  Observation seen = Well();
  ExpectFinding(seen, "records", Verdict::kOk, "all 1");
  seen.gpu_pods->front().uid = "u9";
  ExpectFinding(seen, "records", Verdict::kFailed, "another pod's");
  seen.gpu_pods->front() = Pod();
  seen.gpu_pods->front().node = "n2";
  ExpectFinding(seen, "records", Verdict::kFailed, "for node n1");
  seen.gpu_pods->front().allocation = "{}";
  ExpectFinding(seen, "records", Verdict::kFailed, "team/train");
  seen.gpu_pods->front().finished = true;
  ExpectFinding(seen, "records", Verdict::kOk, "all 0");
}

TEST(DoctorRecords, ASignatureOfNoKnownKeyFails) {
  // RFC 8032, 7.1, test 1: public key d75a9801..., message "" (no bytes) and its signature.
  constexpr char kPublic[] =
      "-----BEGIN PUBLIC KEY-----\n"
      "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n"
      "-----END PUBLIC KEY-----\n";
  Observation seen = Well();
  seen.signing_keys = json{{"data", {{"x.pem", kPublic}}}};
  ExpectFinding(seen, "signatures", Verdict::kFailed, "team/train");
  seen.gpu_pods->clear();
  ExpectFinding(seen, "signatures", Verdict::kOk, "1 known key");
  seen.signing_keys = json{{"data", json::object()}};
  ExpectFinding(seen, "signatures", Verdict::kFailed, "no public key");
}

TEST(DoctorNamespaces, GpuPodsThatTheWebhookDoesNotSeeAreWarnedOf) {
  Observation seen = Well();
  seen.unseen_gpu_pods = std::vector<std::string>{"kube-system/a"};
  ExpectFinding(seen, "excluded-namespaces", Verdict::kWarning, "kube-system/a");
  EXPECT_EQ(ExcludedNamespaces(*seen.webhooks),
            (std::vector<std::string>{"aliquot-system", "kube-system"}));
}

TEST(DoctorNamespaces, APodAsksByAnyNameOfThePrefixAndInInitContainersToo) {
  const json pod = {{"spec",
                     {{"containers", {{{"name", "a"}}}},
                      {"initContainers",
                       {{{"resources", {{"requests", {{"tencent.com/vcuda-cores", "1"}}}}}}}}}}};
  EXPECT_TRUE(AsksForPrefix(pod, "tencent.com/vcuda-"));
  EXPECT_FALSE(AsksForPrefix(pod, "nvidia.com/"));
}

TEST(DoctorReport, WorstFirstWithRemediesAndNoControlCharacters) {
  const Findings findings{{"a", Verdict::kOk, "fine", ""},
                          {"bb", Verdict::kFailed, "x\x1b[2J", "do"}};
  EXPECT_EQ(FindingsTable(findings),
            "RESULT   CHECK  SAYS\n"
            "failed   bb     x?[2J\n"
            "                -> do\n"
            "ok       a      fine\n");
  const json page = json::parse(FindingsJson(findings));
  EXPECT_EQ(page["result"], "failed");
  EXPECT_EQ(page["findings"][0]["check"], "a");
  EXPECT_TRUE(AnyFailed(findings));
  EXPECT_FALSE(AnyFailed({{"a", Verdict::kWarning, "", ""}, {"b", Verdict::kUnknown, "", ""}}));
}

TEST(ApiTimes, AreUtc) {
  EXPECT_EQ(ParseApiTime("2027-01-15T08:00:00.000000Z"), kNow);
  EXPECT_EQ(ParseHttpDate("Fri, 15 Jan 2027 08:00:00 GMT"), kNow);
  EXPECT_FALSE(ParseApiTime("yesterday"));
}

}  // namespace
}  // namespace aliquot::cli
