#include "links/icu_converter.h"

#include <string>

namespace opic::links {
namespace {

// ICU's table for a WHATWG encoding, where the name alone finds another one.
std::string IcuName(std::string_view encoding) {
  if (encoding == "gbk") return "gb18030";
  if (encoding == "euc-kr") return "windows-949";
  if (encoding == "shift_jis") return "windows-31j";
  if (encoding == "big5") return "big5-hkscs";
  if (encoding == "iso-8859-8-i") return "iso-8859-8";
  if (encoding == "windows-874") return "windows-874-2000";
  return std::string(encoding);
}

}  // namespace

Converter OpenConverter(std::string_view encoding) {
  UErrorCode error = U_ZERO_ERROR;
  Converter converter(ucnv_open(IcuName(encoding).c_str(), &error), &ucnv_close);
  if (U_SUCCESS(error)) return converter;
  // This ICU was built without the table: the ASCII part of the text, links mostly, still comes
  // out.
  error = U_ZERO_ERROR;
  return Converter(ucnv_open("windows-1252", &error), &ucnv_close);
}

}  // namespace opic::links
