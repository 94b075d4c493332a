// SPDX-License-Identifier: Apache-2.0
#include "program/configuration_document.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/program/problems_of.h"

namespace aliquot::program {
namespace {

struct Fields {
  std::string path = "here";
  std::string level = "info";
  std::int64_t count = 4;
  std::vector<std::string> names = {"a"};
  std::vector<int> numbers = {13, 31};
};

FieldTable TableOf(Fields& fields) {
  return [&fields](FieldVisitor& visitor) {
    visitor.Text("path", fields.path);
    visitor.BeginSection("cards");
    visitor.Integer("count", fields.count, 1, 9);
    visitor.Texts("names", fields.names);
    visitor.Integers("numbers", fields.numbers, 1, 99);
    visitor.EndSection();
    visitor.Choice("level", fields.level, {"info", "debug"});
  };
}

constexpr char kHead[] = "apiVersion: aliquot.io/v1alpha1\nkind: K\n";

class ConfigurationDocumentTest : public testing::Test {
 protected:
  std::string Read(const std::string& text) {
    Problems problems;
    ReadConfigurationText(text, "f.yaml", "K", TableOf(fields_), origins_, problems);
    return Text(problems);
  }

  Fields fields_;
  Origins origins_;
};

TEST_F(ConfigurationDocumentTest, AListReplacesTheDefaultAsAWhole) {
  EXPECT_EQ(Read(std::string(kHead) + "cards: {names: [x, 'y z'], numbers: []}\n"), "");
  EXPECT_EQ(fields_.names, (std::vector<std::string>{"x", "y z"}));
  EXPECT_TRUE(fields_.numbers.empty());
  EXPECT_EQ(fields_.count, 4);
}

TEST_F(ConfigurationDocumentTest, AWrongListItemIsAProblemAndTheDefaultStays) {
  EXPECT_EQ(Read(std::string(kHead) + "cards:\n  names: [x, '']\n  numbers: [100]\n"),
            "f.yaml:4: cards.names holds \"\"; write texts that are not empty\n"
            "f.yaml:5: cards.numbers holds \"100\"; write whole numbers from 1 to 99\n");
  EXPECT_EQ(fields_.names, (std::vector<std::string>{"a"}));
  EXPECT_EQ(fields_.numbers, (std::vector<int>{13, 31}));
}

TEST_F(ConfigurationDocumentTest, KnowsWhereAValueWasGiven) {
  EXPECT_EQ(Read(std::string(kHead) + "level: debug\ncards: {numbers: [1]}\n"), "");
  EXPECT_EQ(WhereOf(origins_, "level"), "f.yaml:3");
  EXPECT_EQ(WhereOf(origins_, "cards.numbers"), "f.yaml:4");
  EXPECT_EQ(WhereOf(origins_, "path"), "configuration");
}

TEST_F(ConfigurationDocumentTest, RefusesAnotherKind) {
  EXPECT_EQ(Read("apiVersion: aliquot.io/v1alpha1\nkind: L\n"),
            "f.yaml:2: kind is \"L\"; choose among K\n");
}

TEST_F(ConfigurationDocumentTest, WhatIsPrintedReadsAsTheSameFields) {
  fields_.path = "it's";
  fields_.names = {"one, two", "'"};
  fields_.numbers = {};
  const std::string printed = PrintFields("K", TableOf(fields_));
  EXPECT_EQ(printed, std::string(kHead) +
                         "path: 'it''s'\ncards:\n  count: 4\n  names: ['one, two', '''']\n"
                         "  numbers: []\nlevel: info\n");
  fields_ = Fields();
  EXPECT_EQ(Read(printed), "");
  EXPECT_EQ(PrintFields("K", TableOf(fields_)), printed);
}

TEST_F(ConfigurationDocumentTest, RefusesControlCharactersAlsoInLists) {
  fields_.names = {"fine", "a\nb"};
  Problems problems;
  RefuseControlCharacters(TableOf(fields_), {{"cards.names", "--names"}}, problems);
  EXPECT_EQ(Text(problems),
            "--names: cards.names is \"a?b\", which holds a control character; remove it\n");
}

TEST_F(ConfigurationDocumentTest, AMissingFileIsOneProblem) {
  Problems problems;
  ReadConfigurationFile("/nonexistent/f.yaml", "K", TableOf(fields_), origins_, problems);
  EXPECT_EQ(Text(problems),
            "/nonexistent/f.yaml: the file cannot be read (No such file or directory); give the "
            "path of a readable file\n");
}

}  // namespace
}  // namespace aliquot::program
