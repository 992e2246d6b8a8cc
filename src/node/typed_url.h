// URLs in questions, as people type them.
//
// Thread safety: pure.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/quoted.h"
#include "base/reason.h"
#include "base/utf8.h"
#include "url/url.h"

namespace opic::node {

// InvalidArgument, with its reason: it is not an http(s) URL; says why.
inline absl::StatusOr<url::Url> TypedUrl(const std::string& typed) {
  url::Rejected why = url::Rejected::kNone;
  std::optional<url::Url> url = url::Parse(typed, nullptr, &why);
  if (url) return *std::move(url);
  return base::WithReason(absl::InvalidArgumentError(absl::StrCat(
                              base::Quoted(typed), " is not a URL: ", std::string(url::Name(why)))),
                          "NO_URL", {{"url", base::PlainText(typed, base::kQuotedBytesMax)}});
}

}  // namespace opic::node
