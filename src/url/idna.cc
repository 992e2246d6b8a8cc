#include "url/idna.h"

#include <unicode/uidna.h>

#include <algorithm>

#include "base/check.h"
#include "url/character_class.h"
#include "url/url.h"

namespace opic::url {
namespace {

// What the standard's flags (CheckHyphens and VerifyDnsLength false) leave unchecked.
constexpr uint32_t kAllowed = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG |
                              UIDNA_ERROR_DOMAIN_NAME_TOO_LONG | UIDNA_ERROR_LEADING_HYPHEN |
                              UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;

// ICU's immutable tables, which any thread may use.
const UIDNA* Uts46() {
  static const UIDNA* const instance = [] {
    UErrorCode error = U_ZERO_ERROR;
    const UIDNA* opened =
        uidna_openUTS46(UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII |
                            UIDNA_NONTRANSITIONAL_TO_UNICODE,
                        &error);
    OPIC_CHECK(U_SUCCESS(error)) << u_errorName(error);
    return opened;
  }();
  return instance;
}

using Conversion = decltype(&uidna_nameToASCII_UTF8);

std::optional<std::string> Convert(Conversion conversion, std::string_view text) {
  char converted[4 * kUrlBytesMax];
  UErrorCode error = U_ZERO_ERROR;
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  const int32_t size = conversion(Uts46(), text.data(), static_cast<int32_t>(text.size()),
                                  converted, sizeof converted, &info, &error);
  const bool fits = size >= 0 && static_cast<size_t>(size) <= sizeof converted;
  if (U_FAILURE(error) || !fits || (info.errors & ~kAllowed) != 0) return std::nullopt;
  return std::string(converted, static_cast<size_t>(size));
}

bool IsAceLabel(std::string_view label) {
  return label.size() >= 4 && Lower(label[0]) == 'x' && Lower(label[1]) == 'n' &&
         label.substr(2, 2) == "--";
}

bool IsAllAscii(std::string_view text) { return std::all_of(text.begin(), text.end(), IsAscii); }

// UTS 46 revision 33, section 4 "Validity Criteria": an "xn--" label must stand for something that
// ASCII cannot say. ICU before 76 lets "xn--" and "xn--a-" pass.
bool StandsForUnicode(std::string_view ace_label) {
  const auto decoded = Convert(uidna_labelToUnicodeUTF8, ace_label);
  return decoded && !IsAllAscii(*decoded);
}

// Calls `accept` for each "xn--" label until it refuses one; whether it accepted all.
template <typename Accept>
bool AllAceLabels(std::string_view host, Accept accept) {
  while (true) {
    const size_t dot = host.find('.');
    const std::string_view label = host.substr(0, dot);
    if (IsAceLabel(label) && !accept(label)) return false;
    if (dot == std::string_view::npos) return true;
    host.remove_prefix(dot + 1);
  }
}

}  // namespace

bool NeedsIdna(std::string_view host) {
  return !IsAllAscii(host) || !AllAceLabels(host, [](std::string_view) { return false; });
}

std::optional<std::string> ToAscii(std::string_view host) {
  auto ascii = Convert(uidna_nameToASCII_UTF8, host);
  if (!ascii || ascii->empty() || !AllAceLabels(*ascii, StandsForUnicode)) return std::nullopt;
  return ascii;
}

}  // namespace opic::url
