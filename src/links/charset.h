// Which encoding a document is in.
//
// The order is that of the HTML Standard, section 13.2.3.2: byte order mark, Content-Type, <meta>
// in the first 1,024 bytes or before the body, however long that is (where browsers begin anew when
// they come to it), XML declaration; then UTF-8 where the bytes are valid UTF-8, else windows-1252.
// Labels and encodings are those of the WHATWG Encoding Standard.
#pragma once

#include <string_view>

namespace opic::links {

// The WHATWG encoding with this label ("latin1" -> "windows-1252"), in lower case; empty for an
// unknown label. The view lives for ever.
std::string_view EncodingOfLabel(std::string_view label);

// What <meta charset> or <meta http-equiv=content-type> declares in the first 1,024 bytes of
// `body`, or before the first tag that cannot stand in <head>, as EncodingOfLabel gives it; empty
// when there is none.
std::string_view MetaEncoding(std::string_view body);

// The same for the XML declaration that `body` begins with.
std::string_view XmlDeclarationEncoding(std::string_view body);

// Never empty. `header_label` is the charset parameter of Content-Type: may be empty or nonsense.
std::string_view DetectEncoding(std::string_view body, std::string_view header_label);

// The same for XML, which knows no <meta> and is UTF-8 unless it says otherwise (RFC 7303, section
// 3).
std::string_view DetectXmlEncoding(std::string_view body, std::string_view header_label);

}  // namespace opic::links
