// SPDX-License-Identifier: Apache-2.0
#include "program/map_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/program/problems_of.h"

namespace aliquot::program {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Duration, ReadsAWholeNumberWithOneUnit) {
  EXPECT_EQ(ParseDuration("500ms"), milliseconds(500));
  EXPECT_EQ(ParseDuration("4s"), seconds(4));
  EXPECT_EQ(ParseDuration("10m"), seconds(600));
  EXPECT_EQ(ParseDuration("1h"), seconds(3600));
  EXPECT_EQ(ParseDuration("0s"), milliseconds(0));
}

TEST(Duration, RefusesEverythingElse) {
  for (const char* text : {"", "5", "s", "1.5s", "-1s", "1 s", "1s ", "1d", "1h30m", "1S",
                           "99999999999999999999s", "9223372036854775807h"}) {
    EXPECT_FALSE(ParseDuration(text).has_value()) << text;
  }
}

TEST(Duration, IsWrittenInTheLargestWholeUnit) {
  for (const char* text : {"0s", "1ms", "1500ms", "4s", "90s", "10m", "1h", "25h"}) {
    EXPECT_EQ(FormatDuration(*ParseDuration(text)), text);
  }
}

class MapReaderTest : public testing::Test {
 protected:
  MapReader Read(const std::string& text) {
    document_ = *ParseYaml(text, "f.yaml", problems_);
    return MapReader(source_, document_, root_);
  }
  std::string Reported() const { return Text(problems_); }

  Problems problems_;
  YamlSource source_{"f.yaml", problems_};
  YamlValue document_;
  const YamlPath root_;
};

TEST_F(MapReaderTest, ReadsEachType) {
  MapReader reader = Read("t: x\nb: true\ni: 7\nd: 2s\nl: [1, 2]\nc: red\n");
  EXPECT_EQ(reader.Text("t", ""), "x");
  EXPECT_TRUE(reader.Boolean("b", false));
  EXPECT_EQ(reader.Integer("i", 0, 0, 9), 7);
  EXPECT_EQ(reader.Duration("d", seconds(1), seconds(0), seconds(9)), seconds(2));
  EXPECT_EQ(reader.Integers("l", 0, 9), (std::vector<int>{1, 2}));
  EXPECT_EQ(reader.Choice("c", "blue", {"red", "blue"}), "red");
  reader.RefuseUnknownKeys();
  EXPECT_EQ(Reported(), "");
}

TEST_F(MapReaderTest, GivesTheFallbackForAMissingKey) {
  MapReader reader = Read("x: 1\n");
  EXPECT_EQ(reader.Integer("i", 5, 0, 9), 5);
  EXPECT_EQ(reader.Text("t", "default"), "default");
  EXPECT_FALSE(reader.Integers("l", 0, 9).has_value());
}

TEST_F(MapReaderTest, ReportsEveryProblemWithPathValueAndRemedy) {
  MapReader reader = Read("t: [1]\nb: yes\ni: 70\nj: '7'\nd: 20s\nl: [1, x]\nc: green\nn:\nz: 1\n");
  reader.Text("t", "");
  reader.Boolean("b", false);
  reader.Integer("i", 0, 0, 9);
  reader.Integer("j", 0, 0, 9);
  reader.Duration("d", seconds(1), seconds(0), seconds(9));
  reader.Integers("l", 0, 9);
  reader.Choice("c", "blue", {"red", "blue"});
  reader.Text("n", "");
  reader.RequiredText("r");
  reader.RefuseUnknownKeys();
  EXPECT_EQ(Reported(),
            "f.yaml:1: t is a list; give text\n"
            "f.yaml:2: b is \"yes\"; write true or false\n"
            "f.yaml:3: i is \"70\"; write a whole number from 0 to 9\n"
            "f.yaml:4: j is \"7\"; write a whole number from 0 to 9\n"
            "f.yaml:5: d is \"20s\"; write a duration from 0s to 9s, such as 1s\n"
            "f.yaml:6: l holds \"x\"; write whole numbers from 0 to 9\n"
            "f.yaml:7: c is \"green\"; choose among red, blue\n"
            "f.yaml:8: n has no value; give one, or leave the key out\n"
            "f.yaml:1: r is missing; add it\n"
            "f.yaml:9: z is not a known key; correct its spelling or remove it\n");
}

TEST_F(MapReaderTest, AListOfTextsHasOnlyTextsThatAreNotEmpty) {
  MapReader reader = Read("a: [x, 'y', 3]\nb: [x, '']\nc: [[x]]\nd: x\n");
  EXPECT_EQ(reader.Texts("a"), (std::vector<std::string>{"x", "y", "3"}));
  EXPECT_FALSE(reader.Texts("b").has_value());
  EXPECT_FALSE(reader.Texts("c").has_value());
  EXPECT_FALSE(reader.Texts("d").has_value());
  EXPECT_EQ(Reported(),
            "f.yaml:2: b holds \"\"; write texts that are not empty\n"
            "f.yaml:3: c holds a list; write texts that are not empty\n"
            "f.yaml:4: d is \"x\"; give a list\n");
}

TEST_F(MapReaderTest, NamesThePathOfANestedValue) {
  const YamlPath pods(root_, "pods");
  const YamlPath third(pods, std::size_t{3});
  const YamlPath name(third, "name");
  EXPECT_EQ(name.ToString(), "pods[3].name");
}

TEST_F(MapReaderTest, AValueThatIsNoMapIsOneProblemAndReadsAsEmpty) {
  MapReader reader = Read("just text\n");
  EXPECT_EQ(reader.Text("t", "x"), "x");
  EXPECT_EQ(reader.RequiredText("r"), "");
  reader.RefuseUnknownKeys();
  EXPECT_EQ(Reported(),
            "f.yaml:1: the document is \"just text\", not a map; write keys with their values\n");
}

}  // namespace
}  // namespace aliquot::program
