#include "url/idna.h"

#include <unicode/uidna.h>

#include <algorithm>

#include "base/check.h"
#include "url/character_class.h"

namespace opic::url {
namespace {

// What the standard's flags (CheckHyphens and VerifyDnsLength false) leave unchecked.
constexpr uint32_t kAllowed = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG |
                              UIDNA_ERROR_DOMAIN_NAME_TOO_LONG | UIDNA_ERROR_LEADING_HYPHEN |
                              UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;

// Mapping and punycode lengthen a host, some code points many times: what needs more than this is
// no domain.
constexpr size_t kAsciiBytesMax = 8 * kIdnaBytesMax;

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

}  // namespace

bool NeedsIdna(std::string_view host) { return !std::all_of(host.begin(), host.end(), IsAscii); }

std::optional<std::string> ToAscii(std::string_view host) {
  char ascii[kAsciiBytesMax];
  UErrorCode error = U_ZERO_ERROR;
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  const int32_t size = uidna_nameToASCII_UTF8(
      Uts46(), host.data(), static_cast<int32_t>(host.size()), ascii, sizeof ascii, &info, &error);
  if (U_FAILURE(error) || size <= 0 || (info.errors & ~kAllowed) != 0) return std::nullopt;
  return std::string(ascii, static_cast<size_t>(size));
}

}  // namespace opic::url
