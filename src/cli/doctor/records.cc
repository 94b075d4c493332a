// SPDX-License-Identifier: Apache-2.0
// Are the records of the pods' cards well-formed, about these pods, and signed by known keys?
#include <map>

#include "api/allocation_codec.h"
#include "cli/doctor/api_reader.h"
#include "cli/doctor/checks.h"
#include "signing/ed25519_key.h"
#include "signing/signature_text.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;
using Keys = std::map<std::string, signing::Ed25519Key>;

constexpr char kForm[] = "records";
constexpr char kSigned[] = "signatures";

// Pods with a record that still count.
template <typename Take>
void ForEachRecord(const std::vector<SeenPod>& pods, const Take& take) {
  for (const SeenPod& pod : pods) {
    if (!pod.finished && !pod.allocation.empty()) {
      take(pod);
    }
  }
}

std::string Fault(const SeenPod& pod) {
  const auto record = api::ParseAllocation(pod.allocation);
  if (!record.ok()) {
    return record.status().message();
  }
  if (record->uid != pod.uid) {
    return "it is another pod's";
  }
  if (!pod.node.empty() && record->node != pod.node) {
    return "it is for node " + record->node + ", and the pod is on " + pod.node;
  }
  return {};
}

Finding Form(const Observation& seen) {
  if (!seen.gpu_pods.ok()) {
    return {kForm, Verdict::kUnknown, seen.gpu_pods.status().message(), ""};
  }
  std::vector<std::string> bad;
  std::size_t all = 0;
  ForEachRecord(*seen.gpu_pods, [&](const SeenPod& pod) {
    ++all;
    if (const std::string fault = Fault(pod); !fault.empty()) {
      bad.push_back(pod.namespace_name + "/" + pod.name + " (" + fault + ")");
    }
  });
  if (!bad.empty()) {
    return {kForm, Verdict::kFailed,
            std::to_string(bad.size()) + " of " + std::to_string(all) +
                " records of cards can't be used: " + AtMostThree(bad),
            "kubectl -n NAMESPACE delete pod those, so that they are placed again; see the check "
            "policies for who may write records"};
  }
  return {kForm, Verdict::kOk, "all " + std::to_string(all) + " records of cards are well-formed",
          ""};
}

Keys KeysOf(const json& config_map) {
  Keys keys;
  for (const auto& [name, pem] : MemberAt(config_map, "/data").items()) {
    if (!pem.is_string()) {
      continue;
    }
    auto parsed = signing::ParsePublicKeys(pem.get<std::string>());
    if (parsed.ok()) {
      for (signing::Ed25519Key& key : *parsed) {
        std::string id = key.id();
        keys.emplace(std::move(id), std::move(key));
      }
    }
  }
  return keys;
}

bool Verifies(const SeenPod& pod, const Keys& keys) {
  const auto text = signing::ParseSignature(pod.signature);
  if (!text) {
    return false;
  }
  const auto key = keys.find(text->key_id);
  return key != keys.end() && key->second.Verify(pod.allocation, text->signature);
}

Finding Signed(const Observation& seen) {
  if (!seen.signing_keys.ok()) {
    const bool absent = seen.signing_keys.status().code() == StatusCode::kNotFound;
    return {kSigned, Verdict::kUnknown,
            absent ? "there is no ConfigMap aliquot-signing-keys: records are not signed, or by a "
                     "key that is given"
                   : seen.signing_keys.status().message(),
            ""};
  }
  const Keys keys = KeysOf(*seen.signing_keys);
  if (keys.empty()) {
    return {kSigned, Verdict::kFailed,
            "ConfigMap aliquot-signing-keys holds no public key: no agent can verify a record",
            AllocatorLog(seen)};
  }
  if (!seen.gpu_pods.ok()) {
    return {kSigned, Verdict::kUnknown, seen.gpu_pods.status().message(), ""};
  }
  std::vector<std::string> bad;
  std::size_t all = 0;
  ForEachRecord(*seen.gpu_pods, [&](const SeenPod& pod) {
    ++all;
    if (!Verifies(pod, keys)) {
      bad.push_back(pod.namespace_name + "/" + pod.name);
    }
  });
  if (!bad.empty()) {
    return {
        kSigned, Verdict::kFailed,
        std::to_string(bad.size()) + " of " + std::to_string(all) +
            " records are not signed by a known key: " + AtMostThree(bad) +
            "; the agents refuse to start such pods",
        "kubectl -n NAMESPACE delete pod those, so that they are placed again; never remove a key "
        "whose records are still on pods"};
  }
  return {kSigned, Verdict::kOk,
          "all " + std::to_string(all) + " records are signed by one of " +
              std::to_string(keys.size()) + " known keys",
          ""};
}

}  // namespace

void CheckRecords(const Observation& seen, Findings& findings) {
  findings.push_back(Form(seen));
  findings.push_back(Signed(seen));
}

}  // namespace aliquot::cli
