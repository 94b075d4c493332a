// SPDX-License-Identifier: Apache-2.0
// Replays the fuzzers' corpora, and fixed mutations of them, in ordinary and sanitizer builds.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {
namespace {

struct Target {
  const char* corpus;
  void (*run)(std::string_view);
};

void PrintTo(const Target& target, std::ostream* out) { *out << target.corpus; }

class Corpus : public testing::TestWithParam<Target> {
 protected:
  // In the order of their names, so that a failure repeats.
  static std::vector<std::string> Inputs() {
    const std::string directory =
        std::string(ALIQUOT_SOURCE_DIR) + "/tests/fuzz/corpus/" + GetParam().corpus;
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<std::string> inputs;
    for (const auto& path : paths) {
      std::ifstream file(path, std::ios::binary);
      std::ostringstream text;
      text << file.rdbuf();
      inputs.push_back(text.str());
    }
    return inputs;
  }
};

TEST_P(Corpus, IsReplayed) {
  const auto inputs = Inputs();
  ASSERT_GE(inputs.size(), 8u);
  for (const std::string& input : inputs) {
    GetParam().run(input);
  }
}

TEST_P(Corpus, SurvivesChangedAndMissingBytes) {
  constexpr int kMutations = 40;
  constexpr std::size_t kMaxBytes = 32768;
  std::mt19937 random(7);
  for (const std::string& input : Inputs()) {
    if (input.empty() || input.size() > kMaxBytes) {
      continue;
    }
    for (int i = 0; i < kMutations; ++i) {
      std::string changed = input;
      changed[random() % changed.size()] = static_cast<char>(random() % 256);
      if (i % 2 == 0) {
        changed[random() % changed.size()] = "{}[]\",:0-e\\"[random() % 11];
      }
      if (i % 4 == 0) {
        changed.resize(random() % changed.size());
      }
      GetParam().run(changed);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Fuzz, Corpus,
    testing::Values(Target{"extender_arguments", ExtenderArguments},
                    Target{"bind_arguments", BindArguments},
                    Target{"preemption_arguments", PreemptionArguments},
                    Target{"admission_review", AdmissionReview}, Target{"inventory", Inventory},
                    Target{"allocation", Allocation}, Target{"objects", Objects},
                    Target{"http_requests", HttpRequests}, Target{"chunked_body", ChunkedBody},
                    Target{"checkpoint", Checkpoint}, Target{"smi_matrix", SmiMatrix},
                    Target{"nccl_xml", NcclXml}, Target{"pair_list", PairList},
                    Target{"measured_gbps", MeasuredGbps}, Target{"trace_nodes", TraceNodes},
                    Target{"trace_pods", TracePods}, Target{"job_files", JobFiles},
                    Target{"node_view", NodeView}, Target{"machine_profile", MachineProfile},
                    Target{"machine_state", MachineState}, Target{"health_record", HealthRecord},
                    Target{"grant_record", GrantRecord}, Target{"limits_record", LimitsRecord},
                    Target{"usage_region", UsageRegion}, Target{"cgroup", Cgroup},
                    Target{"process_maps", ProcessMaps}, Target{"process_stat", ProcessStat},
                    Target{"process_status", ProcessStatus}, Target{"verify_page", VerifyPage},
                    Target{"caller_review", CallerReview}),
    [](const testing::TestParamInfo<Target>& target) { return std::string(target.param.corpus); });

}  // namespace
}  // namespace aliquot::fuzz
