// Certificates that are put in the place of others while a process runs: the files are looked at,
// and when they have changed and are right, new connections use what is in them
// (rpc/tls_in_force.h). What cannot be used is refused and told, and what was in force stays.
//
// Thread safety: a thread of its own looks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/bell.h"
#include "rpc/tls.h"

namespace opic::rpc {

class TlsRenewal {
 public:
  // A change is taken up when the files have stood unchanged from one look to the next, so within
  // two of these. Files that cannot be read are tried again at every look: a permission that is
  // given back does not show in their times.
  static constexpr absl::Duration kLookEvery = absl::Seconds(5);

  // Of an identity that was read from files (ReadTls), which follows them from now on, as do all
  // copies made of it since. Null: there is none.
  static absl::StatusOr<std::unique_ptr<TlsRenewal>> Follow(std::optional<TlsIdentity>& identity,
                                                            absl::Duration every = kLookEvery);
  ~TlsRenewal();

 private:
  TlsRenewal(const TlsIdentity& identity, absl::Duration every);
  void Run();
  // `again`: as they are, they could not be read before.
  void Take(bool again);

  const TlsFiles files_;
  const absl::Duration every_;
  TlsIdentity now_;     // in force
  std::string unread_;  // why what is there cannot be read; empty: it could
  base::Bell stopped_;
  std::thread thread_;
};

}  // namespace opic::rpc
