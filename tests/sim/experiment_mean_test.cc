#include "sim/experiment_mean.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opic::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ExperimentResult ARun(const std::string& error, double y) {
  ExperimentResult run;
  run.table = {
      .columns = {"method", "error", "window"}, .keys = 1, .rows = {{"cycle", error, "-"}}};
  run.plot.series = {{"cycle", {{1, y}}}};
  return run;
}

TEST(MeanOf, GivesMeanAndSampleDeviationInTheDigitsOfTheRuns) {
  const ExperimentResult mean = MeanOf({ARun("1.00", 1), ARun("2.00", 2), ARun("6.00", 6)});
  EXPECT_THAT(mean.table.columns,
              ElementsAre("method", "error", "error_sd", "window", "window_sd"));
  EXPECT_THAT(mean.table.rows, ElementsAre(ElementsAre("cycle", "3.00", "2.65", "-", "-")));
}

TEST(MeanOf, ShowsTheSpreadInThePlot) {
  const ExperimentResult mean = MeanOf({ARun("1", 1), ARun("3", 3)});
  ASSERT_EQ(mean.plot.series.size(), 1u);
  EXPECT_THAT(mean.plot.series[0].points, ElementsAre(std::pair(1.0, 2.0)));
  ASSERT_EQ(mean.plot.series[0].spreads.size(), 1u);
  EXPECT_NEAR(mean.plot.series[0].spreads[0], 1.41421, 1e-4);
  // An upright line with a dash at each end.
  EXPECT_THAT(RenderSvg(mean.plot), HasSubstr("m-3 0h6"));
}

TEST(MeanOf, LeavesASingleRunAsItIs) {
  const ExperimentResult mean = MeanOf({ARun("1.5", 1)});
  EXPECT_EQ(mean.table.ToTsv(), ARun("1.5", 1).table.ToTsv());
  EXPECT_THAT(RenderSvg(mean.plot), Not(HasSubstr("m-3 0h6")));
}

}  // namespace
}  // namespace opic::sim
