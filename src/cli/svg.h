// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes small pictures as SVG 1.1: lines, boxes and text, no script, no outside reference. The
// picture brings its own background and colours for light and dark readers
// (prefers-color-scheme), so it can be read on both. Text is escaped. Units: pixels.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aliquot::cli {

// How a shape looks; the style sheet in svg.cc gives each its colours.
enum class SvgStyle { kFrame, kBox, kCard, kNic, kSwitch, kWire, kFastWire, kCurve, kGuide };
enum class SvgAnchor { kStart, kMiddle, kEnd };

class SvgPicture {
 public:
  // `title` is read out by screen readers.
  SvgPicture(double width, double height, std::string_view title);

  void Line(double x1, double y1, double x2, double y2, SvgStyle style, double thickness = 1);
  // An arc from one point to another that bends up by `height`.
  void Arc(double x1, double y1, double x2, double y2, double height, SvgStyle style,
           double thickness = 1);
  void Box(double x, double y, double width, double height, SvgStyle style);
  void Text(double x, double y, std::string_view text, SvgAnchor anchor = SvgAnchor::kStart,
            double size = 12);
  // Joins the points.
  void Polyline(const std::vector<std::pair<double, double>>& points, SvgStyle style);

  // The document.
  std::string Finish() const;

 private:
  void Shape(std::string_view element, SvgStyle style);

  std::string head_;
  std::string body_;
};

// The five characters that XML reserves, and '?' for those it does not allow.
std::string EscapeXml(std::string_view text);

}  // namespace aliquot::cli
