// The Content-Type header, and what kind of document a body is.
//
// RFC 9110 section 8.3.1 for the header's form, read leniently; the WHATWG MIME Sniffing Standard,
// section 7.1, for the shape of an HTML or XML body that came without a type.
#pragma once

#include <string>
#include <string_view>

#include "links/links.h"

namespace opic::links {

struct ContentType {
  std::string essence;  // "text/html": lower case, without parameters; empty when there is none
  std::string charset;  // the parameter, unquoted, as written; may be empty
};

ContentType ParseContentType(std::string_view header);

// It says nothing: "", what is no media type ("html"), "unknown/unknown", "application/unknown",
// "*/*".
bool IsUnknown(const ContentType& type);

// What `body` is to be parsed as, by its type, or by its first bytes where that is unknown. kXml
// stands for all of XML here: feeds and sitemaps are told apart by the XML parser. `body` may be in
// any encoding that begins as ASCII does, after a byte order mark.
Kind DocumentKind(const ContentType& type, std::string_view body);

}  // namespace opic::links
