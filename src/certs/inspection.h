// Checks of a certificate and key that an operator gives to a program.
//
// Thread safety: pure.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "certs/authority.h"

namespace opic::certs {

struct Inspection {
  bool belong_together = false;  // the key is that of the certificate
  absl::Time expires;
};
// The first certificate of the PEM text, and the key. InvalidArgument: one cannot be read.
absl::StatusOr<Inspection> Inspect(const Pair& pair);
// InvalidArgument: the PEM text has no certificate, or one that cannot be read. There may be
// several: authorities, or those of a chain.
absl::Status CheckCertificates(const std::string& text);

}  // namespace opic::certs
