#include "certs/inspection.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>

#include "certs/openssl.h"

namespace opic::certs {

absl::StatusOr<Inspection> Inspect(const Pair& pair) {
  const Certificate certificate(
      PEM_read_bio_X509(Reading(pair.certificate).get(), nullptr, NoPassphrase, nullptr));
  const Key key(PEM_read_bio_PrivateKey(Reading(pair.key).get(), nullptr, NoPassphrase, nullptr));
  ERR_clear_error();
  if (!certificate) return absl::InvalidArgumentError("the certificate cannot be read");
  if (!key) return absl::InvalidArgumentError("the key cannot be read");
  std::tm end = {};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &end) != 1)
    return absl::InvalidArgumentError("the expiry date of the certificate cannot be read");
  Inspection inspection;
  inspection.belong_together = X509_check_private_key(certificate.get(), key.get()) == 1;
  inspection.expires = absl::FromTM(end, absl::UTCTimeZone());
  ERR_clear_error();
  return inspection;
}

absl::Status CheckCertificates(const std::string& text) {
  const Memory reading = Reading(text);
  int found = 0;
  while (Certificate(PEM_read_bio_X509(reading.get(), nullptr, NoPassphrase, nullptr))) ++found;
  const bool at_its_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (found > 0 && at_its_end) return absl::OkStatus();
  return absl::InvalidArgumentError(found == 0 && at_its_end ? "there is no certificate in it"
                                                             : "a certificate cannot be read");
}

}  // namespace opic::certs
