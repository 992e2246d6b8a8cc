// The identity that gRPC shows and the authority that it trusts in connections made from now on.
// They can be replaced while the process runs; connections that are open stay as they are.
//
// gRPC takes such only from files that it reads again and again (once a second), and reads them as
// they are, also half written. So what it reads are files of ours in memory, which only ever hold
// what was checked.
//
// Thread safety: synchronised inside; Replace is for one thread at a time.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "rpc/tls.h"

namespace grpc::experimental {
class CertificateProviderInterface;
}  // namespace grpc::experimental

namespace opic::rpc {

class TlsInForce {
 public:
  static constexpr absl::Duration kReadEvery = absl::Seconds(1);  // by gRPC

  // REQUIRES, here and below: `identity` is whole and right (ReadTls).
  static absl::StatusOr<std::shared_ptr<TlsInForce>> Of(const TlsIdentity& identity);
  TlsInForce(const TlsInForce&) = delete;
  TlsInForce& operator=(const TlsInForce&) = delete;

  // New connections know of it within kReadEvery.
  absl::Status Replace(const TlsIdentity& identity);
  TlsIdentity now() const;  // the last one
  const std::shared_ptr<grpc::experimental::CertificateProviderInterface>& provider() const {
    return provider_;
  }

 private:
  TlsInForce() = default;

  mutable absl::Mutex mu_;
  TlsIdentity now_ ABSL_GUARDED_BY(mu_);
  // Of the files. They are never closed: gRPC reads them as long as it has credentials of them,
  // which may be longer than anybody knows, and another file must not come by the number.
  int authority_ = -1, own_ = -1;
  std::shared_ptr<grpc::experimental::CertificateProviderInterface> provider_;
};

// For others than gRPC: `identity`, or what has replaced it since (rpc/tls_renewal.h).
TlsIdentity NowOf(const TlsIdentity& identity);

}  // namespace opic::rpc
