// Secrets that are shared: who knows one proves it without showing it (HMAC-SHA-256, RFC 2104).
#pragma once

#include <string>
#include <string_view>

namespace opic::certs {

// 32 bytes.
std::string Mac(std::string_view secret, std::string_view message);
// Takes as long whatever differs.
bool Same(std::string_view a, std::string_view b);
// Unpredictable, in hexadecimal: 2 * `bytes` characters.
std::string RandomHex(size_t bytes);

}  // namespace opic::certs
