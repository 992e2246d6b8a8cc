#include "tests/scenarios/crawl_figures.h"

#include <algorithm>
#include <map>

namespace opic::scenarios {
namespace {

bool IsRobots(const sample::Hit& hit) { return hit.target == "/robots.txt"; }

}  // namespace

int CountRepeated(std::vector<sample::Hit> hits, std::vector<Kill>& kills) {
  std::sort(hits.begin(), hits.end(),
            [](const auto& a, const auto& b) { return a.start_us < b.start_us; });
  std::map<std::string, int64_t> asked;  // when last, by URL
  int unexplained = 0;
  for (const sample::Hit& hit : hits) {
    if (IsRobots(hit)) continue;
    const auto [before, first] = asked.try_emplace(hit.host + hit.target, hit.start_us);
    if (first) continue;
    const auto kill = std::find_if(kills.begin(), kills.end(), [&](const Kill& each) {
      return each.at_us > before->second && each.at_us < hit.start_us;
    });
    if (kill == kills.end()) {
      ++unexplained;
    } else {
      ++kill->repeated;
      kill->oldest = std::max(kill->oldest, absl::Microseconds(kill->at_us - before->second));
    }
    before->second = hit.start_us;
  }
  return unexplained;
}

double PagesPerSecond(const std::vector<sample::Hit>& hits, int64_t from_us, int64_t to_us) {
  const auto pages = std::count_if(hits.begin(), hits.end(), [&](const sample::Hit& hit) {
    return !IsRobots(hit) && hit.start_us >= from_us && hit.start_us < to_us;
  });
  return static_cast<double>(pages) * 1e6 /
         static_cast<double>(std::max<int64_t>(1, to_us - from_us));
}

}  // namespace opic::scenarios
