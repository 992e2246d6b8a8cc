#include "node/first_pages.h"

#include <utility>
#include <vector>

#include "base/encoding.h"
#include "base/status_macros.h"
#include "node/kept_content.h"

namespace opic::node {
namespace {

using desk::DuplicateUse;
using ledger::VisitKind;

std::string RowKeyOf(uint64_t key) { return "first/" + base::Big64(key); }

// Nothing: no row, or one that says nothing.
std::optional<PageId> PageIn(const std::optional<std::string>& row) {
  if (!row) return std::nullopt;
  const absl::StatusOr<PageId> page = ledger::PageOfKey(*row);
  return page.ok() ? std::optional(*page) : std::nullopt;
}

struct Content {
  uint64_t key = 0;  // 0: it is no first page
  uint64_t hash = 0;
};

// Of a page that moves, as its rows have it.
absl::StatusOr<Content> ContentOfMoved(const ledger::MovedPage& moved,
                                       const ledger::Ledger& ledger) {
  if (moved.history.empty()) return Content();
  ASSIGN_OR_RETURN(const ledger::PageRow name, ledger::ReadPageRow(moved.page, moved.row));
  ASSIGN_OR_RETURN(const ledger::HistoryRow row,
                   ledger::ReadHistoryRow(moved.page, moved.history, ledger.window()));
  const std::optional<url::Url> url = url::Parse(name.url);
  return url ? Content{desk::ContentKeyOf(*url, row), row.content_hash} : Content();
}

void PayAlone(PageId first, ledger::Visit& visit) {
  // Its URL is known with the page.
  visit.discovered = std::exchange(visit.links, {ledger::Link{first, ""}});
  desk::LeftOut left_out = desk::LeftOutInRow(visit.http_status);
  left_out.duplicate = true;
  visit.http_status =
      desk::RowStatusOf(static_cast<uint16_t>(desk::StatusInRow(visit.http_status)), left_out);
}

}  // namespace

absl::StatusOr<std::optional<PageId>> FirstPageWith(uint64_t key, uint64_t hash,
                                                    const ledger::Ledger& ledger,
                                                    store::Store& store) {
  ASSIGN_OR_RETURN(const std::optional<std::string> row,
                   store.Get(store::Table::kMeta, RowKeyOf(key)));
  const std::optional<PageId> first = PageIn(row);
  if (!first) return std::nullopt;
  ASSIGN_OR_RETURN(const bool stands, HasContent(*first, hash, ledger, store));
  return stands ? first : std::nullopt;
}

absl::Status FirstPages::Judge(absl::Span<ledger::Visit> visits) {
  if (near_use_ != DuplicateUse::kOff) RETURN_IF_ERROR(near_.Prepare(visits));
  std::vector<std::string> keys;
  std::vector<std::pair<ledger::Visit*, size_t>> with_key;  // and where its rows begin
  for (ledger::Visit& visit : visits) {
    if (visit.kind == VisitKind::kNotModified) continue;
    with_key.emplace_back(&visit, keys.size());
    if (use_ == DuplicateUse::kOff) visit.content_key = visit.content_key_before = 0;
    for (const uint64_t key : {visit.content_key, visit.content_key_before})
      if (key != 0) keys.push_back(RowKeyOf(key));
  }
  std::vector<std::optional<std::string>> rows;
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kMeta, keys, &rows));
  for (auto& [visit, at] : with_key) {
    const uint64_t key = visit->content_key, before = visit->content_key_before;
    std::optional<PageId> first;
    if (key != 0) first = FirstOf(key, rows[at++]);
    if (before != 0 && before != key && FirstOf(before, rows[at]) == visit->page) Delete(before);
    RETURN_IF_ERROR(JudgeOne(*visit, first));
  }
  return absl::OkStatus();
}

absl::Status FirstPages::JudgeOne(ledger::Visit& visit, std::optional<PageId> first) {
  const uint64_t key = visit.content_key;
  const bool other = first && *first != visit.page;
  keys_[visit.page] = 0;
  if (other) {
    ASSIGN_OR_RETURN(const bool stands, Stands(*first, key, visit.content_hash));
    if (stands) {
      ++counts_.duplicates;
      if (use_ == DuplicateUse::kMerge) PayAlone(*first, visit);
      return near_use_ == DuplicateUse::kOff ? absl::OkStatus() : near_.Forget(visit.page);
    }
  }
  ASSIGN_OR_RETURN(const bool merged, MergeNear(visit));
  if (merged || key == 0) return absl::OkStatus();
  if (other) ++counts_.taken_over;
  if (first != visit.page) Put(key, visit.page);
  keys_[visit.page] = key;
  return absl::OkStatus();
}

// Whether it pays the page alone that it is a near duplicate of.
absl::StatusOr<bool> FirstPages::MergeNear(ledger::Visit& visit) {
  if (near_use_ == DuplicateUse::kOff) return false;
  ASSIGN_OR_RETURN(const std::optional<PageId> first, near_.Judge(visit));
  if (!first || !Merges(near_use_)) return false;
  PayAlone(*first, visit);
  return true;
}

// `row`: as on disk.
std::optional<PageId> FirstPages::FirstOf(uint64_t key,
                                          const std::optional<std::string>& row) const {
  const auto of_group = firsts_.find(key);
  return of_group != firsts_.end() ? of_group->second : PageIn(row);
}

absl::StatusOr<bool> FirstPages::Stands(PageId first, uint64_t key, uint64_t hash) const {
  const auto of_group = keys_.find(first);
  if (of_group != keys_.end()) return of_group->second == key;
  return HasContent(first, hash, ledger_, store_);
}

absl::Status FirstPages::TakeMoves() {
  for (const auto& [to, pieces] : ledger_.moves().leaving()) {
    for (const ledger::ShardChunk& piece : pieces) RETURN_IF_ERROR(TakeAway(piece.pages));
  }
  return Welcome(ledger_.moves().arriving());
}

// What it says does not move with it: the receiver knows when it reads the page. A content whose
// first page is another one keeps its row.
absl::Status FirstPages::TakeAway(absl::Span<const ledger::MovedPage> pages) {
  if (near_use_ != DuplicateUse::kOff) {
    for (const ledger::MovedPage& moved : pages) RETURN_IF_ERROR(near_.Forget(moved.page));
  }
  ASSIGN_OR_RETURN(const std::vector<Moved> moves, WithContent(pages));
  for (const Moved& moved : moves)
    if (FirstOf(moved.key, moved.row) == moved.page) Delete(moved.key);
  return absl::OkStatus();
}

// A page that arrived before it counts as one that is here. Pages come by ascending words: so of
// some with one content, which --duplicates show leaves, the sender's first page stays the first
// only if its word is the lowest.
absl::Status FirstPages::Welcome(absl::Span<const ledger::MovedPage> pages) {
  ASSIGN_OR_RETURN(const std::vector<Moved> moves, WithContent(pages));
  for (const Moved& moved : moves) keys_[moved.page] = moved.key;
  for (const Moved& moved : moves) {
    const std::optional<PageId> first = FirstOf(moved.key, moved.row);
    if (first == moved.page) continue;
    if (first) {
      ASSIGN_OR_RETURN(const bool stays, Stays(*first, moved.key, moved.hash));
      if (stays) continue;
    }
    Put(moved.key, moved.page);
  }
  return absl::OkStatus();
}

// When another one with the content arrives. Its own shard may be arriving yet.
absl::StatusOr<bool> FirstPages::Stays(PageId first, uint64_t key, uint64_t hash) const {
  const auto of_group = keys_.find(first);
  if (of_group != keys_.end()) return of_group->second == key;
  return HasContentOnDisk(first, hash, ledger_, store_);
}

absl::StatusOr<std::vector<FirstPages::Moved>> FirstPages::WithContent(
    absl::Span<const ledger::MovedPage> pages) const {
  std::vector<Moved> moves;
  if (use_ == DuplicateUse::kOff) return moves;
  std::vector<std::string> keys;
  for (const ledger::MovedPage& moved : pages) {
    ASSIGN_OR_RETURN(const Content content, ContentOfMoved(moved, ledger_));
    if (content.key == 0) continue;
    moves.push_back({moved.page, content.key, content.hash, std::nullopt});
    keys.push_back(RowKeyOf(content.key));
  }
  std::vector<std::optional<std::string>> rows;
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kMeta, keys, &rows));
  for (size_t i = 0; i < moves.size(); ++i) moves[i].row = std::move(rows[i]);
  return moves;
}

void FirstPages::Committed() {
  firsts_.clear();
  keys_.clear();
  near_.Committed();
}

void FirstPages::Put(uint64_t key, PageId page) {
  firsts_[key] = page;
  ledger_.Note(RowKeyOf(key), ledger::KeyOf(page));
}

void FirstPages::Delete(uint64_t key) {
  firsts_[key] = std::nullopt;
  ledger_.Note(RowKeyOf(key), std::nullopt);
}

}  // namespace opic::node
