#include "rpc/ranking_watch.h"

#include <algorithm>
#include <cmath>

namespace opic::rpc {

std::optional<WatchChanges> RankingWatch::Look(const node::Answers::TopPages& top,
                                               absl::Span<const node::PageImportance> pages) {
  WatchChanges changes;
  changes.complete = !begun_;
  changes.known = top.known;
  changes.error_bound = top.error_bound;
  changes.missing = top.missing;
  if (top.missing.empty()) {
    const size_t count = std::min(query_.count, top.pages.size());
    changes.top = LookAtTop(absl::MakeConstSpan(top.pages).first(count));
  }
  pages_.resize(pages.size());
  for (size_t i = 0; i < pages.size(); ++i) {
    if (!pages[i].unanswered_by.empty()) {
      if (std::find(changes.missing.begin(), changes.missing.end(), pages[i].unanswered_by) ==
          changes.missing.end())
        changes.missing.push_back(pages[i].unanswered_by);
      continue;
    }
    if (pages_[i] && !Differ(*pages_[i], pages[i])) continue;
    pages_[i] = pages[i];
    changes.pages.push_back(pages[i]);
  }
  const bool others_missing = changes.missing != missing_;
  missing_ = changes.missing;
  begun_ = true;
  if (!changes.complete && changes.top.empty() && changes.pages.empty() && !others_missing)
    return std::nullopt;
  return changes;
}

std::vector<RankChange> RankingWatch::LookAtTop(absl::Span<const node::PageImportance> best) {
  std::vector<RankChange> changes;
  absl::flat_hash_map<std::string, Told> now;
  for (size_t i = 0; i < best.size(); ++i) {
    const auto rank = static_cast<uint32_t>(i + 1);
    const auto told = top_.find(best[i].url);
    const bool was = told != top_.end();
    if (was && told->second.rank == rank && !Differ(told->second.page, best[i])) {
      now.insert(*told);  // what was told last is what the next difference is from
    } else {
      changes.push_back({rank, was ? told->second.rank : 0, best[i]});
      now[best[i].url] = {rank, best[i]};
    }
  }
  std::vector<RankChange> gone;
  for (const auto& [url, told] : top_) {
    if (!now.contains(url)) gone.push_back({0, told.rank, told.page});
  }
  std::sort(gone.begin(), gone.end(),
            [](const RankChange& a, const RankChange& b) { return a.before < b.before; });
  changes.insert(changes.end(), gone.begin(), gone.end());
  top_ = std::move(now);
  return changes;
}

bool RankingWatch::Differ(const node::PageImportance& told, const node::PageImportance& now) const {
  if (told.known != now.known || told.state != now.state || told.fetches != now.fetches ||
      told.http_status != now.http_status)
    return true;
  return std::abs(now.importance - told.importance) > query_.least_change * told.importance;
}

}  // namespace opic::rpc
