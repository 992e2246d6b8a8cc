// Where all parsers put what they find: hrefs in, distinct absolute URLs in document order out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "links/links.h"
#include "links/query_encoding.h"
#include "url/url.h"

namespace opic::links {

// Resolves hrefs, drops the document itself and repeats, counts what is rejected or nofollow, and
// stops at Limits::links_max: the first distinct link beyond it sets Result::truncated, and nothing
// is added after. The same holds after kHrefsPerLink times as many hrefs, since resolving costs the
// length of the base each time, however short and alike they are; and when the texts of the links
// come to more bytes than BoundBytes allows.
//
// Two links whose 64-bit hashes are equal count as one (about 3 in 10^12 for a page of 10,000
// links), and so do two hrefs. Memory: the result's links, and up to 21 bytes for each, or for each
// that is likely (BoundBytes).
//
// Thread safety: confined to the owner thread.
class LinkSink {
 public:
  static constexpr size_t kHrefsPerLink = 16;
  static constexpr size_t kLinkBytesFree = 1 << 20, kLinkBytesPerByte = 2;

  // `document`, `limits` and `result` must outlive the sink.
  LinkSink(const url::Url& document, const Limits& limits, Result& result);

  // Queries of later hrefs are in this encoding of the document (query_encoding.h); UTF-8 until
  // told.
  void SetEncoding(std::string_view encoding) { encoding_.emplace(encoding); }
  // What later hrefs are resolved against: `href` resolved against the document. An href that is no
  // http(s) URL leaves the base as it is. That only the first <base> counts is the caller's
  // business.
  void SetBase(std::string_view href);
  void SetBase(const url::Url& base);
  const url::Url& base() const { return base_; }
  // Bounds the links' texts together, for a document of `body_bytes`: a long base must not make
  // much of little. No bound until told. Tells also how many links are likely.
  void BoundBytes(size_t body_bytes);

  void Add(std::string_view href);  // as in the document, character references decoded
  // The same of a link to the document's canonical page. Several that differ make it have none.
  void AddCanonical(std::string_view href);
  void AddNofollow(std::string_view href);  // only counted
  // Counts a link that could not even be read.
  void Reject(url::Rejected why = url::Rejected::kMalformed);

  // More links would be dropped: a parser may stop here.
  bool full() const { return result_.truncated; }

 private:
  static constexpr uint64_t kNoKey = 0, kPlaceInDocument = 1;
  static constexpr size_t kUsualLinks = 27;  // there is room for at once
  // Of pages with more, three in four have no more than one for so many bytes.
  static constexpr size_t kBytesPerLink = 256, kLikelyLinksMax = 448;

  // Of what is before "#". Two hrefs of one key resolve to the same URL, or to none, while the base
  // is the same. kPlaceInDocument: "#..." where that is the document.
  uint64_t KeyOf(std::string_view href) const;
  bool CountHref();  // false: it is one too many
  std::optional<url::Url> Resolve(std::string_view href);
  bool Keep(url::Url link);  // false: it was dropped, at a limit
  void NoteOwn(std::string_view href, const url::Url& link);

  const url::Url& document_;
  const Limits& limits_;
  Result& result_;
  url::Url base_;
  bool base_is_document_ = true;
  std::optional<QueryEncoding> encoding_;
  std::string encoded_;  // room for an href
  size_t hrefs_ = 0;
  size_t link_bytes_ = 0, link_bytes_max_ = std::numeric_limits<size_t>::max();
  // Keys of some hrefs that are among the links, or the document: most pages say most twice.
  std::array<uint64_t, 64> lately_{};
  const uint64_t document_hash_;  // of its text
  size_t likely_links_ = kUsualLinks;
  // Hashes of the texts of result_.links, and of the one at which it became full.
  absl::flat_hash_set<uint64_t> seen_;
};

}  // namespace opic::links
