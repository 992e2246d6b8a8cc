#include "certs/inspection.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <memory>

namespace opic::certs {

absl::StatusOr<Inspection> Inspect(const Pair& pair) {
  const auto reading = [](const std::string& text) {
    return std::unique_ptr<BIO, decltype(&BIO_free)>(
        BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free);
  };
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(
      PEM_read_bio_X509(reading(pair.certificate).get(), nullptr, nullptr, nullptr), X509_free);
  // No password: there is nobody to ask for one.
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PrivateKey(
          reading(pair.key).get(), nullptr, [](char*, int, int, void*) { return 0; }, nullptr),
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

}  // namespace opic::certs
