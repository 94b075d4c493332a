// SPDX-License-Identifier: Apache-2.0
#include "cli/number_list.h"

#include <gtest/gtest.h>

namespace aliquot::cli {
namespace {

TEST(ParseCardSet, ReadsCommaSeparatedCards) {
  EXPECT_EQ(*ParseCardSet("0,2,3", 4, "--free"), topology::CardSet{0b1101});
  EXPECT_EQ(*ParseCardSet("3, 1", 4, "--free"), topology::CardSet{0b1010});
  EXPECT_EQ(*ParseCardSet("", 4, "--free"), topology::CardSet{0});
}

TEST(ParseCardSet, NamesTheFlagAndTheCard) {
  EXPECT_EQ(ParseCardSet("0,4", 4, "--free").status().message(),
            "--free names card \"4\"; use numbers from 0 to 3, comma separated");
  EXPECT_EQ(ParseCardSet("-1", 4, "--set").status().message(),
            "--set names card \"-1\"; use numbers from 0 to 3, comma separated");
  EXPECT_EQ(ParseCardSet("1,1", 4, "--set").status().message(),
            "--set names card 1 twice; name each card once");
}

TEST(ParseSeeds, ReadsNumbersAndRanges) {
  EXPECT_EQ(*ParseSeeds("42", "--seed"), (std::vector<std::uint64_t>{42}));
  EXPECT_EQ(*ParseSeeds("42-44,7", "--seeds"), (std::vector<std::uint64_t>{42, 43, 44, 7}));
}

TEST(ParseSeeds, TheHighestSeedIsOneToo) {
  const std::vector<std::uint64_t> highest = {9223372036854775806u, 9223372036854775807u};
  EXPECT_EQ(*ParseSeeds("9223372036854775806-9223372036854775807", "--seeds"), highest);
  EXPECT_FALSE(ParseSeeds("9223372036854775808", "--seeds").ok());
}

TEST(ParseSeeds, RefusesWhatIsNoneTwiceOrTooMany) {
  for (const char* text : {"", "a", "5-", "9-8", "1,1", "1-3,2", "0-1000", "-4"}) {
    EXPECT_EQ(ParseSeeds(text, "--seeds").status().message(),
              "--seeds is \"" + std::string(text) +
                  "\"; use numbers and ranges such as 42-51, at most 1000, each once");
  }
}

}  // namespace
}  // namespace aliquot::cli
