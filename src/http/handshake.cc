#include "http/handshake.h"

namespace opic::http {
namespace {

// Certificates of a chain: its own, and those of authorities between it and a known one.
constexpr unsigned kChainMax = 16;

gnutls_datum_t DatumOf(const std::string& text) {
  // It is only read.
  return {reinterpret_cast<unsigned char*>(const_cast<char*>(text.data())),
          static_cast<unsigned>(text.size())};
}

bool ShowChain(const Certificate& certificate, Shown& shown) {
  const gnutls_datum_t text = DatumOf(certificate.certificate);
  shown.length = kChainMax;
  shown.chain = static_cast<gnutls_pcert_st*>(gnutls_calloc(kChainMax, sizeof *shown.chain));
  if (shown.chain == nullptr) return false;
  if (gnutls_pcert_list_import_x509_raw(shown.chain, &shown.length, &text, GNUTLS_X509_FMT_PEM,
                                        0) == GNUTLS_E_SUCCESS)
    return true;
  gnutls_free(shown.chain);
  return false;
}

bool ShowKey(const Certificate& certificate, Shown& shown) {
  const gnutls_datum_t text = DatumOf(certificate.key);
  if (gnutls_privkey_init(&shown.key) != GNUTLS_E_SUCCESS) return false;
  if (gnutls_privkey_import_x509_raw(shown.key, &text, GNUTLS_X509_FMT_PEM, nullptr, 0) ==
      GNUTLS_E_SUCCESS)
    return true;
  gnutls_privkey_deinit(shown.key);
  return false;
}

}  // namespace

absl::Status CheckCertificate(const Certificate& certificate) {
  const gnutls_datum_t own = DatumOf(certificate.certificate), key = DatumOf(certificate.key);
  gnutls_certificate_credentials_t credentials = nullptr;
  int result = gnutls_certificate_allocate_credentials(&credentials);
  if (result == GNUTLS_E_SUCCESS) {
    result = gnutls_certificate_set_x509_key_mem(credentials, &own, &key, GNUTLS_X509_FMT_PEM);
    gnutls_certificate_free_credentials(credentials);
  }
  if (result >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError("the certificate or its key cannot be used");
}

bool Show(const Certificate& certificate, Shown& shown) {
  if (!ShowKey(certificate, shown)) return false;
  if (ShowChain(certificate, shown)) return true;
  gnutls_privkey_deinit(shown.key);
  return false;
}

}  // namespace opic::http
