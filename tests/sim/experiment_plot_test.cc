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

TEST(Plot, HasALogScaleAcrossWithRoomForZero) {
  Plot plot = Line({{0, 10}, {1, 10}, {20, 10}});
  plot.x_scale = Scale::kLog;
  const std::string svg = RenderSvg(plot);
  EXPECT_THAT(svg, HasSubstr("d=\"M70.0 44.0L132.4 44.0L590.0 44.0\""));
  for (const char* tick : {">0<", ">1<", ">2<", ">5<", ">10<", ">20<"}) {
    EXPECT_THAT(svg, HasSubstr(tick));
  }
}

TEST(Plot, BeginsALogScaleAcrossNearItsFirstPoint) {
  Plot plot = Line({{0.5, 10}, {30, 10}});
  plot.x_scale = Scale::kLog;
  EXPECT_THAT(RenderSvg(plot), HasSubstr("d=\"M70.0 44.0L532.3 44.0\""));  // of 0.5 to 50
}

TEST(Plot, DashesALineInTheColourOfAnother) {
  Plot plot = Line({{1, 1}});
  plot.series.push_back({.name = "plain", .points = {{1, 2}}, .dashed = true, .as = 0});
  plot.note = "N = 5 & more";
  const std::string svg = RenderSvg(plot);
  EXPECT_THAT(svg, HasSubstr("stroke-width=\"3\" stroke-dasharray=\"5 4\"/>"));
  EXPECT_THAT(svg, Not(HasSubstr("#d55e00")));
  EXPECT_THAT(svg, HasSubstr(">N = 5 &amp; more</text>"));
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
