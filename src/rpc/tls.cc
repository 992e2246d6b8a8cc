#include "rpc/tls.h"

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/named_file.h"
#include "base/status_macros.h"
#include "certs/inspection.h"

namespace opic::rpc {
namespace {

constexpr absl::Duration kExpiryWarning = absl::Hours(30 * 24);

absl::StatusOr<std::string> ReadPem(const std::string& path, const char* option) {
  absl::StatusOr<std::string> text = base::ReadFile(path);
  if (!text.ok()) return base::WithContext(base::OfNamedFile(text.status()), option);
  if (text->find("-----BEGIN ") == std::string::npos)
    return absl::InvalidArgumentError(absl::StrCat(option, ": ", path, " is not a PEM file"));
  return text;
}

// With a wrong pair gRPC would only say that a socket was closed.
absl::Status CheckPair(const TlsFiles& files, const TlsIdentity& identity) {
  const absl::StatusOr<certs::Inspection> found =
      certs::Inspect({identity.certificate, identity.key});
  const std::string names =
      absl::StrCat("--tls-cert ", files.certificate, " and --tls-key ", files.key);
  if (!found.ok())
    return absl::InvalidArgumentError(absl::StrCat(names, ": ", found.status().message()));
  if (!found->belong_together) {
    return absl::InvalidArgumentError(
        absl::StrCat(names, " do not belong together: the key is of another certificate"));
  }
  const absl::Duration left = found->expires - absl::Now();
  const std::string day = absl::FormatTime("%Y-%m-%d", found->expires, absl::UTCTimeZone());
  if (left <= absl::ZeroDuration()) {
    base::LogWarning(
        "the certificate {} expired on {} and is refused; put another in its place (opic cluster "
        "certs)",
        files.certificate, day);
  } else if (left < kExpiryWarning) {
    base::LogWarning(
        "the certificate {} expires on {}; put another in its place (opic cluster certs)",
        files.certificate, day);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::optional<TlsIdentity>> ReadTls(const TlsFiles& files) {
  if (files.empty()) return std::nullopt;
  if (files.ca.empty() || files.certificate.empty() || files.key.empty())
    return absl::InvalidArgumentError("TLS needs all three: --tls-ca, --tls-cert and --tls-key");
  TlsIdentity identity;
  ASSIGN_OR_RETURN(identity.ca, ReadPem(files.ca, "--tls-ca"));
  ASSIGN_OR_RETURN(identity.certificate, ReadPem(files.certificate, "--tls-cert"));
  ASSIGN_OR_RETURN(identity.key, ReadPem(files.key, "--tls-key"));
  RETURN_IF_ERROR(base::WithContext(certs::CheckCertificates(identity.ca), "--tls-ca " + files.ca));
  RETURN_IF_ERROR(base::WithContext(certs::CheckCertificates(identity.certificate),
                                    "--tls-cert " + files.certificate));
  RETURN_IF_ERROR(CheckPair(files, identity));
  identity.files = files;
  return identity;
}

}  // namespace opic::rpc
