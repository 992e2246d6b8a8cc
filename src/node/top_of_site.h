// The most important pages of a host or a registrable domain.
//
// Names are read away from the ledger's thread, the whole table of them, or one shard of it where
// the host says which. The ledger's thread looks at pages of the site only, some hundred at a time,
// whose rows were read just before, so that it finds them in memory.
//
// Thread safety: confined to one thread at a time, Step to the ledger's (PageSearch).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "node/name_walk.h"
#include "node/page_filter.h"
#include "node/ranking.h"

namespace opic::node {

class TopOfSite final : public PageSearch {
 public:
  // `filter` was checked, and names a site. The other two must outlive the search.
  TopOfSite(const ledger::Ledger& ledger, store::Store& store, size_t count, PageFilter filter);

  absl::Status ReadAhead() override;
  bool reads_ahead() const override { return true; }
  absl::StatusOr<bool> Step() override;
  std::vector<PageImportance> TakeResult() override { return descriptions_.TakeSorted(); }
  uint64_t matching() const override { return matching_; }

 private:
  struct Found {
    PageId page;
    ledger::PageRow name;
  };
  using Rows = std::vector<std::optional<std::string>>;
  absl::StatusOr<Rows> VisitsOfFound();
  absl::Status Look(const Found& found, const std::optional<std::string>& visited);

  const ledger::Ledger& ledger_;
  store::Store& store_;
  const PageFilter filter_;
  NameWalk names_;
  bool all_read_ = false, described_ = false;
  std::vector<Found> found_;  // and not looked at yet
  BestPages best_;
  PageDescriptions descriptions_;
  uint64_t matching_ = 0;
};

}  // namespace opic::node
