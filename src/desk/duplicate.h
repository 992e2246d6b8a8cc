// Which pages are exact duplicates: pages of one site with the same text and the same links
// (docs/decisions/2026-11-23-exact-duplicates.md).
//
// Thread safety: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string_view>
#include <vector>

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
  kMergeSimilar,  // of near duplicates: kMerge, and pages that are similar (near_text.h) are some
};
inline bool Merges(DuplicateUse use) {
  return use == DuplicateUse::kMerge || use == DuplicateUse::kMergeSimilar;
}

// A page with less text is nobody's duplicate: errors, frames, galleries and shells that scripts
// fill all look alike.
inline constexpr size_t kDuplicateTextMin = 256;

// The links of the HTML page at `page` as they count in its content, in their order, its link to
// itself included. Those on its own origin count by path and query, and all without session and
// campaign parameters (url::StripTracking), so that the content is the same under another name of
// the site and in another session. None without a text digest.
class ContentLinks {
 public:
  // Both must outlive it unchanged.
  ContentLinks(const url::Url& page, const links::Result& found);
  ContentLinks(const ContentLinks&) = delete;
  ContentLinks& operator=(const ContentLinks&) = delete;
  const std::vector<std::string_view>& texts() const { return texts_; }

 private:
  void Add(const url::Url& link, std::string_view origin);

  std::list<url::Url> stripped_;  // those of which something may have been dropped
  std::vector<std::string_view> texts_;
};

// What counts as the content of an HTML page: its text and its links. 0 without a text digest;
// otherwise as refresh::HashOfText makes it.
uint64_t ContentHashOf(const links::Result& found, const ContentLinks& content_links);

// The same for all pages of the site (AreOfOneSite) with this content. Never 0.
uint64_t ContentKeyOf(const url::Url& page, uint64_t content_hash);

// Whether it may be anybody's duplicate: it was read whole, is HTML, names no other page as its
// canonical, and has links and text enough.
bool MayBeDuplicate(const links::Result& found, uint64_t content_hash, LeftOut left_out);

// Of a page that was read: 0 if it cannot be a duplicate, because it was not read whole, names
// another page as its canonical, has no links or too little text, or is not HTML.
uint64_t ContentKeyOf(const url::Url& page, const links::Result& found, uint64_t content_hash,
                      LeftOut left_out);

// Of a page, by its row: 0 if it cannot be the first page of a content. The number of links and the
// length of the text are not checked: a row does not have them.
uint64_t ContentKeyOf(const url::Url& page, const ledger::HistoryRow& row);
bool MayBeFirst(const ledger::HistoryRow& row);

}  // namespace opic::desk
