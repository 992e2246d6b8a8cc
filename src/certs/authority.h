// A small certificate authority for the mutual TLS of one cluster (RFC 5280): EC P-256 keys, its
// own certificate for ten years, those that it issues for two unless it is told otherwise. For
// trials and small clusters; who has an authority of his own uses that one.
//
// Thread safety: immutable.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace opic::certs {

// A certificate and its key, in PEM.
struct Pair {
  std::string certificate, key;
};

// Whom a certificate is for.
struct Holder {
  std::string name;                // SAN DNS and common name
  std::vector<std::string> hosts;  // where it answers: SAN IP addresses, other names SAN DNS
  bool server = true;              // false: may only ask, as an operator does
};

class Authority {
 public:
  // For how long a certificate is good, from now on.
  static constexpr int kDays = 730, kDaysMax = 3650;

  static absl::StatusOr<Authority> New(const std::string& name);
  // InvalidArgument: no certificate and key that belong together.
  static absl::StatusOr<Authority> From(const Pair& pair);

  // InvalidArgument: a name that cannot stand in a certificate, or days below 1 or above kDaysMax.
  absl::StatusOr<Pair> Issue(const Holder& holder, int days = kDays) const;
  const Pair& pair() const { return pair_; }

 private:
  explicit Authority(Pair pair) : pair_(std::move(pair)) {}
  Pair pair_;
};

}  // namespace opic::certs
