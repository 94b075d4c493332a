// SPDX-License-Identifier: Apache-2.0
#include "topology/read_measured_gbps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/topology/topology_files.h"

namespace aliquot::topology {
namespace {

using ::testing::ElementsAre;

MeasuredGbps Good(std::string_view text) {
  Result<MeasuredGbps> read = ReadMeasuredGbps(text, "g.txt");
  EXPECT_TRUE(read.ok()) << read.status().message();
  return read.ok() ? *read : MeasuredGbps();
}

std::string Bad(std::string_view text) {
  const Result<MeasuredGbps> read = ReadMeasuredGbps(text, "g.txt");
  EXPECT_FALSE(read.ok());
  return read.status().message();
}

TEST(ReadMeasuredGbps, RowsOfPairsTakeTheLowerDirection) {
  const MeasuredGbps read = Good("a,b,gbps\nGPU0,GPU1,52.4\n1,0,50.6\n0,2,0\n");
  EXPECT_EQ(read.cards, 3);
  EXPECT_FALSE(read.every_card);
  // 0-1: 50.6 = 51. 0-2: nothing measured. 1-2: not given.
  EXPECT_THAT(read.gbps, ElementsAre(51, 0, 0));
}

TEST(ReadMeasuredGbps, ASquareTableMayBeCsvOrBlanks) {
  const std::string csv = ",GPU0,GPU1,GPU2\nGPU0,X,52,48\nGPU1,53,,47.6\nGPU2,N/A,49,-\n";
  EXPECT_THAT(Good(csv).gbps, ElementsAre(52, 48, 48));
  const std::string blanks =
      "      GPU0  GPU1  GPU2\nGPU0  1500  52    48\nGPU1  53    1490  47.6\n"
      "GPU2  -     49    1501\n";
  EXPECT_THAT(Good(blanks).gbps, ElementsAre(52, 48, 48));
  EXPECT_TRUE(Good(blanks).every_card);
}

// The sections of p2pBandwidthLatencyTest; only the bidirectional one with P2P counts, halved.
TEST(ReadMeasuredGbps, TakesTheBidirectionalTableOfTheTest) {
  const std::string text =
      "P2P Connectivity Matrix\n"
      "     D\\D     0     1\n"
      "     0\t     1     1\n"
      "     1\t     1     1\n"
      "Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n"
      "   D\\D     0      1\n"
      "     0 1161.19  18.86\n"
      "     1  18.90 1162.05\n"
      "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n"
      "   D\\D     0      1\n"
      "     0 1161.19  96.10\n"
      "     1  96.20 1162.05\n"
      "Bidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n"
      "   D\\D     0      1\n"
      "     0 1161.19  20.00\n"
      "     1  20.00 1162.05\n"
      "Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)\n"
      "   D\\D     0      1\n"
      "     0 1161.19 180.00\n"
      "     1 181.00 1162.05\n"
      "P2P=Enabled Latency (P2P Writes) Matrix (us)\n"
      "   GPU     0      1\n"
      "     0   1.62   2.11\n"
      "     1   2.10   1.61\n";
  EXPECT_THAT(Good(text).gbps, ElementsAre(90));
  const std::string one_way = text.substr(0, text.find("Bidirectional"));
  EXPECT_THAT(Good(one_way).gbps, ElementsAre(96));
}

TEST(ReadMeasuredGbps, RefusesRaggedTables) {
  EXPECT_EQ(Bad(",GPU0,GPU1\nGPU0,0\nGPU1,1,0\n"),
            "g.txt, line 2: the row of card 0 has 1 figures; give 2, one for each card");
  EXPECT_EQ(Bad(",GPU0,GPU1\nGPU0,0,5\n"),
            "g.txt, line 2: the table ends here without a row of card 1; give one row a card, in "
            "order");
  EXPECT_EQ(Bad(",GPU0,GPU1\nGPU1,5,0\nGPU0,0,5\n"),
            "g.txt, line 2: is the row of \"GPU1\" where that of card 0 belongs; give one row a "
            "card, in order");
  EXPECT_EQ(Bad(",GPU1,GPU0\nGPU1,0,5\nGPU0,5,0\n"),
            "g.txt, line 1: names card 1 in place 0; name the cards in order, from 0");
}

TEST(ReadMeasuredGbps, RefusesBadFiguresAndCards) {
  EXPECT_EQ(Bad("a,b,gbps\n0,1,-5\n"),
            "g.txt, line 2: GPU0 to GPU1 is \"-5\"; give GB/s, 0 to 10000");
  EXPECT_EQ(Bad(",GPU0,GPU1\nGPU0,0,fast\nGPU1,1,0\n"),
            "g.txt, line 2: GPU0 to GPU1 is \"fast\"; give GB/s, 0 to 10000");
  EXPECT_EQ(Bad("a,b,gbps\n0,64,5\n"),
            "g.txt, line 2: names the card \"64\"; use GPU0 to GPU63, or 0 to 63");
  EXPECT_EQ(Bad("a,b,gbps\n2,2,5\n"), "g.txt, line 2: measures card 2 to itself; remove the row");
  EXPECT_EQ(Bad("a,b,gbps\n0,1,5\n0,1,6\n"),
            "g.txt, line 3: measures card 0 to 1 again; keep one of the rows");
  EXPECT_EQ(Bad("a,b,gbps\n0,1\n"), "g.txt, line 2: has 2 columns; give a,b,gbps");
  EXPECT_EQ(Bad("a,b,gbps\n"),
            "g.txt, line 1: the text ends here without a pair of cards; give rows of a,b,gbps");
}

TEST(ReadMeasuredGbps, RefusesOtherText) {
  EXPECT_EQ(Bad("hello there\n"),
            "g.txt, line 1: begins no table of measured GB/s: \"hello there\"; give a header "
            "a,b,gbps and rows of it, a square table with a header of GPU names, or the output of "
            "p2pBandwidthLatencyTest");
}

TEST(ApplyMeasured, OverridesOnlyWhatWasMeasured) {
  Description description;
  description.cards.resize(3);
  description.measured_gbps = {7, 8, 9};
  ASSERT_TRUE(ApplyMeasured(Good("a,b,gbps\n0,1,52\n"), description).ok());
  EXPECT_THAT(description.measured_gbps, ElementsAre(52, 8, 9));
}

TEST(ApplyMeasured, RefusesATableOfAnotherNode) {
  Description description;
  description.cards.resize(3);
  const std::string measure = "; measure the cards of this node";
  EXPECT_EQ(ApplyMeasured(Good(",GPU0,GPU1\nGPU0,0,5\nGPU1,5,0\n"), description).message(),
            "the table of measured GB/s has 2 cards and the node 3" + measure);
  EXPECT_EQ(ApplyMeasured(Good("a,b,gbps\n0,3,52\n"), description).message(),
            "the table of measured GB/s has 4 cards and the node 3" + measure);
}

}  // namespace
}  // namespace aliquot::topology
