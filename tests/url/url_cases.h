// One-line expectations for tables of URLs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "url/url.h"

namespace opic::url {

// The serialisation of `input`, or "<reason>" when it is rejected.
inline std::string Parsed(std::string_view input, const Url* base = nullptr) {
  Rejected why;
  const std::optional<Url> url = Parse(input, base, &why);
  return url ? url->text() : "<" + std::string(Name(why)) + ">";
}

inline std::string Resolved(std::string_view base, std::string_view input) {
  const std::optional<Url> parsed = Parse(base);
  return parsed ? Parsed(input, &*parsed) : "<bad base>";
}

}  // namespace opic::url
