#include "links/query_encoding.h"

#include <unicode/ucnv_err.h>
#include <unicode/utf8.h>

#include <algorithm>

#include "links/iso_2022_jp.h"

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

// Of one code point. Empty: the encoding has no such character. (ICU calls it no error then if it
// is mostly invisible, as the zero width space.)
std::string IcuBytesOf(UConverter* converter, uint32_t point) {
  UChar units[U16_MAX_LENGTH];
  size_t size = 0;
  U16_APPEND_UNSAFE(units, size, point);
  char bytes[32];
  char* target = bytes;
  const UChar* begin = units;
  UErrorCode error = U_ZERO_ERROR;
  ucnv_resetFromUnicode(converter);
  ucnv_fromUnicode(converter, &target, bytes + sizeof bytes, &begin, units + size, nullptr,
                   /*flush=*/true, &error);
  return U_SUCCESS(error) ? std::string(bytes, target) : std::string();
}

}  // namespace

QueryEncoding::Family QueryEncoding::FamilyOf(std::string_view encoding) {
  if (encoding == "euc-kr") return Family::kEucKr;
  if (encoding == "euc-jp") return Family::kEucJp;
  return encoding == "iso-2022-jp" ? Family::kIso2022Jp : Family::kOther;
}

QueryEncoding::QueryEncoding(std::string_view encoding)
    : family_(FamilyOf(encoding)),
      table_(CodeTable::Of(encoding)),
      converter_((table_ != nullptr && encoding != "gb18030") || IsUtf8Output(encoding)
                     ? Converter(nullptr, &ucnv_close)
                     : OpenConverter(family_ == Family::kIso2022Jp ? "euc-jp" : encoding)) {
  if (!converter_) return;
  UErrorCode error = U_ZERO_ERROR;
  ucnv_setFromUCallBack(converter_.get(), UCNV_FROM_U_CALLBACK_STOP, nullptr, nullptr, nullptr,
                        &error);
}

// The standard writes neither control characters nor JIS X 0212, for which ICU has three bytes. Of
// Japanese it has three characters besides (sections 12.1.2 and 13.1.2).
std::string QueryEncoding::EucBytesOf(uint32_t point) const {
  std::string bytes = IcuBytesOf(converter_.get(), point);
  if (bytes.size() == 2) return bytes;
  if (family_ == Family::kEucKr) return "";
  if (point == 0xA5) return "\\";
  if (point == 0x203E) return "~";
  return point == 0x2212 ? IcuBytesOf(converter_.get(), 0xFF0D) : "";
}

std::string QueryEncoding::BytesOf(uint32_t point) const {
  if (point < 0x80) return std::string(1, static_cast<char>(point));
  if (table_ != nullptr) {
    std::string bytes = table_->BytesOf(point);
    // Of what gb18030 has four bytes for, the standard leaves out one (section 10.2.2).
    if (!bytes.empty() || !converter_ || point == 0xE5E5) return bytes;
  }
  return family_ == Family::kOther ? IcuBytesOf(converter_.get(), point) : EucBytesOf(point);
}

std::string_view QueryEncoding::Encoded(std::string_view href, std::string& buffer) const {
  if (!converter_ && table_ == nullptr) return href;
  const size_t query = href.find_first_of("?#");
  if (query == std::string_view::npos || href[query] == '#') return href;
  const size_t end = std::min(href.find('#', query), href.size());
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(href.begin() + query, href.begin() + end, is_ascii)) return href;

  buffer.assign(href.substr(0, query));
  Iso2022JpWriter iso_2022_jp;
  for (size_t at = query; at < end;) {
    UChar32 read = 0;
    U8_NEXT_OR_FFFD(href.data(), at, end, read);
    const auto point = static_cast<uint32_t>(read);
    std::string bytes;
    bool is_written = false;
    if (family_ == Family::kIso2022Jp) {
      const uint32_t written = Iso2022JpWriter::Written(point);
      is_written = iso_2022_jp.Append(written, BytesOf(written), bytes);
    } else {
      bytes = BytesOf(point);
      is_written = !bytes.empty();
    }
    AppendBytes(bytes, buffer);
    if (!is_written) buffer += "%26%23" + std::to_string(point) + "%3B";
  }
  std::string bytes;
  iso_2022_jp.End(bytes);
  AppendBytes(bytes, buffer);
  buffer.append(href.substr(end));
  return buffer;
}

}  // namespace opic::links
