// SPDX-License-Identifier: Apache-2.0
#include "program/yaml_document.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/program/problems_of.h"

namespace aliquot::program {
namespace {

// What is reported for a text that must be refused.
std::string ProblemsOf(const std::string& text) {
  Problems problems;
  EXPECT_FALSE(ParseYaml(text, "f.yaml", problems).has_value()) << text;
  return Text(problems);
}

TEST(YamlDocument, KeepsKindsLinesAndQuotes) {
  Problems problems;
  const auto document = ParseYaml("a: 1\nb:\n  - 'x'\n  - y: ~\n", "f.yaml", problems);
  ASSERT_TRUE(document.has_value()) << Text(problems);
  ASSERT_EQ(document->kind, YamlValue::Kind::kMap);
  const YamlValue* a = document->Find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->text, "1");
  EXPECT_TRUE(a->plain);
  EXPECT_EQ(a->line, 1);
  const YamlValue* b = document->Find("b");
  ASSERT_NE(b, nullptr);
  ASSERT_EQ(b->items.size(), 2u);
  EXPECT_FALSE(b->items[0].plain);
  EXPECT_EQ(b->items[0].line, 3);
  EXPECT_EQ(b->items[1].Find("y")->kind, YamlValue::Kind::kNull);
  EXPECT_EQ(document->Find("c"), nullptr);
}

TEST(YamlDocument, RefusesAnchorsAliasesAndMergeKeysWithTheirLines) {
  EXPECT_EQ(ProblemsOf("a: &x {k: 1}\nb: *x\n"),
            "f.yaml:1: an anchor (&name) is not accepted; write the value out where it is needed\n"
            "f.yaml:2: an alias (*name) is not accepted; write the value out\n");
  EXPECT_EQ(ProblemsOf("b:\n  <<: {k: 1}\n"),
            "f.yaml:2: a merge key (<<) is not accepted; write the values out\n");
}

TEST(YamlDocument, RefusesAKeyGivenTwice) {
  EXPECT_EQ(ProblemsOf("a: 1\nb: 2\na: 3\n"), "f.yaml:3: the key a is given twice; keep one\n");
}

TEST(YamlDocument, RefusesTags) {
  EXPECT_EQ(ProblemsOf("a: !!binary aGk=\n"),
            "f.yaml:1: the tag tag:yaml.org,2002:binary is not accepted; leave it out\n");
}

TEST(YamlDocument, RefusesASecondDocument) {
  EXPECT_EQ(ProblemsOf("a: 1\n---\nb: 2\n"),
            "f.yaml:2: a second document begins; give one document only\n");
}

// yaml-cpp 0.7 delivers an empty document for each call there, for ever.
TEST(YamlDocument, ATextAtWhichTheParserStandsStillEnds) {
  for (const char* text : {",", ",a: 1\n", "]", "}", ", , ,", "- a\n,"}) {
    EXPECT_NE(ProblemsOf(text), "") << text;
  }
}

TEST(YamlDocument, RefusesAnEmptyText) {
  EXPECT_EQ(ProblemsOf(""), "f.yaml:1: the file is empty; give one YAML document\n");
  EXPECT_EQ(ProblemsOf("# only a comment\n"),
            "f.yaml:1: the file is empty; give one YAML document\n");
}

TEST(YamlDocument, NamesTheLineOfASyntaxError) {
  const std::string problems = ProblemsOf("a: 1\nb: [1, 2\nc: 3\n");
  EXPECT_NE(problems.find("f.yaml:3: not readable as YAML here: "), std::string::npos) << problems;
}

TEST(YamlDocument, BoundsTheDepth) {
  EXPECT_EQ(ProblemsOf(std::string(100000, '[')),
            "f.yaml:1: more than 16 levels; nothing here needs so many\n");
  const std::string problems = ProblemsOf(std::string(100000, '{'));
  EXPECT_NE(problems.find("f.yaml:1: "), std::string::npos);
}

TEST(YamlDocument, SaysWhyAFileCannotBeRead) {
  Problems problems;
  EXPECT_FALSE(LoadYaml("/nonexistent/f.yaml", 100, problems).has_value());
  EXPECT_FALSE(LoadYaml("/proc", 100, problems).has_value());
  EXPECT_EQ(Text(problems),
            "/nonexistent/f.yaml: the file cannot be read (No such file or directory); give the "
            "path of a readable file\n"
            "/proc: this is a directory; give the path of a file\n");
}

TEST(YamlDocument, BoundsTheSizeOfAFile) {
  Problems problems;
  EXPECT_FALSE(LoadYaml(ALIQUOT_SOURCE_DIR "/config/allocator.yaml", 10, problems).has_value());
  EXPECT_NE(Text(problems).find("bytes; at most 10 are accepted"), std::string::npos);
}

}  // namespace
}  // namespace aliquot::program
