// SPDX-License-Identifier: Apache-2.0
#include "program/configuration_document.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/test_certificates.h"
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

class OverridesTest : public ConfigurationDocumentTest {
 protected:
  // Reads the head and `text` for a node; the problems without the file's folder.
  std::string ReadFor(const std::string& node, const std::string& text) {
    const test::TemporaryDirectory directory;
    const std::string file = directory.Write("f.yaml", std::string(kHead) + text);
    Fields unused;
    const NodeOverrides overrides{node, TableOf(unused)};
    Problems problems;
    ReadConfigurationFile(file, "K", TableOf(fields_), origins_, problems, &overrides);
    std::string said = Text(problems);
    for (std::size_t at = said.find(file); at != std::string::npos; at = said.find(file)) {
      said.replace(at, file.size(), "f.yaml");
    }
    return said;
  }
};

TEST_F(OverridesTest, ThoseOfTheNodeOverwriteInTheOrderWritten) {
  const std::string text =
      "path: all\ncards: {count: 1}\noverrides:\n"
      "- nodes: [a, 'b-*']\n  path: first\n  cards: {count: 2}\n"
      "- nodes: ['b-1']\n  path: second\n";
  EXPECT_EQ(ReadFor("b-1", text), "");
  EXPECT_EQ(fields_.path, "second");
  EXPECT_EQ(fields_.count, 2);
  EXPECT_EQ(WhereOf(origins_, "path").substr(WhereOf(origins_, "path").rfind(':')), ":10");
}

TEST_F(OverridesTest, ThoseOfOtherNodesChangeNothing) {
  EXPECT_EQ(ReadFor("c", "path: all\noverrides:\n- {nodes: ['b-*'], path: b}\n"), "");
  EXPECT_EQ(fields_.path, "all");
}

TEST_F(OverridesTest, ThoseOfOtherNodesAreCheckedAllTheSame) {
  EXPECT_EQ(ReadFor("c", "overrides:\n- {nodes: [b], pat: x}\n- {path: y}\n- 7\n"),
            ReadFor("b", "overrides:\n- {nodes: [b], pat: x}\n- {path: y}\n- 7\n"));
  const std::string said = ReadFor("c", "overrides:\n- {nodes: [b], pat: x}\n- {path: y}\n");
  EXPECT_NE(said.find("f.yaml:4: overrides[0].pat"), std::string::npos) << said;
  EXPECT_NE(said.find("f.yaml:5: overrides[1].nodes names no node"), std::string::npos) << said;
}

TEST_F(OverridesTest, AProgramWithoutThemDoesNotKnowTheKey) {
  EXPECT_NE(Read(std::string(kHead) + "overrides: []\n"), "");
}

}  // namespace
}  // namespace aliquot::program
