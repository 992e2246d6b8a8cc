// Mutual TLS: who a process says it is, and whose word it takes for others.
//
// All processes of a cluster share one authority. A node's certificate names the node (SAN DNS, as
// in the shard map); both ends of every connection show one, and what the authority did not sign is
// refused (RFC 8446; RFC 6125 section 6.4 for the names).
//
// Thread safety: values; ReadTls may be called from any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace opic::rpc {

// Paths of PEM files (`opic cluster certs` makes them); all three or none.
struct TlsFiles {
  std::string ca, certificate, key;
  std::string tokens;  // of tokens for roles (rpc/gate.h); may be without the others
  bool empty() const { return ca.empty() && certificate.empty() && key.empty(); }
};

class TlsInForce;

// Their contents.
struct TlsIdentity {
  std::string ca, certificate, key;
  TlsFiles files = {};                             // that they were read from; may be empty
  std::shared_ptr<TlsInForce> in_force = nullptr;  // these first; null: always (rpc/tls_renewal.h)
};

// Nothing when no file is named. InvalidArgument: only some are named, one may not be opened or
// is not PEM, or the key does not belong to the certificate; NotFound: one is not there. Both name
// the option. Logs a warning if the
// certificate has expired or expires within 30 days.
absl::StatusOr<std::optional<TlsIdentity>> ReadTls(const TlsFiles& files);

}  // namespace opic::rpc
