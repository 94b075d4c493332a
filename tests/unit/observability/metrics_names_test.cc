// SPDX-License-Identifier: Apache-2.0
// The names of metrics are an interface: dashboards and alerts are built on them. What is rendered,
// the golden list and the reference page must agree, so that none changes by accident and none is
// left undocumented.
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "observability/metrics.h"

namespace aliquot::observability {
namespace {

std::vector<std::string> LinesOf(const std::string& path) {
  std::ifstream in(std::string(ALIQUOT_SOURCE_DIR) + path);
  EXPECT_TRUE(in.good()) << "cannot read " << path;
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The label keys of one series line, without the histogram's own "le".
std::set<std::string> LabelsOf(const std::string& series) {
  std::set<std::string> labels;
  const std::size_t open = series.find('{');
  if (open == std::string::npos) return labels;
  std::istringstream in(series.substr(open + 1, series.find('}') - open - 1));
  for (std::string label; std::getline(in, label, ',');)
    labels.insert(label.substr(0, label.find('=')));
  labels.erase("le");
  return labels;
}

std::string Joined(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text.empty() ? "-" : text;
}

// "name type labels", sorted: the form of the golden list.
std::vector<std::string> Rendered() {
  FakeClock clock;
  Metrics metrics(clock);
  std::istringstream in(metrics.Render());
  std::vector<std::string> found;
  std::string name;
  std::string type;
  std::set<std::string> labels;
  const auto finish = [&] {
    if (!name.empty()) found.push_back(name + " " + type + " " + Joined(labels));
    labels.clear();
  };
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("# TYPE ", 0) == 0) {
      finish();
      std::istringstream words(line.substr(7));
      words >> name >> type;
    } else if (line.rfind("#", 0) != 0) {
      const std::set<std::string> more = LabelsOf(line);
      labels.insert(more.begin(), more.end());
    }
  }
  finish();
  std::sort(found.begin(), found.end());
  return found;
}

// Rows "| `name` | type | labels | meaning |" of the reference page in the form of the golden list.
std::vector<std::string> Documented() {
  std::vector<std::string> found;
  for (const std::string& line : LinesOf("/docs/reference/metrics.md")) {
    if (line.rfind("| `aliquot_allocator_", 0) != 0) continue;
    std::vector<std::string> cells;
    std::istringstream in(line.substr(1));
    for (std::string cell; std::getline(in, cell, '|');) {
      cell.erase(std::remove(cell.begin(), cell.end(), '`'), cell.end());
      const std::size_t from = cell.find_first_not_of(' ');
      const std::size_t to = cell.find_last_not_of(' ');
      cells.push_back(from == std::string::npos ? "" : cell.substr(from, to - from + 1));
    }
    EXPECT_GE(cells.size(), 4u) << line;
    std::set<std::string> labels;
    std::istringstream words(cells[2]);
    for (std::string word; words >> word;) {
      word.erase(std::remove(word.begin(), word.end(), ','), word.end());
      if (word != "-") labels.insert(word);
    }
    found.push_back(cells[0] + " " + cells[1] + " " + Joined(labels));
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(MetricNames, AreThoseOfTheGoldenList) {
  EXPECT_EQ(Rendered(), LinesOf("/tests/golden/metrics.txt"));
}

TEST(MetricNames, AreAllInTheReferencePage) { EXPECT_EQ(Rendered(), Documented()); }

TEST(MetricNames, FollowTheConventions) {
  for (const std::string& line : Rendered()) {
    std::istringstream words(line);
    std::string name;
    std::string type;
    std::string labels;
    words >> name >> type >> labels;
    EXPECT_EQ(name.rfind("aliquot_allocator_", 0), 0u) << name;
    const bool total = name.size() > 6 && name.compare(name.size() - 6, 6, "_total") == 0;
    EXPECT_EQ(total, type == "counter") << name;
    for (const char* forbidden : {"pod", "node", "uid", "namespace"}) {
      const std::string list = "," + labels + ",";
      EXPECT_EQ(list.find("," + std::string(forbidden) + ","), std::string::npos) << name;
    }
  }
}

}  // namespace
}  // namespace aliquot::observability
