#include "certs/at_exit.h"

#include <gtest/gtest.h>
#include <openssl/crypto.h>
#include <unistd.h>

#include <cstdlib>

#include "certs/mac.h"

namespace opic::certs {
namespace {

// Comes after everything that OpenSSL registered since.
void EndWithWhetherOpenSslWorks() { _exit(OPENSSL_init_crypto(0, nullptr) == 1 ? 7 : 8); }

TEST(OpenSslAtExitTest, WorksUntilTheProcessEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process that did not use OpenSSL before
  EXPECT_EXIT(
      {
        std::atexit(EndWithWhetherOpenSslWorks);
        RandomHex(8);
        std::exit(kOpenSslIsLeftAtExit ? 1 : 2);
      },
      testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace opic::certs
