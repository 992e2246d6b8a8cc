#include "node/top_of_site.h"

#include <algorithm>

#include "base/status_macros.h"
#include "node/stand_in.h"

namespace opic::node {
namespace {

constexpr size_t kNamesPerSlice = 50'000;
constexpr size_t kFoundPerStep = 500;

// Where the pages of the filter's host are; none: anywhere.
std::vector<ShardId> ShardsOf(const ledger::Charter& charter, const std::string& host) {
  if (host.empty() || charter.shard_by != url::ShardBy::kHost) return {};
  const url::UrlHash hash(charter.shard_by, charter.shards);
  // URLs may write it with a final dot, too.
  std::vector<ShardId> shards = {hash.ShardOfHost(host), hash.ShardOfHost(host + ".")};
  std::sort(shards.begin(), shards.end());
  shards.erase(std::unique(shards.begin(), shards.end()), shards.end());
  return shards;
}

}  // namespace

TopOfSite::TopOfSite(const ledger::Ledger& ledger, store::Store& store, size_t count,
                     PageFilter filter)
    : ledger_(ledger),
      store_(store),
      filter_(std::move(filter)),
      names_(store, ShardsOf(ledger.charter(), filter_.host)),
      best_(count),
      descriptions_(ledger, store) {}

absl::Status TopOfSite::ReadAhead() {
  if (all_read_) return absl::OkStatus();
  const auto take = [this](PageId page, ledger::PageRow name) {
    if (IsOfSite(filter_, name.url)) found_.push_back({page, std::move(name)});
    return found_.size() < kFoundPerStep;
  };
  ASSIGN_OR_RETURN(all_read_, names_.Read(kNamesPerSlice, take));
  // The ledger's thread reads them again, as they are then, out of the store's cache.
  return VisitsOfFound().status();
}

absl::StatusOr<TopOfSite::Rows> TopOfSite::VisitsOfFound() {
  Rows rows;
  if (found_.empty()) return rows;
  std::vector<std::string> keys;
  for (const Found& found : found_) keys.push_back(ledger::KeyOf(found.page));
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kHistory, keys, &rows));
  return rows;
}

absl::StatusOr<bool> TopOfSite::Step() {
  if (described_) return descriptions_.Step();
  ASSIGN_OR_RETURN(const Rows rows, VisitsOfFound());
  for (size_t i = 0; i < found_.size(); ++i) RETURN_IF_ERROR(Look(found_[i], rows[i]));
  found_.clear();
  if (all_read_) {
    described_ = true;
    descriptions_.Begin(best_.Take());
  }
  return false;
}

absl::Status TopOfSite::Look(const Found& found, const std::optional<std::string>& visited) {
  const std::optional<page_table::Page> cell = ledger_.books().table().Find(found.page);
  if (!cell) return absl::OkStatus();  // it has moved to another node
  importance::History history = ledger_.accounting().Unvisited(found.name);
  std::optional<ledger::HistoryRow> row;
  if (visited) {
    ASSIGN_OR_RETURN(row, ledger::ReadHistoryRow(found.page, *visited, ledger_.window()));
    if (AnotherStandsFor(*row)) return absl::OkStatus();
    history = row->history;
  }
  if (!IsOfKind(filter_, row ? &*row : nullptr)) return absl::OkStatus();
  ++matching_;
  best_.Offer(ledger_.accounting().Estimate(history, cell->cash.value()), found.page);
  return absl::OkStatus();
}

}  // namespace opic::node
