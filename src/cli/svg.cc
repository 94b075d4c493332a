// SPDX-License-Identifier: Apache-2.0
#include "cli/svg.h"

#include <array>
#include <cstdio>

namespace aliquot::cli {
namespace {

constexpr std::string_view kStyleSheet =
    "svg{font-family:sans-serif}.page{fill:#fff}"
    "text{fill:#222}.frame{fill:none;stroke:#888}.box{fill:#eee;stroke:#888}"
    ".card{fill:#cfe8cf;stroke:#2e7d32}.nic{fill:#d6e4f7;stroke:#1f5fa8}"
    ".switch{fill:#f5e3c3;stroke:#9a6a00}.wire{fill:none;stroke:#888}"
    ".fast{fill:none;stroke:#2e7d32}.curve{fill:none;stroke:#1f5fa8;stroke-width:2}"
    ".guide{fill:none;stroke:#ccc}"
    "@media(prefers-color-scheme:dark){.page{fill:#161b22}text{fill:#e6e6e6}"
    ".frame,.wire{stroke:#999}.box{fill:#2a2f37;stroke:#999}"
    ".card{fill:#1d3d20;stroke:#7bc67e}.nic{fill:#16304d;stroke:#7fb2ef}"
    ".switch{fill:#46371a;stroke:#e0b458}.fast{stroke:#7bc67e}.curve{stroke:#7fb2ef}"
    ".guide{stroke:#3a404a}}";

std::string_view ClassOf(SvgStyle style) {
  switch (style) {
    case SvgStyle::kFrame:
      return "frame";
    case SvgStyle::kBox:
      return "box";
    case SvgStyle::kCard:
      return "card";
    case SvgStyle::kNic:
      return "nic";
    case SvgStyle::kSwitch:
      return "switch";
    case SvgStyle::kWire:
      return "wire";
    case SvgStyle::kFastWire:
      return "fast";
    case SvgStyle::kCurve:
      return "curve";
    case SvgStyle::kGuide:
      break;
  }
  return "guide";
}

// One digit after the point is enough for a pixel.
std::string Number(double value) {
  std::array<char, 32> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.1f", value);
  return std::string(text.data(), length < 0 ? 0 : static_cast<std::size_t>(length));
}

std::string Attribute(std::string_view name, double value) {
  return " " + std::string(name) + "=\"" + Number(value) + "\"";
}

std::string_view NameOf(SvgAnchor anchor) {
  return anchor == SvgAnchor::kStart ? "start" : anchor == SvgAnchor::kMiddle ? "middle" : "end";
}

}  // namespace

std::string EscapeXml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    }
  }
  return escaped;
}

SvgPicture::SvgPicture(double width, double height, std::string_view title) {
  head_ =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"" +
      Attribute("width", width) + Attribute("height", height) + " viewBox=\"0 0 " + Number(width) +
      " " + Number(height) + "\">\n<title>" + EscapeXml(title) + "</title>\n<style>" +
      std::string(kStyleSheet) + "</style>\n<rect class=\"page\"" + Attribute("width", width) +
      Attribute("height", height) + "/>\n";
}

void SvgPicture::Shape(std::string_view element, SvgStyle style) {
  body_ += "<" + std::string(element) + " class=\"" + std::string(ClassOf(style)) + "\"";
}

void SvgPicture::Line(double x1, double y1, double x2, double y2, SvgStyle style,
                      double thickness) {
  Shape("line", style);
  body_ += Attribute("x1", x1) + Attribute("y1", y1) + Attribute("x2", x2) + Attribute("y2", y2) +
           Attribute("stroke-width", thickness) + "/>\n";
}

void SvgPicture::Arc(double x1, double y1, double x2, double y2, double height, SvgStyle style,
                     double thickness) {
  Shape("path", style);
  body_ += Attribute("stroke-width", thickness) + " d=\"M" + Number(x1) + " " + Number(y1) + " Q" +
           Number((x1 + x2) / 2) + " " + Number((y1 + y2) / 2 - 2 * height) + " " + Number(x2) +
           " " + Number(y2) + "\"/>\n";
}

void SvgPicture::Box(double x, double y, double width, double height, SvgStyle style) {
  Shape("rect", style);
  body_ += Attribute("x", x) + Attribute("y", y) + Attribute("width", width) +
           Attribute("height", height) + " rx=\"4\"/>\n";
}

void SvgPicture::Text(double x, double y, std::string_view text, SvgAnchor anchor, double size) {
  body_ += "<text" + Attribute("x", x) + Attribute("y", y) + Attribute("font-size", size) +
           " text-anchor=\"" + std::string(NameOf(anchor)) + "\">" + EscapeXml(text) + "</text>\n";
}

void SvgPicture::Polyline(const std::vector<std::pair<double, double>>& points, SvgStyle style) {
  Shape("polyline", style);
  body_ += " points=\"";
  for (std::size_t i = 0; i < points.size(); ++i) {
    body_ += (i == 0 ? "" : " ") + Number(points[i].first) + "," + Number(points[i].second);
  }
  body_ += "\"/>\n";
}

std::string SvgPicture::Finish() const { return head_ + body_ + "</svg>\n"; }

}  // namespace aliquot::cli
