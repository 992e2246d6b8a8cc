#include "cli/metrics_json.h"

#include <gtest/gtest.h>

#include "base/metric.h"

namespace opic::cli {
namespace {

TEST(MetricsJson, SaysWhatTheTextSays) {
  std::string text;
  {
    base::Metric pages(text, "opic_pages", "gauge", "Known pages");
    pages.Add({{"node", "a"}}, 7);
    pages.Add({{"node", "a \"b\", {c}\\d\n"}, {"host", "x=1"}}, 0.25);
  }
  base::Metric fetches(text, "opic_fetches_total", "counter", "Fetches");
  fetches.Add({}, 1e9);
  const nlohmann::ordered_json json = MetricsJson(text);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["name"], "opic_pages");
  EXPECT_EQ(json[0]["type"], "gauge");
  EXPECT_EQ(json[0]["help"], "Known pages.");
  EXPECT_EQ(json[0]["samples"][0],
            nlohmann::ordered_json::parse(R"({"labels": {"node": "a"}, "value": 7.0})"));
  EXPECT_EQ(json[0]["samples"][1]["labels"]["node"], "a \"b\", {c}\\d\n");
  EXPECT_EQ(json[0]["samples"][1]["labels"]["host"], "x=1");
  EXPECT_EQ(json[0]["samples"][1]["value"], 0.25);
  EXPECT_EQ(json[1]["samples"][0]["labels"], nlohmann::ordered_json::object());
  EXPECT_EQ(json[1]["samples"][0]["value"], 1e9);
  EXPECT_EQ(MetricsJson(""), nlohmann::ordered_json::array());
}

}  // namespace
}  // namespace opic::cli
