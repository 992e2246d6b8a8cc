#include "certs/inspection.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>

namespace opic::certs {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

Bio Reading(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free);
}

Certificate NextIn(const Bio& text) {
  return Certificate(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr), X509_free);
}

}  // namespace

absl::StatusOr<Inspection> Inspect(const Pair& pair) {
  const Certificate certificate = NextIn(Reading(pair.certificate));
  // No password: there is nobody to ask for one.
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PrivateKey(
          Reading(pair.key).get(), nullptr, [](char*, int, int, void*) { return 0; }, nullptr),
      EVP_PKEY_free);
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

absl::Status CheckAuthority(const std::string& text) {
  const Bio reading = Reading(text);
  int found = 0;
  while (NextIn(reading)) ++found;
  const bool at_its_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (found > 0 && at_its_end) return absl::OkStatus();
  return absl::InvalidArgumentError(found == 0 && at_its_end ? "there is no certificate in it"
                                                             : "a certificate cannot be read");
}

}  // namespace opic::certs
