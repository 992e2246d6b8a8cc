// The two rows of a page in the store (docs/formats/store.md). Keys of both are the page's word,
// big-endian.
//
// Table::kPage, written once at discovery: what the page is called and when it became known.
// Table::kHistory, written at every visit: what became of it, the ids of its links, and its
// account: how often it was visited and its history. A settled visit writes the account alone.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/ids.h"
#include "importance/window.h"

namespace opic::ledger {

struct PageRow {
  std::string url;
  uint32_t depth = 0;         // links followed from a seed when it was discovered
  cash::Sum stamp = 0;        // the clock at its discovery
  float prior = 0;            // its default importance (docs/algorithm.md section 3)
  std::string referrer = {};  // PageName::referrer
};

// How a visit ended, as kept with the page.
enum class VisitKind : uint8_t {
  kFetched = 0,      // answered 2xx; pays its links
  kNotModified = 1,  // answered 304; pays the kept links. Stored as kFetched.
  kRedirect = 2,     // answered 3xx; one link, the target
  kGone = 3,         // answered 4xx or another final refusal; no links
  kForbidden = 4,    // robots.txt forbids it; no request was made
  kFailed = 5,       // no answer for good; no links
  kOutOfScope = 6,   // this crawl does not fetch it; no links
};
inline constexpr int kVisitKinds = 7;
using KindCounts = std::array<uint64_t, kVisitKinds>;  // of pages, by VisitKind
std::string_view Name(VisitKind kind);

inline constexpr size_t kPlanBytesMax = 128;

struct HistoryRow {
  VisitKind kind = VisitKind::kFetched;
  // The last reading found it gone or moved, and its links are those from before (Reading).
  bool doubted = false;
  uint16_t http_status = 0;
  uint32_t visits = 0;              // fetched and settled
  uint32_t fetches = 0;             // requests answered or given up
  int64_t fetched_at = 0;           // Unix seconds of the last one, 0: never
  uint64_t content_hash = 0;        // of what counts as its content, 0: none
  std::string etag, last_modified;  // validators of the last 2xx, empty: none
  // When it is to be read again, in bytes that the ledger does not look into
  // (refresh/page_plan.h); at most kPlanBytesMax, empty: not planned.
  std::string plan;
  importance::History history;
  std::vector<PageId> links;  // distinct, sorted, without the page itself
};

std::string KeyOf(PageId page);
// Nothing: not a key of these tables.
absl::StatusOr<PageId> PageOfKey(std::string_view key);

// DataLoss: the data folder is damaged, page such and such `what`.
absl::Status DamagedPage(PageId page, std::string_view what);
// The same for readers that find one of the three without another: its cell in the page table, its
// page row, its history row.
absl::Status LacksRow(PageId page);
absl::Status LacksCell(PageId page);
absl::Status LacksHistory(PageId page);

std::string Encode(const PageRow& row);
absl::StatusOr<PageRow> DecodePageRow(std::string_view bytes);
// The row as a node that keeps no referrers has it. REQUIRES: a page row.
std::string WithoutReferrer(const std::string& bytes);
std::string Encode(const HistoryRow& row, const importance::Window& window);
absl::StatusOr<HistoryRow> DecodeHistoryRow(std::string_view bytes,
                                            const importance::Window& window);
// The account, which is the tail of the encoded row (Batch::ReplaceTail).
std::string EncodeAccount(const HistoryRow& row, const importance::Window& window);
// False: the row is in the form before version 6, with its account in the middle.
bool HasAccountAtItsEnd(std::string_view bytes);
// The row of a page of this node: the same, but an error names the page.
absl::StatusOr<PageRow> ReadPageRow(PageId page, std::string_view bytes);
absl::StatusOr<HistoryRow> ReadHistoryRow(PageId page, std::string_view bytes,
                                          const importance::Window& window);

}  // namespace opic::ledger
