#include "links/utf8_text.h"

#include <unicode/ucnv_cb.h>

#include <algorithm>
#include <limits>

#include "links/code_table.h"
#include "links/icu_converter.h"

namespace opic::links {
namespace {

// ICU's own substitution is U+001A for some tables.
void ReplaceBroken(const void*, UConverterToUnicodeArgs* args, const char*, int32_t,
                   UConverterCallbackReason reason, UErrorCode* error) {
  if (reason > UCNV_IRREGULAR) return;  // not about bytes
  static constexpr UChar kReplacement = 0xFFFD;
  *error = U_ZERO_ERROR;
  ucnv_cbToUWriteUChars(args, &kReplacement, 1, 0, error);
}

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// The encodings in which bytes below 0x80 may mean something else than ASCII.
bool ExtendsAscii(std::string_view encoding) {
  return encoding != "iso-2022-jp" && encoding.substr(0, 6) != "utf-16";
}

}  // namespace

Utf8Text::Utf8Text(std::string_view body, std::string_view encoding) {
  if (encoding == "replacement") return;  // the standard's answer to encodings made for attacks
  if (encoding == "utf-8") {
    view_ = body.substr(0, 3) == "\xEF\xBB\xBF" ? body.substr(3) : body;
  } else if (ExtendsAscii(encoding) && IsAscii(body)) {
    view_ = body;
  } else if (const CodeTable* table = CodeTable::Of(encoding); table != nullptr) {
    copy_ = table->Decoded(body);
    view_ = copy_;
  } else {
    Convert(body, encoding);
  }
}

void Utf8Text::Convert(std::string_view body, std::string_view encoding) {
  constexpr size_t kIcuBytesMax = std::numeric_limits<int32_t>::max() / 4;
  body = body.substr(0, kIcuBytesMax);
  const Converter converter = OpenConverter(encoding);
  if (!converter) return;
  copy_.resize(body.size() * 3 + 4);  // U+FFFD for one byte is the worst case
  UErrorCode error = U_ZERO_ERROR;
  ucnv_setToUCallBack(converter.get(), &ReplaceBroken, nullptr, nullptr, nullptr, &error);
  const int32_t size = ucnv_toAlgorithmic(UCNV_UTF8, converter.get(), copy_.data(),
                                          static_cast<int32_t>(copy_.size()), body.data(),
                                          static_cast<int32_t>(body.size()), &error);
  copy_.resize(std::min(copy_.size(), static_cast<size_t>(std::max(size, 0))));
  view_ = copy_;
  if (view_.substr(0, 3) == "\xEF\xBB\xBF") view_.remove_prefix(3);
}

}  // namespace opic::links
