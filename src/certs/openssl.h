// What this module takes from OpenSSL: owners of its things, and PEM text to be read. Private to
// the module.
//
// Thread safety: pure.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace opic::certs {

template <auto kFree>
struct Freed {
  template <typename T>
  void operator()(T* thing) const {
    kFree(thing);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Memory = std::unique_ptr<BIO, Freed<BIO_free>>;

// `text` must outlive it.
inline Memory Reading(const std::string& text) {
  return Memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Nothing is asked at the terminal: a key with a passphrase is refused.
inline int NoPassphrase(char*, int, int, void*) { return -1; }

}  // namespace opic::certs
