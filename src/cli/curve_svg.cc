// SPDX-License-Identifier: Apache-2.0
#include "cli/curve_svg.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "cli/svg.h"

namespace aliquot::cli {
namespace {

constexpr double kLeft = 56;
constexpr double kTop = 44;
constexpr double kPlotWidth = 600;
constexpr double kPlotHeight = 320;
constexpr int kGridStep = 10;

class Plot {
 public:
  Plot(std::string_view title, std::size_t percents)
      : percents_(std::max<std::size_t>(percents, 2) - 1),
        picture_(kLeft + kPlotWidth + 24, kTop + kPlotHeight + 56, title) {
    picture_.Text(kLeft, 24, title, SvgAnchor::kStart, 14);
    for (int percent = 0; percent <= 100; percent += kGridStep) {
      picture_.Line(kLeft, Y(percent), kLeft + kPlotWidth, Y(percent), SvgStyle::kGuide);
      picture_.Text(kLeft - 6, Y(percent) + 4, std::to_string(percent), SvgAnchor::kEnd);
    }
    const std::size_t step = percents_ > 300 ? 100 : 10;
    for (std::size_t percent = 0; percent <= percents_; percent += step) {
      picture_.Line(X(percent), kTop, X(percent), kTop + kPlotHeight, SvgStyle::kGuide);
      picture_.Text(X(percent), kTop + kPlotHeight + 18, std::to_string(percent),
                    SvgAnchor::kMiddle);
    }
    picture_.Text(kLeft + kPlotWidth / 2, kTop + kPlotHeight + 42,
                  "GPUs asked for by the pods arrived, % of the cluster's", SvgAnchor::kMiddle);
  }

  void Add(const simulate::ArrivalCurve& curve, SvgStyle style) {
    std::vector<std::pair<double, double>> points;
    for (std::size_t percent = 0; percent < curve.size(); ++percent) {
      if (const auto value = curve.At(percent)) {
        points.emplace_back(X(percent), Y(*value));
      }
    }
    picture_.Polyline(points, style);
  }

  void Label(double x_percent, double y_percent, std::string_view text) {
    picture_.Text(kLeft + kPlotWidth * x_percent, Y(y_percent), text);
  }

  std::string Finish() const { return picture_.Finish(); }

 private:
  double X(std::size_t percent) const {
    return kLeft + kPlotWidth * static_cast<double>(percent) / static_cast<double>(percents_);
  }
  static double Y(double percent) { return kTop + kPlotHeight * (1 - percent / 100); }

  const std::size_t percents_;
  SvgPicture picture_;
};

}  // namespace

std::string DrawCurves(std::string_view title, const std::vector<simulate::ReplayResult>& runs) {
  std::size_t percents = 0;
  for (const simulate::ReplayResult& run : runs) {
    percents = std::max(percents, run.allocated_percent.size());
  }
  Plot plot(title, percents);
  for (const simulate::ReplayResult& run : runs) {
    plot.Add(run.allocated_percent, SvgStyle::kCurve);
    plot.Add(run.fragmentation_percent, SvgStyle::kFastWire);
  }
  plot.Label(0.72, 83, "allocated, % of all GPUs");
  plot.Label(0.72, 13, "idle but unusable, %");
  return plot.Finish();
}

}  // namespace aliquot::cli
