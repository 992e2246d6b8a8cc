// ISO-8859-16 (South-Eastern European), for which ICU as it is packaged has no table.
//
// Thread safety: pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace opic::links {

inline constexpr std::string_view kIso885916 = "iso-8859-16";

// The code point of a byte, by the Encoding Standard's index.
uint32_t PointOfIso885916(uint8_t byte);

}  // namespace opic::links
