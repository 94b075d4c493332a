// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/json_stream.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/strings.h"

namespace aliquot::kubeclient {
namespace {

std::string Recorded(const std::string& name) {
  std::ifstream file(ALIQUOT_SOURCE_DIR "/tests/data/recorded/watch/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The recording has one event a line.
std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : Split(text, '\n')) {
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

struct Collected {
  std::vector<std::string> documents;
  Status status;
  bool partial = false;
};

Collected Collect(const std::vector<std::string_view>& pieces, std::size_t limit = 1u << 20) {
  Collected out;
  JsonStream stream(limit);
  for (const std::string_view piece : pieces) {
    out.status = stream.Push(piece, [&](std::string_view document) {
      out.documents.emplace_back(document);
      return true;
    });
    if (!out.status.ok()) break;
  }
  out.partial = stream.partial();
  return out;
}

TEST(JsonStream, FindsEveryDocumentAtEverySplitOfRecordedWatches) {
  for (const char* name : {"nodes-sendInitialEvents.jsonl", "pods-410.jsonl"}) {
    const std::string text = Recorded(name);
    const std::vector<std::string> expected = Lines(text);
    ASSERT_FALSE(expected.empty()) << name;
    for (std::size_t at = 0; at <= text.size(); ++at) {
      const std::string_view all = text;
      const Collected got = Collect({all.substr(0, at), all.substr(at)});
      ASSERT_TRUE(got.status.ok()) << name << " split at " << at;
      ASSERT_EQ(got.documents, expected) << name << " split at " << at;
      ASSERT_FALSE(got.partial);
    }
  }
}

TEST(JsonStream, FindsEveryDocumentByteByByte) {
  const std::string text = Recorded("pods-sendInitialEvents.jsonl");
  std::vector<std::string_view> bytes;
  for (std::size_t i = 0; i < text.size(); ++i)
    bytes.push_back(std::string_view(text).substr(i, 1));
  const Collected got = Collect(bytes);
  ASSERT_TRUE(got.status.ok());
  EXPECT_EQ(got.documents, Lines(text));
  EXPECT_EQ(got.documents.size(), 6u);
}

TEST(JsonStream, NeedsNoNewlineBetweenDocuments) {
  EXPECT_EQ(Collect({R"({"a":1}{"b":2} {"c":3})"}).documents,
            (std::vector<std::string>{R"({"a":1})", R"({"b":2})", R"({"c":3})"}));
}

TEST(JsonStream, ANewlineInsideADocumentEndsNothing) {
  EXPECT_EQ(Collect({"{\n \"a\": [\n1,\n2]\n}\n"}).documents,
            (std::vector<std::string>{"{\n \"a\": [\n1,\n2]\n}"}));
}

TEST(JsonStream, BracketsAndQuotesInsideStringsDoNotCount) {
  const std::string tricky = R"({"a":"}]{\"\\","b":"\\\"}"})";
  for (std::size_t at = 0; at <= tricky.size(); ++at) {
    const std::string_view all = tricky;
    const Collected got = Collect({all.substr(0, at), all.substr(at)});
    ASSERT_EQ(got.documents, std::vector<std::string>{tricky}) << "split at " << at;
  }
}

TEST(JsonStream, KeepsHalfADocumentForTheNextPush) {
  const Collected got = Collect({R"({"a":1}{"b")"});
  EXPECT_EQ(got.documents.size(), 1u);
  EXPECT_TRUE(got.partial);
}

TEST(JsonStream, RefusesWhatIsNoObject) {
  for (const char* bad : {"x", "[1]", "\"text\"", "12", "<html>", "}"}) {
    const Collected got = Collect({bad});
    EXPECT_FALSE(got.status.ok()) << bad;
    EXPECT_TRUE(got.documents.empty()) << bad;
  }
}

TEST(JsonStream, RefusesADocumentOverTheLimitHoweverItIsCut) {
  const std::string large = "{\"a\":\"" + std::string(100, 'x') + "\"}";
  EXPECT_TRUE(Collect({large}, large.size()).status.ok());
  EXPECT_FALSE(Collect({large}, large.size() - 1).status.ok());
  const std::string_view all = large;
  EXPECT_FALSE(Collect({all.substr(0, 50), all.substr(50)}, large.size() - 1).status.ok());
  EXPECT_FALSE(Collect({all.substr(0, 90)}, 80).status.ok()) << "a document that never ends";
}

TEST(JsonStream, StopsWhenItsReaderHasEnough) {
  JsonStream stream(1024);
  int seen = 0;
  ASSERT_TRUE(stream.Push("{}{}{}", [&](std::string_view) { return ++seen < 2; }).ok());
  EXPECT_EQ(seen, 2);
}

}  // namespace
}  // namespace aliquot::kubeclient
