#include "links/query_encoding.h"

#include <unicode/ucnv_err.h>
#include <unicode/utf8.h>

#include <algorithm>

namespace opic::links {
namespace {

// The standard's "get an output encoding" (Encoding Standard, section 4.3).
bool IsUtf8Output(std::string_view encoding) {
  return encoding == "utf-8" || encoding == "replacement" || encoding.substr(0, 6) == "utf-16";
}

// Of a query in http and https (URL Standard, section 1.3).
bool IsEscaped(unsigned char byte) {
  return byte <= 0x20 || byte > 0x7e || byte == '"' || byte == '#' || byte == '<' || byte == '>' ||
         byte == '\'';
}

void AppendBytes(std::string_view bytes, std::string& out) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (IsEscaped(byte)) {
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      out += c;
    }
  }
}

// One code point, or with `flush` the end. False: as of AppendPoint.
bool AppendEncoded(UConverter* converter, const UChar* begin, const UChar* end, bool flush,
                   std::string& out) {
  char bytes[32];
  char* target = bytes;
  UErrorCode error = U_ZERO_ERROR;
  ucnv_fromUnicode(converter, &target, bytes + sizeof bytes, &begin, end, nullptr, flush, &error);
  AppendBytes({bytes, static_cast<size_t>(target - bytes)}, out);
  return U_SUCCESS(error);
}

}  // namespace

QueryEncoding::QueryEncoding(std::string_view encoding)
    : table_(CodeTable::Of(encoding)),
      converter_((table_ != nullptr && encoding != "gb18030") || IsUtf8Output(encoding)
                     ? Converter(nullptr, &ucnv_close)
                     : OpenConverter(encoding)) {
  if (!converter_) return;
  UErrorCode error = U_ZERO_ERROR;
  ucnv_setFromUCallBack(converter_.get(), UCNV_FROM_U_CALLBACK_STOP, nullptr, nullptr, nullptr,
                        &error);
}

bool QueryEncoding::AppendPoint(int32_t point, std::string& out) const {
  if (table_ != nullptr) {
    const std::string bytes = table_->BytesOf(static_cast<uint32_t>(point));
    AppendBytes(bytes, out);
    if (!bytes.empty()) return true;
    // Of what gb18030 has four bytes for, the standard leaves out one (section 10.2.2).
    if (!converter_ || point == 0xE5E5) return false;
  }
  UChar units[2];
  size_t size = 0;
  U16_APPEND_UNSAFE(units, size, point);
  if (AppendEncoded(converter_.get(), units, units + size, /*flush=*/false, out)) return true;
  ucnv_resetFromUnicode(converter_.get());
  return false;
}

std::string_view QueryEncoding::Encoded(std::string_view href, std::string& buffer) const {
  if (!converter_ && table_ == nullptr) return href;
  const size_t query = href.find_first_of("?#");
  if (query == std::string_view::npos || href[query] == '#') return href;
  const size_t end = std::min(href.find('#', query), href.size());
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(href.begin() + query, href.begin() + end, is_ascii)) return href;

  buffer.assign(href.substr(0, query));
  if (converter_) ucnv_resetFromUnicode(converter_.get());
  for (size_t at = query; at < end;) {
    UChar32 point = 0;
    U8_NEXT_OR_FFFD(href.data(), at, end, point);
    if (AppendPoint(point, buffer)) continue;
    buffer += "%26%23" + std::to_string(point) + "%3B";
  }
  if (converter_) AppendEncoded(converter_.get(), nullptr, nullptr, /*flush=*/true, buffer);
  buffer.append(href.substr(end));
  return buffer;
}

}  // namespace opic::links
