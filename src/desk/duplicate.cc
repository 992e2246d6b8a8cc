#include "desk/duplicate.h"

#include <algorithm>
#include <string_view>

#include "base/encoding.h"
#include "refresh/content_hash.h"
#include "url/scope.h"

namespace opic::desk {
namespace {

// Parameters of sessions are in a query or behind a ';': most links have neither.
bool MayTrack(const url::Url& link) {
  return link.path().size() < link.path_and_query().size() ||
         link.path().find(';') != std::string_view::npos;
}

bool WasReadWhole(LeftOut left_out) {
  return !left_out.type && !left_out.body && !left_out.links && !left_out.canonical;
}

}  // namespace

ContentLinks::ContentLinks(const url::Url& page, const links::Result& found) {
  if (found.text_digest == 0) return;
  texts_.reserve(found.links.size() + 1);
  for (size_t i = 0; i < found.links.size(); ++i) {
    if (found.own_link == i) Add(page, page.origin());
    Add(found.links[i], page.origin());
  }
  if (found.own_link == found.links.size()) Add(page, page.origin());
}

void ContentLinks::Add(const url::Url& link, std::string_view origin) {
  const url::Url& kept = MayTrack(link) ? stripped_.emplace_back(url::StripTracking(link)) : link;
  texts_.push_back(kept.origin() == origin ? kept.path_and_query() : kept.text());
}

uint64_t ContentHashOf(const links::Result& found, const ContentLinks& content_links) {
  if (found.text_digest == 0) return 0;
  uint64_t digest = found.text_digest;
  for (const std::string_view link : content_links.texts()) digest = base::Hash64(link, digest);
  return refresh::HashOfText(digest);
}

bool MayBeDuplicate(const links::Result& found, uint64_t content_hash, LeftOut left_out) {
  return WasReadWhole(left_out) && !found.links.empty() && found.text_bytes >= kDuplicateTextMin &&
         refresh::IsOfText(content_hash);
}

uint64_t ContentKeyOf(const url::Url& page, uint64_t content_hash) {
  const uint64_t site = base::Hash64(url::RegistrableDomain(page.host()));
  return std::max<uint64_t>(1, base::Hash64(base::Big64(content_hash), site));
}

uint64_t ContentKeyOf(const url::Url& page, const links::Result& found, uint64_t content_hash,
                      LeftOut left_out) {
  return MayBeDuplicate(found, content_hash, left_out) ? ContentKeyOf(page, content_hash) : 0;
}

uint64_t ContentKeyOf(const url::Url& page, const ledger::HistoryRow& row) {
  return MayBeFirst(row) ? ContentKeyOf(page, row.content_hash) : 0;
}

bool MayBeFirst(const ledger::HistoryRow& row) {
  const LeftOut left_out = LeftOutInRow(row.http_status);
  return row.kind == ledger::VisitKind::kFetched && !row.doubted &&
         refresh::IsOfText(row.content_hash) && WasReadWhole(left_out) && !left_out.duplicate;
}

}  // namespace opic::desk
