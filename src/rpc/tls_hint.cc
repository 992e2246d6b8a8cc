#include "rpc/tls_hint.h"

#include <string>

#include "absl/strings/match.h"
#include "base/status_macros.h"

namespace opic::rpc {
namespace {

std::string TlsHint(const absl::Status& status, bool with_tls) {
  if (!absl::IsUnavailable(status)) return "";
  const auto says = [&](const char* words) { return absl::StrContains(status.message(), words); };
  if (!with_tls && says("Socket closed"))
    return "it has just stopped, or it has certificates and wants one (--tls-ca, --tls-cert, "
           "--tls-key); its log says which";
  if (!with_tls) return "";
  if (says("Socket closed"))
    return "it has just stopped, or it does not take the certificate of --tls-cert, which may be "
           "of another authority or have expired; its log says which";
  if (says("certificate verify failed"))
    return "its certificate is not of the authority in --tls-ca, or has expired";
  if (says("wrong version number"))
    return "it has no certificates, as an opic-scheduler on loopback: ask it without --tls-ca, "
           "--tls-cert, --tls-key and the variables OPIC_TLS_...";
  return "";
}

}  // namespace

absl::Status WithTlsHint(const absl::Status& status, bool with_tls) {
  const std::string hint = TlsHint(status, with_tls);
  if (hint.empty()) return status;
  return base::WithContext(absl::UnavailableError(hint), std::string(status.message()));
}

}  // namespace opic::rpc
