#include "rpc/export_wire.h"

#include <algorithm>

#include "base/status_macros.h"
#include "opic/v1/export.pb.h"
#include "rpc/answer_wire.h"
#include "rpc/enum_words.h"
#include "rpc/sum_wire.h"
#include "rpc/time_wire.h"

namespace opic::rpc {
namespace {

absl::StatusOr<PageId> PageOfWord(uint64_t word) {
  if (!PageId::IsValidWord(word)) return absl::InvalidArgumentError("a word that names no page");
  return PageId::FromWord(word);
}

void ToWire(const node::PartHead& head, v1::ExportHead* wire) {
  wire->set_cluster_id(head.cluster_id);
  wire->set_node(head.node.value);
  wire->set_nodes(head.nodes);
  wire->set_in_cluster(head.in_cluster);
  wire->set_method(MethodToWire(head.method));
  wire->set_epsilon_parts(head.epsilon.parts);
  wire->set_pages(head.totals.pages);
  wire->set_unread(head.totals.unread_pages);
  wire->set_reread(head.totals.reread);
  wire->set_history(cash::ToString(head.totals.history));
  wire->set_read_cash(cash::ToString(head.totals.read));
  wire->set_unread_cash(cash::ToString(head.totals.unread));
  wire->set_clock_supplies(head.clock_supplies);
}

absl::StatusOr<node::PartHead> FromWire(const v1::ExportHead& wire) {
  if (std::max(wire.node(), wire.nodes()) > kShardOrNodeMax) {
    return absl::InvalidArgumentError("there is no such node");
  }
  if (wire.method() == v1::RANKING_METHOD_UNSPECIFIED) {
    return absl::UnimplementedError(
        "the node is of an earlier release, or of a later one, whose export this program cannot "
        "read; use the node's release");
  }
  node::PartHead head;
  head.cluster_id = wire.cluster_id();
  head.node = NodeAt(wire.node());
  head.nodes = static_cast<uint16_t>(wire.nodes());
  head.in_cluster = wire.in_cluster();
  head.method = MethodFromWire(wire.method());
  head.epsilon.parts = wire.epsilon_parts();
  head.totals.pages = wire.pages();
  head.totals.unread_pages = wire.unread();
  head.totals.reread = wire.reread();
  ASSIGN_OR_RETURN(head.totals.history, SumOf(wire.history()));
  ASSIGN_OR_RETURN(head.totals.read, SumOf(wire.read_cash()));
  ASSIGN_OR_RETURN(head.totals.unread, SumOf(wire.unread_cash()));
  head.clock_supplies = wire.clock_supplies();
  return head;
}

void ToWire(const node::PageRecord& page, v1::ExportedPage* wire) {
  wire->set_word(page.page.word());
  wire->set_url(page.url);
  wire->set_state(ValueOf<v1::PageState>(page.state));
  wire->set_importance(page.importance);
  wire->set_cash(page.cash.units());
  wire->set_history(cash::ToString(page.history));
  wire->set_depth(page.depth);
  wire->set_visits(page.visits);
  wire->set_fetches(page.fetches);
  wire->set_http_status(page.http_status);
  if (page.fetched_at != 0) *wire->mutable_fetched_at() = WireTime(TimeAt(page.fetched_at));
  wire->set_content_hash(page.content_hash);
  wire->set_near_hash(page.near_hash);
  for (const PageId link : page.links) wire->add_links(link.word());
}

absl::StatusOr<node::PageRecord> FromWire(const v1::ExportedPage& wire) {
  node::PageRecord page;
  ASSIGN_OR_RETURN(page.page, PageOfWord(wire.word()));
  page.url = wire.url();
  page.state = WordOf(wire.state());
  page.importance = wire.importance();
  page.cash = cash::Amount(wire.cash());
  ASSIGN_OR_RETURN(page.history, SumOf(wire.history()));
  page.depth = wire.depth();
  page.visits = wire.visits();
  page.fetches = wire.fetches();
  page.http_status = wire.http_status();
  if (wire.has_fetched_at()) page.fetched_at = SecondsOf(TimeOf(wire.fetched_at()));
  page.content_hash = wire.content_hash();
  page.near_hash = wire.near_hash();
  for (const uint64_t word : wire.links()) {
    ASSIGN_OR_RETURN(const PageId link, PageOfWord(word));
    page.links.push_back(link);
  }
  return page;
}

}  // namespace

void ToWire(const node::ExportPosition& position, v1::ReadRequest* wire) {
  wire->set_cut(position.cut);
  if (position.after) wire->set_after(position.after->word());
}

void ToWire(const node::ExportedRows& rows, v1::ReadResponse* wire) {
  wire->set_cut(rows.cut);
  ToWire(rows.head, wire->mutable_head());
  for (const node::PageRecord& page : rows.pages) ToWire(page, wire->add_pages());
  wire->set_last(rows.last);
}

absl::StatusOr<node::ExportPosition> FromWire(const v1::ReadRequest& wire) {
  node::ExportPosition position{.cut = wire.cut()};
  if (wire.has_after()) {
    ASSIGN_OR_RETURN(position.after, PageOfWord(wire.after()));
  }
  return position;
}

absl::StatusOr<node::ExportedRows> FromWire(const v1::ReadResponse& wire) {
  node::ExportedRows rows{.cut = wire.cut(), .last = wire.last()};
  ASSIGN_OR_RETURN(rows.head, FromWire(wire.head()));
  for (const v1::ExportedPage& page : wire.pages()) {
    ASSIGN_OR_RETURN(node::PageRecord record, FromWire(page));
    if (!rows.pages.empty() && !(rows.pages.back().page < record.page)) {
      return absl::InvalidArgumentError("pages that are not in the order of their words");
    }
    rows.pages.push_back(std::move(record));
  }
  if (rows.pages.empty() && !rows.last) return absl::InvalidArgumentError("no pages and no end");
  return rows;
}

}  // namespace opic::rpc
