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
std::string BandKey(uint64_t band) { return "near/" + base::Big64(band); }

std::string EncodePages(const std::vector<PageId>& pages) {
  std::string row;
  for (const PageId page : pages) row += ledger::KeyOf(page);
  return row;
}

std::vector<PageId> DecodePages(std::string_view row) {
  std::vector<PageId> pages;
  for (; row.size() >= kPageKeyBytes && pages.size() < NearPages::kPagesOfBand;
       row.remove_prefix(kPageKeyBytes)) {
    const absl::StatusOr<PageId> page = ledger::PageOfKey(row.substr(0, kPageKeyBytes));
    if (page.ok()) pages.push_back(*page);
  }
  return pages;
}

// The text, with its length before it, and the key of the first page, if there is one.
std::optional<std::pair<desk::NearText, std::string>> TextAndFirst(std::string_view row) {
  base::Decoder decoder(row);
  const std::optional<desk::NearText> text = desk::DecodeNearText(decoder.Bytes());
  if (!text || !decoder.ok()) return std::nullopt;
  return std::pair(*text, decoder.done() ? std::string() : std::string(decoder.rest()));
}

}  // namespace

absl::StatusOr<std::optional<PageId>> NearFirstPage(PageId page, uint64_t hash,
                                                    store::Store& store) {
  ASSIGN_OR_RETURN(const std::optional<std::string> row,
                   store.Get(store::Table::kMeta, TextKey(page)));
  const std::optional<NearPages::Kept> kept = NearPages::Decode(row.value_or(""));
  if (!kept || kept->text.content_hash != hash) return std::nullopt;
  return kept->first;
}

std::optional<NearPages::Kept> NearPages::Decode(std::string_view row) {
  const std::optional<std::pair<desk::NearText, std::string>> parts = TextAndFirst(row);
  if (!parts) return std::nullopt;
  Kept kept{parts->first, std::nullopt};
  if (parts->second.empty()) return kept;
  const absl::StatusOr<PageId> first = ledger::PageOfKey(parts->second);
  if (!first.ok()) return std::nullopt;
  kept.first = *first;
  return kept;
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
  const std::optional<std::pair<desk::NearText, std::string>> near = TextAndFirst(texts_->value());
  if (!near || near->second.empty() || near->first.content_hash != hash) return 0;
  ASSIGN_OR_RETURN(const std::optional<std::string> row,
                   store_.Get(store::Table::kMeta, std::string(kTexts) + near->second));
  const auto first = TextAndFirst(row.value_or(""));
  return first ? first->first.content_hash : 0;
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
      for (const uint64_t band : text->sketch.bands) want(BandKey(band));
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
  ASSIGN_OR_RETURN(const std::optional<Kept> before, KeptOf(visit.page));
  const bool was_first = before && !before->first;
  if (was_first && before->text == *text) return std::nullopt;
  if (was_first) RETURN_IF_ERROR(Leave(visit.page, before->text));
  ASSIGN_OR_RETURN(const std::optional<PageId> first, NearestTo(visit.page, *text));
  std::string row;
  base::AppendBytes(row, visit.near_text);
  if (first) row += ledger::KeyOf(*first);
  Write(TextKey(visit.page), std::move(row));
  if (first) {
    ++found_;
  } else {
    RETURN_IF_ERROR(Enter(visit.page, *text));
  }
  return first;
}

absl::Status NearPages::Forget(PageId page) {
  judged_.insert(page);
  ASSIGN_OR_RETURN(const std::optional<Kept> kept, KeptOf(page));
  if (!kept) return absl::OkStatus();
  if (!kept->first) RETURN_IF_ERROR(Leave(page, kept->text));
  Write(TextKey(page), std::nullopt);
  return absl::OkStatus();
}

void NearPages::Committed() {
  rows_.clear();
  judged_.clear();
}

// Of the first pages that share a band with it: the one that differs least; of several, the one
// that was found first.
absl::StatusOr<std::optional<PageId>> NearPages::NearestTo(PageId page,
                                                           const desk::NearText& text) {
  std::vector<PageId> seen;
  std::optional<PageId> nearest;
  int least = desk::kNearDifferencesMax + 1;
  for (const uint64_t band : text.sketch.bands) {
    ASSIGN_OR_RETURN(const std::vector<PageId> pages, PagesOf(band));
    for (const PageId other : pages) {
      if (other == page || std::find(seen.begin(), seen.end(), other) != seen.end()) continue;
      seen.push_back(other);
      ASSIGN_OR_RETURN(const std::optional<Kept> kept, KeptOf(other));
      if (!kept || kept->first || !desk::AreNear(kept->text, text)) continue;
      const int differences = links::Differences(kept->text.sketch, text.sketch);
      if (differences >= least) continue;
      ASSIGN_OR_RETURN(const bool stands, Stands(other, *kept));
      if (stands) nearest = other, least = differences;
    }
  }
  return nearest;
}

absl::StatusOr<bool> NearPages::Stands(PageId page, const Kept& kept) const {
  if (judged_.contains(page)) return true;  // its text is of this group
  return HasContent(page, kept.text.content_hash, ledger_, store_);
}

absl::Status NearPages::Enter(PageId page, const desk::NearText& text) {
  for (const uint64_t band : text.sketch.bands) {
    ASSIGN_OR_RETURN(std::vector<PageId> pages, PagesOf(band));
    if (pages.size() >= kPagesOfBand) RETURN_IF_ERROR(DropFormer(band, pages));
    if (pages.size() >= kPagesOfBand) continue;
    if (std::find(pages.begin(), pages.end(), page) != pages.end()) continue;
    pages.push_back(page);
    Write(BandKey(band), EncodePages(pages));
  }
  return absl::OkStatus();
}

// Those that are no first pages of the band any more.
absl::Status NearPages::DropFormer(uint64_t band, std::vector<PageId>& pages) {
  std::vector<PageId> kept;
  for (const PageId page : pages) {
    ASSIGN_OR_RETURN(const std::optional<Kept> own, KeptOf(page));
    if (!own || own->first) continue;
    const auto& bands = own->text.sketch.bands;
    if (std::find(bands.begin(), bands.end(), band) != bands.end()) kept.push_back(page);
  }
  pages = std::move(kept);
  return absl::OkStatus();
}

absl::Status NearPages::Leave(PageId page, const desk::NearText& text) {
  for (const uint64_t band : text.sketch.bands) {
    ASSIGN_OR_RETURN(std::vector<PageId> pages, PagesOf(band));
    if (std::erase(pages, page) == 0) continue;
    Write(BandKey(band), pages.empty() ? std::nullopt : std::optional(EncodePages(pages)));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<NearPages::Kept>> NearPages::KeptOf(PageId page) {
  ASSIGN_OR_RETURN(const std::optional<std::string> row, Read(TextKey(page)));
  return Decode(row.value_or(""));
}

absl::StatusOr<std::vector<PageId>> NearPages::PagesOf(uint64_t band) {
  ASSIGN_OR_RETURN(const std::optional<std::string> row, Read(BandKey(band)));
  return DecodePages(row.value_or(""));
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
