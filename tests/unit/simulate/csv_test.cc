// SPDX-License-Identifier: Apache-2.0
#include "simulate/csv.h"

#include <gtest/gtest.h>

namespace aliquot::simulate {
namespace {

using Fields = std::vector<std::string>;

std::string ErrorOf(std::string_view text) {
  const auto csv = ParseCsv(text, "t.csv");
  return csv.ok() ? "no error" : csv.status().message();
}

TEST(Csv, ReadsFieldsAndTheirLines) {
  const auto csv = ParseCsv("a,b\n\n1,\n", "t.csv");
  ASSERT_TRUE(csv.ok());
  ASSERT_EQ(csv->rows.size(), 2u);
  EXPECT_EQ(csv->rows[0].fields, (Fields{"a", "b"}));
  EXPECT_EQ(csv->rows[0].line, 1);
  EXPECT_EQ(csv->rows[1].fields, (Fields{"1", ""}));
  EXPECT_EQ(csv->rows[1].line, 3);
}

TEST(Csv, TakesWindowsLinesAByteOrderMarkAndAMissingLastNewline) {
  const auto csv = ParseCsv(
      "\xEF\xBB\xBF"
      "a,b\r\n1,2",
      "t.csv");
  ASSERT_TRUE(csv.ok());
  EXPECT_EQ(csv->rows[0].fields, (Fields{"a", "b"}));
  EXPECT_EQ(csv->rows[1].fields, (Fields{"1", "2"}));
  EXPECT_EQ(csv->rows[1].line, 2);
}

TEST(Csv, QuotedFieldsHoldCommasQuotesAndNewlines) {
  const auto csv = ParseCsv("\"a,b\",\"c\"\"d\",\"e\r\nf\"\nnext\n", "t.csv");
  ASSERT_TRUE(csv.ok());
  EXPECT_EQ(csv->rows[0].fields, (Fields{"a,b", "c\"d", "e\nf"}));
  EXPECT_EQ(csv->rows[1].line, 3) << "the newline in quotes counts as a line";
}

TEST(Csv, LeavesOutCommentLines) {
  const auto csv = ParseCsv("# about\na,b\n# end", "t.csv");
  ASSERT_TRUE(csv.ok());
  EXPECT_EQ(csv->rows.size(), 1u);
}

TEST(Csv, RefusesAnEmptyFile) {
  EXPECT_EQ(ErrorOf(""), "t.csv:1: the file is empty; expected comma-separated lines");
  EXPECT_EQ(ErrorOf("\n# only\n"), ErrorOf(""));
}

TEST(Csv, NamesTheLineOfAnOpenQuote) {
  EXPECT_EQ(ErrorOf("a\n\"b\nc\n"), "t.csv:2: a quoted field is not closed; add the closing quote");
}

TEST(Csv, RefusesTextAroundQuotes) {
  EXPECT_EQ(ErrorOf("\"a\"b\n"),
            "t.csv:1: text follows a closing quote; end the field with a comma there");
  EXPECT_EQ(ErrorOf("a\"b\n"),
            "t.csv:1: a quote stands inside a field; put the whole field in quotes and double it");
}

TEST(Csv, NamesTheLineThatIsNoUtf8) {
  EXPECT_EQ(ErrorOf("a,b\n1,\xFF\n"), "t.csv:2: the text is not UTF-8; save the file as UTF-8");
}

TEST(Csv, RefusesControlCharacters) {
  const std::string with_nul("a\nb\0c\n", 6);
  EXPECT_EQ(ErrorOf(with_nul),
            "t.csv:2: a control character stands in the text; is this a CSV file?");
}

TEST(CsvColumns, AreFoundByNameInAnyOrder) {
  const auto csv = ParseCsv("x,b,a\n9,2,1\n", "t.csv");
  const auto columns = CsvColumns::Find(*csv, {"a", "b"}, {"c"});
  ASSERT_TRUE(columns.ok());
  EXPECT_EQ(*columns->Text(csv->rows[1], 0), "1");
  EXPECT_EQ(*columns->Text(csv->rows[1], 1), "2");
  EXPECT_EQ(columns->Text(csv->rows[1], 2), nullptr);
}

TEST(CsvColumns, NameWhatIsMissingOrTwice) {
  const auto missing = ParseCsv("a,c\n", "t.csv");
  EXPECT_EQ(CsvColumns::Find(*missing, {"a", "b"}).status().message(),
            "t.csv:1: column \"b\" is missing; the first line must name a,b");
  const auto twice = ParseCsv("a,b,a\n", "t.csv");
  EXPECT_EQ(CsvColumns::Find(*twice, {"a", "b"}).status().message(),
            "t.csv:1: column \"a\" is there twice; remove one");
}

TEST(CsvColumns, RefuseRowsOfAnotherWidth) {
  const auto csv = ParseCsv("a,b\n1,2,3\n", "t.csv");
  const auto columns = CsvColumns::Find(*csv, {"a", "b"});
  EXPECT_EQ(columns->CheckWidth(csv->rows[1]).message(),
            "t.csv:2: the line has 3 fields and the header 2; give every line one field a column");
}

TEST(CsvColumns, CountsAreWholeNumbersInTheirRange) {
  const auto csv = ParseCsv("a\n-1\n1.5\n11\n10\nx\n\"\"\n", "t.csv");
  const auto columns = CsvColumns::Find(*csv, {"a"});
  for (const std::size_t bad : {1u, 2u, 3u, 5u, 6u}) {
    const auto count = columns->Count(csv->rows[bad], 0, 10);
    EXPECT_EQ(count.status().message(), "t.csv:" + std::to_string(bad + 1) + ": a is \"" +
                                            csv->rows[bad].fields[0] +
                                            "\"; use a whole number from 0 to 10");
  }
  EXPECT_EQ(*columns->Count(csv->rows[4], 0, 10), 10);
}

}  // namespace
}  // namespace aliquot::simulate
