// How a link from one page of the sample web to another is written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/rng.h"
#include "sample/web.h"

namespace opic::sample {

// A reference that resolves to `to` on page `from`: relative ("../docs/003.html"), an absolute
// path, an absolute URL or one without scheme, now and then with a fragment. Not escaped.
std::string Href(const Web& web, uint32_t from, uint32_t to, base::Rng& rng);

// `target` as seen from `base` on the same host (RFC 3986 section 5.2 backwards): never empty.
std::string RelativeReference(std::string_view base, std::string_view target);

// "&", "<", ">" and quotes as character references, for HTML and XML alike.
std::string Escaped(std::string_view text);

}  // namespace opic::sample
