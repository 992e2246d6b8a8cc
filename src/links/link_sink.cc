#include "links/link_sink.h"

#include <optional>
#include <utility>

#include "base/encoding.h"

namespace opic::links {

LinkSink::LinkSink(const url::Url& document, const Limits& limits, Result& result)
    : document_(document), limits_(limits), result_(result), base_(document) {
  seen_.insert(base::Hash64(document.text()));
}

void LinkSink::SetBase(std::string_view href) {
  if (std::optional<url::Url> base = url::Parse(href, &document_)) base_ = *std::move(base);
}

void LinkSink::Add(std::string_view href) {
  if (full()) return;
  if (++hrefs_ > limits_.links_max * kHrefsPerLink) {
    result_.truncated = true;
    return;
  }
  if (encoding_) href = encoding_->Encoded(href, encoded_);
  url::Rejected why = url::Rejected::kNone;
  std::optional<url::Url> link = url::Parse(href, &base_, &why);
  if (!link) return Reject(why);
  const uint64_t hash = base::Hash64(link->text());
  if (seen_.contains(hash)) return;
  link_bytes_ += link->text().size();
  if (result_.links.size() >= limits_.links_max || link_bytes_ > link_bytes_max_) {
    result_.truncated = true;
    return;
  }
  seen_.insert(hash);
  result_.links.push_back(*std::move(link));
}

void LinkSink::AddNofollow(std::string_view) { ++result_.nofollowed; }

void LinkSink::Reject(url::Rejected why) {
  ++result_.rejected;
  if (why == url::Rejected::kNotHttp) ++result_.other_scheme;
  if (why == url::Rejected::kTooLong) ++result_.too_long;
}

}  // namespace opic::links
