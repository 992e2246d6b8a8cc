#include <gtest/gtest.h>

#include <string>

#include "absl/strings/numbers.h"
#include "sim/experiment.h"
#include "sim/made_web.h"

namespace opic::sim {
namespace {

// Per cent of all XML that this order has found after so many per cent of the fetches.
double FoundBy(const Table& table, const std::string& order, const std::string& percent) {
  double found = -1;
  for (const auto& row : table.rows) {
    if (row[0] == order && row[1] == percent && !absl::SimpleAtod(row[2], &found)) ADD_FAILURE();
  }
  return found;
}

// Means of three webs: in one of them, of 10,000 pages, endings alone find nearly as much.
TEST(ExperimentInterestTest, InterestFindsMoreThanEndingsAndTheseMoreThanCash) {
  const Table table = ComputeExperiment("interest", {.pages = 20'000, .runs = 3}).value().table;
  for (const std::string percent : {"5", "10", "20"}) {
    const double cash = FoundBy(table, "cash", percent);
    const double endings = FoundBy(table, "endings alone, factor 100", percent);
    const double interest = FoundBy(table, "interest, factor 100", percent);
    EXPECT_GT(endings, 1.5 * cash) << percent;
    EXPECT_GT(interest, 1.15 * endings) << percent;
  }
  for (const std::string order : {"cash", "random", "interest, factor 10"})
    EXPECT_GT(FoundBy(table, order, "100"), 99) << order;
}

TEST(MadeWebTest, XmlLiesMostlyInAFewDirectories) {
  const MadeWeb web = MadeWeb::Of(20'000, 1);
  size_t most = 0, directories = 0;
  for (uint32_t first = 0; first < 20'000; first += 50) {
    size_t xml = 0;
    for (uint32_t page = first; page < first + 50; ++page) xml += web.xml[page];
    if (xml > 10) ++directories, most += xml;
  }
  EXPECT_GT(most, web.xml_pages() / 2);
  EXPECT_LT(directories, 20'000u / 50 / 8);
  EXPECT_EQ(web.graph.pages(), 20'000u);
}

}  // namespace
}  // namespace opic::sim
