// SPDX-License-Identifier: Apache-2.0
#include "cli/svg.h"

#include <gtest/gtest.h>

namespace aliquot::cli {
namespace {

TEST(Svg, EscapesTextFromOutside) {
  EXPECT_EQ(EscapeXml("a<b & \"c\"'>"), "a&lt;b &amp; &quot;c&quot;&#39;&gt;");
  EXPECT_EQ(EscapeXml(std::string("a\0b\n", 4)), "a?b?");
}

TEST(Svg, HoldsNoScriptAndNothingFromElsewhere) {
  SvgPicture picture(100, 50, "<script>alert(1)</script>");
  picture.Text(1, 2, "\"/><script>");
  picture.Box(0, 0, 10, 10, SvgStyle::kCard);
  picture.Line(0, 0, 1, 1, SvgStyle::kWire);
  const std::string text = picture.Finish();
  EXPECT_EQ(text.find("<script"), std::string::npos);
  EXPECT_EQ(text.find("href"), std::string::npos);
  EXPECT_EQ(text.find("url("), std::string::npos);
}

TEST(Svg, HasColoursForLightAndDarkReaders) {
  const std::string text = SvgPicture(10, 10, "t").Finish();
  EXPECT_NE(text.find("class=\"page\""), std::string::npos) << "its own background";
  EXPECT_NE(text.find("prefers-color-scheme:dark"), std::string::npos);
}

TEST(Svg, NumbersDoNotDependOnTheirSize) {
  SvgPicture picture(10, 10, "t");
  picture.Line(1.0 / 3, 1e6, -2, 0, SvgStyle::kWire, 2);
  EXPECT_NE(picture.Finish().find("x1=\"0.3\" y1=\"1000000.0\" x2=\"-2.0\" y2=\"0.0\""),
            std::string::npos);
}

}  // namespace
}  // namespace aliquot::cli
