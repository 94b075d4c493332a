// SPDX-License-Identifier: Apache-2.0
#include "agent/health/xid_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "base/strings.h"

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;

std::string Word(XidEffect effect) {
  switch (effect) {
    case XidEffect::kReport:
      return "reported";
    case XidEffect::kPassing:
      return "passing";
    case XidEffect::kReset:
      break;
  }
  return "needs a reset";
}

TEST(XidTable, IsSortedWithoutRepeats) {
  std::uint64_t last = 0;
  for (const XidRule& rule : XidTable()) {
    EXPECT_GT(rule.code, last);
    EXPECT_FALSE(rule.meaning.empty());
    last = rule.code;
  }
}

TEST(XidTable, AnUnknownCodePasses) {
  EXPECT_EQ(RuleOf(4711).effect, XidEffect::kPassing);
  EXPECT_EQ(RuleOf(4711).code, 4711u);
  EXPECT_EQ(RuleOf(0).effect, XidEffect::kPassing);
  EXPECT_EQ(RuleOf(79).effect, XidEffect::kReset);
}

TEST(XidTable, TheDefaultIgnoresApplicationFaults) {
  EXPECT_THAT(DefaultIgnoredXids(), ElementsAre(13, 31, 43, 45, 68, 109));
}

// docs/reference/health.md has a row "| code | effect | meaning |" for each.
TEST(XidTable, IsTheOneInTheDocumentation) {
  std::map<std::string, std::string> documented;
  std::ifstream file(std::string(ALIQUOT_SOURCE_DIR) + "/docs/reference/health.md");
  for (std::string line; std::getline(file, line);) {
    const auto cells = Split(line, '|');
    if (cells.size() == 5 && ParseUnsigned(Trim(cells[1]))) {
      documented.emplace(Trim(cells[1]),
                         std::string(Trim(cells[2])) + ": " + std::string(Trim(cells[3])));
    }
  }
  std::map<std::string, std::string> known;
  for (const XidRule& rule : XidTable()) {
    known.emplace(std::to_string(rule.code), Word(rule.effect) + ": " + std::string(rule.meaning));
  }
  EXPECT_EQ(documented, known);
}

}  // namespace
}  // namespace aliquot::agent
