#include <gtest/gtest.h>

#include <limits>

#include "gmock/gmock.h"
#include "sim/plot.h"

namespace opic::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Plot Line(std::vector<std::pair<double, double>> points, Scale scale = Scale::kLinear) {
  return {"Error", "crawls", "percent", scale, {{"greedy", std::move(points)}}};
}

TEST(Plot, PutsPointsBetweenTheCornersOfItsAxes) {
  const std::string svg = RenderSvg(Line({{0, 0}, {10, 50}}));
  EXPECT_THAT(svg, HasSubstr("d=\"M70.0 424.0L590.0 44.0\""));  // bottom left to top right
  EXPECT_THAT(svg, HasSubstr(">50</text>"));
}

TEST(Plot, HasALogScaleFromPowerToPowerOfTen) {
  const std::string svg = RenderSvg(Line({{0, 0.1}, {10, 10}}, Scale::kLog));
  EXPECT_THAT(svg, HasSubstr("d=\"M70.0 424.0L590.0 44.0\""));
  EXPECT_THAT(svg, HasSubstr(">0.1</text>"));
}

TEST(Plot, LeavesOutWhatCannotBeDrawn) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string svg =
      RenderSvg(Line({{1, infinity}, {2, std::nan("")}, {3, 0}, {10, 10}}, Scale::kLog));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
}

TEST(Plot, WithoutPointsStillHasAxes) {
  EXPECT_THAT(RenderSvg(Line({})), HasSubstr(">1</text>"));
  EXPECT_THAT(RenderSvg(Line({}, Scale::kLog)), Not(HasSubstr("nan")));
}

TEST(Plot, EscapesItsTexts) {
  Plot plot = Line({{1, 1}});
  plot.title = "error < 5 % & falling";
  EXPECT_THAT(RenderSvg(plot), HasSubstr("error &lt; 5 % &amp; falling"));
}

}  // namespace
}  // namespace opic::sim
