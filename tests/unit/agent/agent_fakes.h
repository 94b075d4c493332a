// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "agent/usage/agent_metrics.h"
#include "base/mutex.h"
#include "model/cluster.h"
#include "observability/log.h"
#include "prometheus/text_serializer.h"

namespace aliquot::agent {

// What the tests of the agent's root room share.

// Keeps its lines, "message key=value ..". Thread-safe.
class MemoryLog final : public observability::Log {
 public:
  void Write(observability::Level, std::string_view, std::string_view message,
             std::initializer_list<observability::Field> fields) override {
    std::ostringstream line;
    line << message;
    for (const observability::Field& field : fields) {
      line << ' ' << field.key << '=';
      std::visit([&line](const auto& value) { line << value; }, field.value);
    }
    MutexLock lock(mutex_);
    lines_.push_back(line.str());
  }
  std::vector<std::string> lines() const {
    MutexLock lock(mutex_);
    return lines_;
  }
  // How many lines begin so.
  int Count(const std::string& begin) const {
    const auto all = lines();
    return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const std::string& line) {
      return line.rfind(begin, 0) == 0;
    }));
  }

 private:
  mutable Mutex mutex_;
  std::vector<std::string> lines_ GUARDED_BY(mutex_);
};

// Takes events and answers as it is told. Used by one thread.
class FakeWriter final : public model::ClusterWriter {
 public:
  model::WriteReply Bind(const model::BindOrder&, SteadyTime) override { return {}; }
  model::WriteReply PatchPod(const model::PodKey&, std::string_view,
                             const std::map<std::string, std::string>&,
                             const std::map<std::string, std::string>&) override {
    return {};
  }
  model::WriteReply SetPodCondition(const model::PodKey&, std::string_view,
                                    const model::PodCondition&) override {
    return {};
  }
  model::WriteReply PostEvent(const model::PodEvent& event) override {
    events.push_back(event);
    return {outcome, outcome == model::WriteOutcome::kDone ? "" : "no answer"};
  }
  model::PodLookup GetPod(const model::PodKey&) override { return {}; }

  model::WriteOutcome outcome = model::WriteOutcome::kDone;
  std::vector<model::PodEvent> events;
};

// The value of one series as text, "" = there is none.
inline std::string ValueOf(const AgentMetrics& metrics, const std::string& series) {
  std::istringstream lines(prometheus::TextSerializer().Serialize(metrics.Collect()));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(series + " ", 0) == 0) {
      return line.substr(series.size() + 1);
    }
  }
  return "";
}

}  // namespace aliquot::agent
