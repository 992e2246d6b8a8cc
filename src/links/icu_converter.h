// ICU's converters for the encodings of the WHATWG Encoding Standard.
//
// Thread safety: a converter is confined to one thread.
#pragma once

#include <unicode/ucnv.h>

#include <memory>
#include <string_view>

namespace opic::links {

using Converter = std::unique_ptr<UConverter, decltype(&ucnv_close)>;

// `encoding` as EncodingOfLabel (charset.h) names it. Null: out of memory.
Converter OpenConverter(std::string_view encoding);

}  // namespace opic::links
