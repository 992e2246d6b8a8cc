// A crawl's pages and kept links, numbered densely, out of one part or several: what `opic export`,
// `opic rank` and `opic compare` read.
//
// Pages are numbered by their word, ascending; so a cluster's are numbered as those of one node
// that crawled the same web. Behind them stand the pages that are *known elsewhere*: links lead to
// them, and no part has them. They are another node's, or their discovery is still on its way
// there. Pages that were never answered, forbidden, gone or read with --forget-links have no links.
//
// The parts are *whole* when every node of the cluster has one. Then all importances sum to 1: by
// ledger push they are computed from the pages and the sums of these very parts, otherwise they are
// the nodes' own, divided by their sum. One node's part of several gives shares of the whole crawl
// as that node knows it, whose sum is below 1.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "base/ids.h"
#include "node/page_record.h"

namespace opic::node {

inline constexpr char kKnownElsewhere[] = "elsewhere";  // in place of a page's state

struct ExportedPage {
  uint32_t number = 0;
  bool known = true;  // false: known elsewhere, and of `record` only the page is set
  PageRecord record;
  double estimate = 0;          // the importance before it was divided by the sum
  double importance = 0;        // as above; 0 where it is not known
  std::vector<uint32_t> links;  // numbers, ascending in words
};

// Thread safety: confined to one thread.
class Export {
 public:
  // Reads the parts twice. Memory: 8 bytes a page, and some 16 bytes a page known elsewhere.
  // REQUIRES: at least one part, all of one crawl.
  static absl::StatusOr<std::unique_ptr<Export>> Open(
      std::vector<std::unique_ptr<CrawlPart>> parts);

  uint32_t pages() const { return static_cast<uint32_t>(words_.size()); }  // known here
  uint32_t elsewhere() const { return static_cast<uint32_t>(elsewhere_.size()); }
  uint32_t all_pages() const { return pages() + elsewhere(); }
  // Pages 0, 1, ... in one pass, those known elsewhere last. The error of `take` ends it.
  absl::Status ForEach(absl::FunctionRef<absl::Status(const ExportedPage&)> take);

  bool whole() const { return missing_.empty(); }
  // Nodes of the cluster that have no part here.
  const std::vector<NodeId>& missing() const { return missing_; }
  uint64_t links_elsewhere() const { return links_elsewhere_; }
  // Pages that two parts had, because their shard was moving: the first one counts.
  uint64_t twice() const { return twice_; }
  // For a reader to judge the estimates by: their sum over all pages, and their clock.
  double estimate_sum() const { return estimate_sum_; }
  double clock_supplies() const { return clock_supplies_; }
  cash::SmallEdge epsilon() const { return parts_.front()->head().epsilon; }  // of the crawl
  double visits_per_page() const;

 private:
  class Merged;
  explicit Export(std::vector<std::unique_ptr<CrawlPart>> parts) : parts_(std::move(parts)) {}
  void LookAtHeads();
  absl::Status ReadWords();
  absl::Status FindElsewhere();
  double EstimateOf(const PageRecord& record) const;
  std::optional<uint32_t> NumberOf(PageId page) const;
  absl::Status TakeElsewhere(absl::FunctionRef<absl::Status(const ExportedPage&)> take) const;

  const std::vector<std::unique_ptr<CrawlPart>> parts_;
  std::vector<NodeId> missing_;
  importance::PushTotals totals_;  // of all parts
  double clock_supplies_ = 0;
  std::vector<uint64_t> words_, elsewhere_;  // ascending
  uint64_t links_elsewhere_ = 0, visits_ = 0, twice_ = 0;
  double estimate_sum_ = 0;
};

}  // namespace opic::node
