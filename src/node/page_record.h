// One page as an export tells it, and where such pages come from: a folder at rest
// (resting_parts.h), or a running node (export_desk.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/ids.h"
#include "cash/amount.h"
#include "cash/split.h"
#include "importance/push.h"
#include "ledger/ledger.h"
#include "node/page_scope.h"

namespace opic::node {

struct PageRecord {
  PageId page;
  std::string url;
  std::string state;      // ledger::Name of the last visit, or of none (UnreadStates)
  double importance = 0;  // share of 1, as its node sees the whole crawl
  cash::Amount cash;
  cash::Sum history = 0;  // cash ever recorded
  uint32_t depth = 0, visits = 0, fetches = 0;
  int http_status = 0;
  int64_t fetched_at = 0;     // Unix seconds, 0: never
  uint64_t content_hash = 0;  // of what counts as its content (ledger/rows.h), 0: none
  uint64_t near_hash = 0;     // of the page that it is alike (near_duplicates.h); 0: none
  std::vector<PageId> links;  // distinct, ascending
};
std::string Encode(const PageRecord& record);
absl::StatusOr<PageRecord> DecodePageRecord(std::string_view bytes);

// The record of a page of these rows; its importance is to be filled in. No `visited`: never.
PageRecord RecordOf(PageId page, const ledger::PageRow& name, const ledger::HistoryRow* visited,
                    cash::Amount cash, const UnreadStates& unread);

// What the pages of one node are a part of, and what they add up to.
struct PartHead {
  uint64_t cluster_id = 0;
  NodeId node;
  uint16_t nodes = 1;       // of the cluster, as far as this node knows
  bool in_cluster = false;  // false: these are all pages of a crawl
  importance::Method method = importance::Method::kWindow;
  cash::SmallEdge epsilon;
  importance::PushTotals totals;  // of own pages; the residual is left out
  double clock_supplies = 0;      // G of the cluster, as this node knows it
};
// REQUIRES: the ledger's thread.
PartHead HeadOf(const ledger::Ledger& ledger);

// Pages in the order of their words.
//
// Thread safety: confined to one thread, as the part is.
class PageReader {
 public:
  virtual ~PageReader() = default;
  // False: there are no more.
  virtual absl::StatusOr<bool> Next(PageRecord& page) = 0;
};

// The pages of one node. They are the same whenever they are read.
class CrawlPart {
 public:
  virtual ~CrawlPart() = default;
  virtual const PartHead& head() const = 0;
  // All pages, from the first on. The part must outlive the reader.
  virtual std::unique_ptr<PageReader> Read() = 0;
};

}  // namespace opic::node
