#include "links/link_sink.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/encoding.h"
#include "links/ascii.h"
#include "links/near_search.h"

namespace opic::links {

LinkSink::LinkSink(const url::Url& document, const Limits& limits, Result& result)
    : document_(document),
      limits_(limits),
      result_(result),
      base_(document),
      document_hash_(base::Hash64(document.text())) {}

void LinkSink::BoundBytes(size_t body_bytes) {
  link_bytes_max_ = kLinkBytesFree + kLinkBytesPerByte * body_bytes;
  likely_links_ = std::clamp(body_bytes / kBytesPerLink, kUsualLinks, kLikelyLinksMax);
}

void LinkSink::SetBase(std::string_view href) {
  if (std::optional<url::Url> base = url::Parse(href, &document_)) SetBase(*base);
}

void LinkSink::SetBase(const url::Url& base) {
  base_ = base;
  base_is_document_ = base_ == document_;
  lately_.fill(0);
}

void LinkSink::Add(std::string_view href) {
  const uint64_t key = KeyOf(href);
  if (key != kNoKey && (key == kPlaceInDocument || lately_[key % lately_.size()] == key)) {
    CountHref();
    return;
  }
  std::optional<url::Url> link = Resolve(href);
  if (!link) return;
  NoteOwn(href, *link);
  if (Keep(*std::move(link)) && key != kNoKey) lately_[key % lately_.size()] = key;
}

// The last byte before the "#" must be one that is kept there as at the end of an href.
uint64_t LinkSink::KeyOf(std::string_view href) const {
  if (href.size() > url::kUrlBytesMax) return kNoKey;
  const std::string_view named = href.substr(0, FindAny<'#'>(href, 0));
  if (named.empty()) return !href.empty() && base_is_document_ ? kPlaceInDocument : kNoKey;
  if (static_cast<uint8_t>(named.back()) <= 0x20 || static_cast<uint8_t>(named.back()) >= 0x7f)
    return kNoKey;
  return std::max(base::Hash64(named), kPlaceInDocument + 1);
}

bool LinkSink::CountHref() {
  if (!full() && ++hrefs_ > limits_.links_max * kHrefsPerLink) result_.truncated = true;
  return !full();
}

void LinkSink::AddCanonical(std::string_view href) {
  std::optional<url::Url> link = Resolve(href);
  if (link) NoteOwn(href, *link);
  if (!link || !Keep(*link) || result_.canonicals_differ) return;
  result_.canonicals_differ = result_.canonical && result_.canonical->text() != link->text();
  if (result_.canonicals_differ) link.reset();
  result_.canonical = std::move(link);
}

std::optional<url::Url> LinkSink::Resolve(std::string_view href) {
  if (!CountHref()) return std::nullopt;
  if (encoding_) href = encoding_->Encoded(href, encoded_);
  url::Rejected why = url::Rejected::kNone;
  std::optional<url::Url> link = url::Parse(href, &base_, &why);
  if (!link) Reject(why);
  return link;
}

bool LinkSink::Keep(url::Url link) {
  const uint64_t hash = base::Hash64(link.text());
  if (hash == document_hash_) return true;
  if (seen_.empty()) seen_.reserve(likely_links_);
  if (!seen_.insert(hash).second) return true;
  link_bytes_ += link.text().size();
  if (result_.links.size() >= limits_.links_max || link_bytes_ > link_bytes_max_) {
    result_.truncated = true;
    return false;
  }
  if (result_.links.empty()) result_.links.reserve(kUsualLinks);
  result_.links.push_back(std::move(link));
  return true;
}

// Pages with one content at several URLs have the same links but one: each lacks the link to
// itself. The position of that link makes the lists the same again. A place in the document is
// another URL on each page.
void LinkSink::NoteOwn(std::string_view href, const url::Url& link) {
  if (result_.own_link || link.text() != document_.text()) return;
  size_t at = 0;
  while (at < href.size() && IsSpace(href[at])) ++at;
  if (at < href.size() && href[at] != '#') result_.own_link = result_.links.size();
}

void LinkSink::AddNofollow(std::string_view) { ++result_.nofollowed; }

void LinkSink::Reject(url::Rejected why) {
  ++result_.rejected;
  if (why == url::Rejected::kNotHttp) ++result_.other_scheme;
  if (why == url::Rejected::kTooLong) ++result_.too_long;
}

}  // namespace opic::links
