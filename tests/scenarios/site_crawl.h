// A crawl of a small site to its end, and what it has left in its folder.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/scenarios/sample_crawl.h"

namespace opic::scenarios {

// The words of `opic crawl`, with which it waits for no host and settles to 0.3 %. `more` come
// last.
inline Words SiteCrawlWords(const std::string& data, const Words& seeds, const Words& more = {}) {
  Words words = {"crawl", "--data", data, "--delay", "0s", "--allow-private", "--error", "0.003"};
  words.insert(words.end(), seeds.begin(), seeds.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// What `opic WORDS --json` answers; the test fails unless the exit code is 0.
inline nlohmann::json Json(Words words) {
  words.push_back("--json");
  const Said said = RunProgram("opic", words);
  EXPECT_EQ(said.code, 0) << said.output;
  return nlohmann::json::parse(said.answer, nullptr, /*allow_exceptions=*/false);
}

// What follows `origin` in the URLs of the pages that `opic top` lists.
inline std::set<std::string> RankedPaths(const std::string& origin, const std::string& data) {
  std::set<std::string> paths;
  const nlohmann::json top = Json({"top", "--count", "1000", "--data", data});
  for (const auto& page : top["pages"])
    paths.insert(page["url"].get<std::string>().substr(origin.size()));
  return paths;
}

// The crawl ranks its pages as its links do, and its money and its rows are whole.
inline void ExpectExact(const std::string& data) {
  const nlohmann::json compared = Json({"compare", "--data", data});
  EXPECT_LT(compared["error_percent"].get<double>(), 1) << compared;
  for (const Words& check : {Words{"audit"}, Words{"verify"}, Words{"restate", "--check"}}) {
    Words words = check;
    words.insert(words.end(), {"--data", data});
    const Said said = RunProgram("opic", words);
    EXPECT_EQ(said.code, 0) << check.front() << ": " << said.output;
  }
}

}  // namespace opic::scenarios
