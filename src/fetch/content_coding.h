// The codings of bodies that are read, by their names in HTTP.
//
// Thread safety: pure.
#pragma once

#include <memory>
#include <string_view>

#include "fetch/body_decoder.h"

namespace opic::fetch {

// As Accept-Encoding has them.
inline constexpr char kAcceptedCodings[] = "gzip, deflate, br, zstd";

// `coding`: in lower case, as Content-Encoding has it. Null: it is none of these.
std::unique_ptr<BodyDecoder> MakeBodyDecoder(std::string_view coding);

}  // namespace opic::fetch
