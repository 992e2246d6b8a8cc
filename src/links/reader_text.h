// The text of an HTML page that a reader sees, as a digest: whether the page has changed, and not
// only a token, a script or a comment in it.
#pragma once

#include <cstdint>
#include <string_view>

namespace opic::links {

// A digest of the title and the text between tags, words separated by single spaces: no comments,
// attributes, scripts, style sheets and other raw text. Character references count as written.
// `html` in any encoding that extends ASCII. Never 0. Total; linear in time and memory.
//
// Thread safety: pure.
uint64_t ReaderTextDigest(std::string_view html);

}  // namespace opic::links
