#include "ledger/kept_rows.h"

#include <string>
#include <utility>

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

std::optional<HistoryRow> KeptRows::Take(PageId page) {
  const auto found = by_page_.find(page);
  if (found == by_page_.end()) return std::nullopt;
  HistoryRow row = std::move(found->second->row);
  Drop(found->second);
  return row;
}

void KeptRows::Keep(PageId page, HistoryRow row) {
  if (const auto found = by_page_.find(page); found != by_page_.end()) Drop(found->second);
  const size_t bytes = sizeof(Entry) + kSlotBytes + BytesOf(row);
  if (bytes > bytes_max_) return;
  while (bytes_ + bytes > bytes_max_) Drop(std::prev(rows_.end()));
  rows_.push_front({page, std::move(row), bytes});
  by_page_[page] = rows_.begin();
  bytes_ += bytes;
}

void KeptRows::Forget() {
  by_page_.clear();
  rows_.clear();
  bytes_ = 0;
}

void KeptRows::Drop(std::list<Entry>::iterator entry) {
  bytes_ -= entry->bytes;
  by_page_.erase(entry->page);
  rows_.erase(entry);
}

}  // namespace opic::ledger
