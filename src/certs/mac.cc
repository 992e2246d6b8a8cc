#include "certs/mac.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "absl/strings/escaping.h"
#include "base/check.h"

namespace opic::certs {

std::string Mac(std::string_view secret, std::string_view message) {
  unsigned char mac[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  const unsigned char* made =
      HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
           reinterpret_cast<const unsigned char*>(message.data()), message.size(), mac, &size);
  OPIC_CHECK(made != nullptr) << "OpenSSL cannot make an HMAC";
  return std::string(reinterpret_cast<const char*>(mac), size);
}

bool Same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string RandomHex(size_t bytes) {
  std::string random(bytes, '\0');
  auto* const out = reinterpret_cast<unsigned char*>(random.data());
  OPIC_CHECK(RAND_bytes(out, static_cast<int>(bytes)) == 1) << "OpenSSL has no randomness";
  return absl::BytesToHexString(random);
}

}  // namespace opic::certs
