// Which pages are exact duplicates: pages of one site with the same text and the same links
// (docs/decisions/2026-11-23-exact-duplicates.md).
//
// Thread safety: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "desk/left_out.h"
#include "ledger/rows.h"
#include "links/links.h"
#include "url/url.h"

namespace opic::desk {

// What becomes of them. In the order of the words on the command line.
enum class DuplicateUse : uint8_t {
  kMerge,  // a duplicate pays the first page of its content alone, is not ranked, and is read again
           // as late as any page
  kShow,   // they are counted, and `opic explain` names the first page
  kOff,    // nobody looks for them
};

// A page with less text is nobody's duplicate: errors, frames, galleries and shells that scripts
// fill all look alike.
inline constexpr size_t kDuplicateTextMin = 256;

// What counts as the content of the HTML page at `page`: its text and its links in their order.
// Links on its own origin count by path and query, and all without session and campaign parameters
// (url::StripTracking), so that it is the same under another name of the site and in another
// session. 0 without a text digest; of the kind refresh::HashOfText otherwise.
uint64_t ContentHashOf(const url::Url& page, const links::Result& found);

// The same for all pages of the site (AreOfOneSite) with this content. Never 0.
uint64_t ContentKeyOf(const url::Url& page, uint64_t content_hash);

// Whether it may be anybody's duplicate: it was read whole, is HTML, names no other page as its
// canonical, and has links and text enough.
bool MayBeDuplicate(const links::Result& found, uint64_t content_hash, LeftOut left_out);

// Of a link as it counts in the content of a page at `origin`.
uint64_t HashOfLink(const url::Url& link, std::string_view origin, uint64_t seed);

// Of a page that was read: 0 when it cannot be a duplicate, because it was not read whole, names
// another page as its canonical, has no links or too little text, or is no HTML.
uint64_t ContentKeyOf(const url::Url& page, const links::Result& found, uint64_t content_hash,
                      LeftOut left_out);

// Of a page as its row keeps it: 0 when it is not the first one of a content. Links and the length
// of the text are not looked at: a row does not tell.
uint64_t ContentKeyOf(const url::Url& page, const ledger::HistoryRow& row);
bool MayBeFirst(const ledger::HistoryRow& row);

}  // namespace opic::desk
