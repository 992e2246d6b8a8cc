#include "node/near_pages.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "base/encoding.h"
#include "base/status_macros.h"
#include "node/kept_content.h"
#include "node/near_duplicates.h"

namespace opic::node {
namespace {

constexpr size_t kPageKeyBytes = 8;

constexpr std::string_view kTexts = "text/";

std::string TextKey(PageId page) { return std::string(kTexts) + ledger::KeyOf(page); }
std::string RowKey(uint64_t row) { return "near/" + base::Big64(row); }

std::string EncodePages(const std::vector<PageId>& pages) {
  std::string row;
  for (const PageId page : pages) row += ledger::KeyOf(page);
  return row;
}

std::vector<PageId> DecodePages(std::string_view row) {
  std::vector<PageId> pages;
  for (; row.size() >= kPageKeyBytes && pages.size() < NearPages::kPagesOfRow;
       row.remove_prefix(kPageKeyBytes)) {
    const absl::StatusOr<PageId> page = ledger::PageOfKey(row.substr(0, kPageKeyBytes));
    if (page.ok()) pages.push_back(*page);
  }
  return pages;
}

constexpr std::string_view kNearDuplicate = "n";  // behind the page that it belongs to

std::string EncodeText(std::string_view text, const std::optional<AlikePage>& alike) {
  std::string row;
  base::AppendBytes(row, text);
  if (!alike) return row;
  row += ledger::KeyOf(alike->first);
  if (alike->near_duplicate) row += kNearDuplicate;
  return row;
}

// Nothing: no row, or one that says nothing.
std::optional<KeptText> DecodeText(std::string_view row) {
  base::Decoder decoder(row);
  const std::optional<desk::NearText> text = desk::DecodeNearText(decoder.Bytes());
  if (!text || !decoder.ok()) return std::nullopt;
  if (decoder.done()) return KeptText{*text, std::nullopt};
  const std::string_view rest = decoder.rest();
  const std::string_view mark = rest.substr(std::min(rest.size(), kPageKeyBytes));
  const absl::StatusOr<PageId> first = ledger::PageOfKey(rest.substr(0, kPageKeyBytes));
  if (!first.ok() || (!mark.empty() && mark != kNearDuplicate)) return std::nullopt;
  return KeptText{*text, AlikePage{*first, !mark.empty()}};
}

// Whether the page that this is kept of is found by its bands, and by what lasts.
bool HasBands(const KeptText& kept) { return !kept.alike; }
bool HasLasting(const KeptText& kept) {
  return kept.text.sketch.lasting != 0 && (!kept.alike || !kept.alike->near_duplicate);
}

// The rows that it is in, if they have room.
std::vector<uint64_t> RowsOf(const KeptText& kept) {
  std::vector<uint64_t> rows;
  if (HasLasting(kept)) rows.push_back(kept.text.sketch.lasting);
  const auto& bands = kept.text.sketch.bands;
  if (HasBands(kept)) rows.insert(rows.end(), bands.begin(), bands.end());
  return rows;
}

bool IsIn(const std::vector<uint64_t>& rows, uint64_t row) {
  return std::find(rows.begin(), rows.end(), row) != rows.end();
}

}  // namespace

absl::StatusOr<std::optional<AlikePage>> AlikeFirstPage(PageId page, uint64_t hash,
                                                        store::Store& store) {
  ASSIGN_OR_RETURN(const std::optional<std::string> row,
                   store.Get(store::Table::kMeta, TextKey(page)));
  const std::optional<KeptText> kept = DecodeText(row.value_or(""));
  if (!kept || kept->text.content_hash != hash) return std::nullopt;
  return kept->alike;
}

NearDuplicates::NearDuplicates(store::Store& store, std::optional<PageId> after)
    : store_(store),
      texts_(store.Scan(store::Table::kMeta,
                        std::string(kTexts) + (after ? base::Big64(after->word() + 1) : ""))) {}

absl::StatusOr<uint64_t> NearDuplicates::FirstHash(PageId page, uint64_t hash) {
  const std::string key = TextKey(page);
  while (texts_->Valid() && texts_->key() < key) texts_->Next();
  RETURN_IF_ERROR(texts_->status());
  if (!texts_->Valid() || texts_->key() != key) return 0;
  std::optional<KeptText> kept = DecodeText(texts_->value());
  if (!kept || !kept->alike || kept->text.content_hash != hash) return 0;
  // A near duplicate belongs to a page that may be similar to another one, and that one to none.
  for (int steps = 0; steps < 2 && kept->alike; ++steps) {
    ASSIGN_OR_RETURN(const std::optional<std::string> row,
                     store_.Get(store::Table::kMeta, TextKey(kept->alike->first)));
    const std::optional<KeptText> first = DecodeText(row.value_or(""));
    if (!first) return steps == 0 ? 0 : kept->text.content_hash;
    kept = first;
  }
  return kept->text.content_hash;
}

absl::Status NearPages::Prepare(absl::Span<const ledger::Visit> visits) {
  std::vector<std::string> keys;
  const auto want = [&](std::string key) {
    if (!rows_.contains(key)) keys.push_back(std::move(key));
  };
  for (const ledger::Visit& visit : visits) {
    if (visit.kind == ledger::VisitKind::kNotModified) continue;
    want(TextKey(visit.page));
    if (const auto text = desk::DecodeNearText(visit.near_text); text)
      for (const uint64_t row : RowsOf({*text, std::nullopt})) want(RowKey(row));
  }
  std::vector<std::optional<std::string>> rows;
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kMeta, keys, &rows));
  for (size_t i = 0; i < keys.size(); ++i) rows_.emplace(std::move(keys[i]), std::move(rows[i]));
  return absl::OkStatus();
}

absl::StatusOr<std::optional<PageId>> NearPages::Judge(const ledger::Visit& visit) {
  const std::optional<desk::NearText> text = desk::DecodeNearText(visit.near_text);
  if (!text) {
    RETURN_IF_ERROR(Forget(visit.page));
    return std::nullopt;
  }
  judged_.insert(visit.page);
  ASSIGN_OR_RETURN(const std::optional<KeptText> before, KeptOf(visit.page));
  if (before && !before->alike && before->text == *text) return std::nullopt;
  if (before) RETURN_IF_ERROR(Leave(visit.page, *before));
  ASSIGN_OR_RETURN(const std::optional<AlikePage> alike, AlikeOf(visit.page, *text));
  Write(TextKey(visit.page), EncodeText(visit.near_text, alike));
  RETURN_IF_ERROR(Enter(visit.page, {*text, alike}));
  if (!alike) return std::nullopt;
  ++(alike->near_duplicate ? near_duplicates_ : similar_);
  return alike->near_duplicate ? std::optional(alike->first) : std::nullopt;
}

absl::Status NearPages::Forget(PageId page) {
  judged_.insert(page);
  ASSIGN_OR_RETURN(const std::optional<KeptText> kept, KeptOf(page));
  if (!kept) return absl::OkStatus();
  RETURN_IF_ERROR(Leave(page, *kept));
  Write(TextKey(page), std::nullopt);
  return absl::OkStatus();
}

void NearPages::Committed() {
  rows_.clear();
  judged_.clear();
}

absl::StatusOr<std::optional<AlikePage>> NearPages::AlikeOf(PageId page,
                                                            const desk::NearText& text) {
  const KeptText own = {text, std::nullopt};
  if (HasLasting(own)) {
    ASSIGN_OR_RETURN(const std::optional<PageId> first,
                     Nearest(page, text, {&text.sketch.lasting, 1}, desk::AreNearDuplicates));
    if (first) return AlikePage{*first, true};
  }
  ASSIGN_OR_RETURN(const std::optional<PageId> first,
                   Nearest(page, text, text.sketch.bands, desk::AreSimilar));
  return first ? std::optional(AlikePage{*first, similar_too_}) : std::nullopt;
}

// Of the pages in these rows that are alike, the one that differs least; of several, the one that
// was found first.
absl::StatusOr<std::optional<PageId>> NearPages::Nearest(PageId page, const desk::NearText& text,
                                                         absl::Span<const uint64_t> rows,
                                                         bool (*alike)(const desk::NearText&,
                                                                       const desk::NearText&)) {
  std::vector<PageId> seen;
  std::optional<PageId> nearest;
  int least = desk::kNearDifferencesMax + 1;
  for (const uint64_t row : rows) {
    ASSIGN_OR_RETURN(const std::vector<PageId> pages, PagesOf(row));
    for (const PageId other : pages) {
      if (other == page || std::find(seen.begin(), seen.end(), other) != seen.end()) continue;
      seen.push_back(other);
      ASSIGN_OR_RETURN(const std::optional<KeptText> kept, KeptOf(other));
      if (!kept || !IsIn(RowsOf(*kept), row) || !alike(kept->text, text)) continue;
      const int differences = links::Differences(kept->text.sketch, text.sketch);
      if (differences >= least) continue;
      ASSIGN_OR_RETURN(const bool stands, Stands(other, *kept));
      if (stands) nearest = other, least = differences;
    }
  }
  return nearest;
}

absl::StatusOr<bool> NearPages::Stands(PageId page, const KeptText& kept) const {
  if (judged_.contains(page)) return true;  // its text is of this group
  return HasContent(page, kept.text.content_hash, ledger_, store_);
}

absl::Status NearPages::Enter(PageId page, const KeptText& kept) {
  for (const uint64_t row : RowsOf(kept)) {
    ASSIGN_OR_RETURN(std::vector<PageId> pages, PagesOf(row));
    if (pages.size() >= kPagesOfRow) RETURN_IF_ERROR(DropFormer(row, pages));
    if (pages.size() >= kPagesOfRow) continue;
    if (std::find(pages.begin(), pages.end(), page) != pages.end()) continue;
    pages.push_back(page);
    Write(RowKey(row), EncodePages(pages));
  }
  return absl::OkStatus();
}

// Those that are not in the row any more.
absl::Status NearPages::DropFormer(uint64_t row, std::vector<PageId>& pages) {
  std::vector<PageId> left;
  for (const PageId page : pages) {
    ASSIGN_OR_RETURN(const std::optional<KeptText> kept, KeptOf(page));
    if (kept && IsIn(RowsOf(*kept), row)) left.push_back(page);
  }
  pages = std::move(left);
  return absl::OkStatus();
}

absl::Status NearPages::Leave(PageId page, const KeptText& kept) {
  for (const uint64_t row : RowsOf(kept)) {
    ASSIGN_OR_RETURN(std::vector<PageId> pages, PagesOf(row));
    if (std::erase(pages, page) == 0) continue;
    Write(RowKey(row), pages.empty() ? std::nullopt : std::optional(EncodePages(pages)));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<KeptText>> NearPages::KeptOf(PageId page) {
  ASSIGN_OR_RETURN(const std::optional<std::string> row, Read(TextKey(page)));
  return DecodeText(row.value_or(""));
}

absl::StatusOr<std::vector<PageId>> NearPages::PagesOf(uint64_t row) {
  ASSIGN_OR_RETURN(const std::optional<std::string> pages, Read(RowKey(row)));
  return DecodePages(pages.value_or(""));
}

absl::StatusOr<std::optional<std::string>> NearPages::Read(const std::string& key) {
  const auto known = rows_.find(key);
  if (known != rows_.end()) return known->second;
  ASSIGN_OR_RETURN(std::optional<std::string> row, store_.Get(store::Table::kMeta, key));
  return rows_.emplace(key, std::move(row)).first->second;
}

void NearPages::Write(const std::string& key, std::optional<std::string> row) {
  rows_[key] = row;
  ledger_.Note(key, std::move(row));
}

}  // namespace opic::node
