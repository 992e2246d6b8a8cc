// What a server shows in a TLS handshake. Only handshake.cc knows GnuTLS, with which libmicrohttpd
// does TLS, and server.cc hands on what it is called with.
//
// Thread safety: pure.
#pragma once

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>

#include "absl/status/status.h"
#include "http/certificate.h"

namespace opic::http {

// InvalidArgument: one of the two cannot be read, or they do not belong together.
absl::Status CheckCertificate(const Certificate& certificate);

// As a gnutls_certificate_retrieve_function3 has to give it: GnuTLS owns what is shown, which lives
// as long as the handshake. False: it cannot be read, and nothing was given.
struct Shown {
  gnutls_pcert_st* chain = nullptr;
  unsigned length = 0;
  gnutls_privkey_t key = nullptr;
};
bool Show(const Certificate& certificate, Shown& shown);

}  // namespace opic::http
