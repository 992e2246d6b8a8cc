#include "desk/duplicate.h"

#include <algorithm>
#include <string>

#include "base/encoding.h"
#include "refresh/content_hash.h"
#include "url/scope.h"

namespace opic::desk {
namespace {

uint64_t FoldStripped(const url::Url& link, std::string_view origin, uint64_t digest) {
  return link.origin() == origin ? base::Hash64(link.path_and_query(), digest)
                                 : base::Hash64(link.text(), digest);
}

bool WasReadWhole(LeftOut left_out) {
  return !left_out.type && !left_out.body && !left_out.links && !left_out.canonical;
}

}  // namespace

uint64_t HashOfLink(const url::Url& link, std::string_view origin, uint64_t seed) {
  // Parameters of sessions are in a query or behind a ';': most links have neither.
  const std::string& text = link.text();
  const bool plain = text.find('?') == text.npos && text.find(';') == text.npos;
  return plain ? FoldStripped(link, origin, seed)
               : FoldStripped(url::StripTracking(link), origin, seed);
}

void ForEachLink(const url::Url& page, const links::Result& found,
                 absl::FunctionRef<void(const url::Url&)> use) {
  for (size_t i = 0; i < found.links.size(); ++i) {
    if (found.own_link == i) use(page);
    use(found.links[i]);
  }
  if (found.own_link == found.links.size()) use(page);
}

uint64_t ContentHashOf(const url::Url& page, const links::Result& found) {
  if (found.text_digest == 0) return 0;
  uint64_t digest = found.text_digest;
  ForEachLink(page, found,
              [&](const url::Url& link) { digest = HashOfLink(link, page.origin(), digest); });
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
