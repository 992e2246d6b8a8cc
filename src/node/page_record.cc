#include "node/page_record.h"

#include <bit>

#include "base/encoding.h"
#include "desk/failure.h"
#include "desk/left_out.h"

namespace opic::node {

std::string Encode(const PageRecord& record) {
  std::string out;
  base::AppendFixed64(out, record.page.word());
  base::AppendBytes(out, record.url);
  base::AppendBytes(out, record.state);
  base::AppendFixed64(out, std::bit_cast<uint64_t>(record.importance));
  base::AppendZigzag(out, record.cash.units());
  base::AppendVarint128(out, static_cast<unsigned __int128>(record.history));
  for (const uint64_t number : {uint64_t{record.depth}, uint64_t{record.visits},
                                uint64_t{record.fetches}, uint64_t{record.links.size()}}) {
    base::AppendVarint(out, number);
  }
  base::AppendZigzag(out, record.http_status);
  base::AppendZigzag(out, record.fetched_at);
  base::AppendFixed64(out, record.content_hash);
  base::AppendFixed64(out, record.near_hash);
  for (const PageId link : record.links) base::AppendFixed64(out, link.word());
  return out;
}

absl::StatusOr<PageRecord> DecodePageRecord(std::string_view bytes) {
  base::Decoder in(bytes);
  PageRecord record;
  record.page = PageId::FromWord(in.Fixed64());
  record.url = in.Bytes();
  record.state = in.Bytes();
  record.importance = std::bit_cast<double>(in.Fixed64());
  record.cash = cash::Amount(in.Zigzag());
  record.history = static_cast<cash::Sum>(in.Varint128());
  record.depth = static_cast<uint32_t>(in.Varint());
  record.visits = static_cast<uint32_t>(in.Varint());
  record.fetches = static_cast<uint32_t>(in.Varint());
  const uint64_t links = in.Varint();
  record.http_status = static_cast<int>(in.Zigzag());
  record.fetched_at = in.Zigzag();
  record.content_hash = in.Fixed64();
  record.near_hash = in.Fixed64();
  if (links != in.rest().size() / sizeof(uint64_t)) in.Fail();
  for (uint64_t i = 0; in.ok() && i < links; ++i) {
    record.links.push_back(PageId::FromWord(in.Fixed64()));
  }
  if (!in.done()) return absl::DataLossError("a page's record cannot be read");
  return record;
}

PageRecord RecordOf(PageId page, const ledger::PageRow& name, const ledger::HistoryRow* visited,
                    cash::Amount cash, const UnreadStates& unread) {
  PageRecord record;
  record.page = page;
  record.url = name.url;
  record.depth = name.depth;
  record.cash = cash;
  record.state = visited != nullptr ? std::string(ledger::Name(visited->kind)) : unread.Of(name);
  if (visited == nullptr) return record;
  record.history = visited->history.sum;
  record.visits = visited->visits;
  record.fetches = visited->fetches;
  const int status = desk::StatusInRow(visited->http_status);
  if (desk::FailureInRow(status).cause == desk::Failure::kNone) record.http_status = status;
  record.fetched_at = visited->fetched_at;
  record.content_hash = visited->content_hash;
  record.links = visited->links;
  return record;
}

PartHead HeadOf(const ledger::Ledger& ledger) {
  const ledger::Charter& charter = ledger.charter();
  const ledger::NodeSums sums = ledger.Sums();
  PartHead head;
  head.cluster_id = charter.cluster_id;
  head.node = charter.node;
  head.nodes = ledger.nodes();
  head.in_cluster = charter.birth != 0;
  head.method = charter.method;
  head.epsilon = charter.epsilon;
  head.totals.pages = sums.pages;
  head.totals.unread_pages = sums.unread;
  head.totals.reread = sums.reread;
  head.totals.history = sums.history;
  head.totals.read = sums.read_cash;
  head.totals.unread = sums.table - sums.read_cash;
  head.clock_supplies =
      static_cast<double>(ledger.cluster().clock()) / static_cast<double>(charter.supply.units());
  return head;
}

}  // namespace opic::node
