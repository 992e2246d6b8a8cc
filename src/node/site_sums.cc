#include "node/site_sums.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "url/scope.h"

namespace opic::node {

Site& Site::operator+=(const Site& other) {
  importance += other.importance;
  pages += other.pages;
  unread += other.unread;
  fetched += other.fetched;
  failed += other.failed;
  fetches += other.fetches;
  bytes = bytes && other.bytes ? std::optional(*bytes + *other.bytes) : std::nullopt;
  return *this;
}

bool IsBetter(const Site& a, const Site& b) {
  return a.importance != b.importance ? a.importance > b.importance : a.name < b.name;
}

absl::Status SiteSums::Add(ShardId shard, std::string_view host, const Site& page) {
  if (shard != shard_) RETURN_IF_ERROR(EndShard());
  shard_ = shard;
  return AddTo(hosts_, host, page);
}

absl::StatusOr<std::vector<Site>> SiteSums::Take() {
  RETURN_IF_ERROR(EndShard());
  for (const auto& [name, site] : all_) Offer(name, site);
  all_.clear();
  std::sort(best_.begin(), best_.end(), IsBetter);
  return std::move(best_);
}

absl::Status SiteSums::EndShard() {
  for (const auto& [host, site] : hosts_) {
    if (kind_ == SiteKind::kDomain) {
      RETURN_IF_ERROR(AddTo(all_, url::RegistrableDomain(host), site));
    } else if (kind_ == SiteKind::kGroup) {
      const std::string group = group_of_ ? group_of_(host) : "";
      if (!group.empty()) RETURN_IF_ERROR(AddTo(all_, group, site));
    } else if (hosts_keep_shards_) {
      Offer(host, site);
    } else {
      RETURN_IF_ERROR(AddTo(all_, host, site));
    }
  }
  hosts_.clear();
  return absl::OkStatus();
}

absl::Status SiteSums::AddTo(Sums& sums, std::string_view name, const Site& site) const {
  sums[absl::string_view(name.data(), name.size())] += site;
  if (sums.size() <= at_once_max_) return absl::OkStatus();
  return absl::OutOfRangeError(
      absl::StrCat("more than ", at_once_max_, " ",
                   kind_ == SiteKind::kHost || &sums == &hosts_ ? "hosts" : "domains",
                   " on one node cannot be added up at once; export the pages, and add up there"));
}

void SiteSums::Offer(const std::string& name, Site site) {
  ++known_;
  site.name = name;
  if (count_ == 0 || (best_.size() == count_ && !IsBetter(site, best_.front()))) return;
  best_.push_back(std::move(site));
  std::push_heap(best_.begin(), best_.end(), IsBetter);
  if (best_.size() <= count_) return;
  std::pop_heap(best_.begin(), best_.end(), IsBetter);
  best_.pop_back();
}

}  // namespace opic::node
