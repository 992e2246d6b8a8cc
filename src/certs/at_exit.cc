#include "certs/at_exit.h"

#include <openssl/crypto.h>

#include "base/check.h"

namespace opic::certs {

bool LeaveOpenSslAtExit() {
  OPIC_CHECK(OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr) == 1) << "OpenSSL cannot start";
  return true;
}

}  // namespace opic::certs
