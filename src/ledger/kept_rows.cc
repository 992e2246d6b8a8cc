#include "ledger/kept_rows.h"

#include <iterator>
#include <string>

namespace opic::ledger {
namespace {

// Of a slot of by_page_, at the lowest load that it has.
constexpr size_t kSlotBytes = 40;

// What a string has outside of itself.
size_t BytesOf(const std::string& string) {
  return string.capacity() > std::string().capacity() ? string.capacity() : 0;
}

size_t BytesOf(const HistoryRow& row) {
  return BytesOf(row.etag) + BytesOf(row.last_modified) + BytesOf(row.plan) +
         row.history.measures.capacity() * sizeof(importance::History::Measure) +
         row.links.capacity() * sizeof(PageId);
}

}  // namespace

KeptRows::Handle KeptRows::NewRow(PageId page) {
  Handle row;
  row.push_back({page});
  return row;
}

KeptRows::Handle KeptRows::Take(PageId page) {
  Handle taken;
  const auto found = by_page_.find(page);
  if (found == by_page_.end()) return taken;
  bytes_ -= found->second->bytes;
  taken.splice(taken.begin(), rows_, found->second);
  by_page_.erase(found);
  return taken;
}

void KeptRows::Keep(Handle row) {
  const PageId page = row.front().page;
  if (const auto found = by_page_.find(page); found != by_page_.end()) Drop(found->second);
  const size_t bytes = sizeof(Row) + kSlotBytes + BytesOf(row.front().row);
  if (bytes > bytes_max_) return;
  while (bytes_ + bytes > bytes_max_) Drop(std::prev(rows_.end()));
  row.front().bytes = bytes;
  rows_.splice(rows_.begin(), row);
  by_page_[page] = rows_.begin();
  bytes_ += bytes;
}

void KeptRows::Forget() {
  by_page_.clear();
  rows_.clear();
  bytes_ = 0;
}

void KeptRows::Drop(Handle::iterator row) {
  bytes_ -= row->bytes;
  by_page_.erase(row->page);
  rows_.erase(row);
}

}  // namespace opic::ledger
