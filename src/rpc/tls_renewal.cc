#include "rpc/tls_renewal.h"

#include <pthread.h>
#include <sys/stat.h>

#include <array>
#include <tuple>
#include <utility>

#include "absl/time/clock.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "certs/inspection.h"
#include "rpc/tls_in_force.h"

namespace opic::rpc {
namespace {

// Of one file; all 0: it is not there.
using Stamp = std::tuple<uint64_t, int64_t, int64_t, int64_t>;

Stamp StampOf(const std::string& path) {
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0) return {};
  return {found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

std::array<Stamp, 3> StampsOf(const TlsFiles& files) {
  return {StampOf(files.ca), StampOf(files.certificate), StampOf(files.key)};
}

bool SameTexts(const TlsIdentity& a, const TlsIdentity& b) {
  return std::tie(a.ca, a.certificate, a.key) == std::tie(b.ca, b.certificate, b.key);
}

}  // namespace

absl::StatusOr<std::unique_ptr<TlsRenewal>> TlsRenewal::Follow(std::optional<TlsIdentity>& identity,
                                                               absl::Duration every) {
  if (!identity || identity->files.empty()) return nullptr;
  ASSIGN_OR_RETURN(identity->in_force, TlsInForce::Of(*identity));
  return std::unique_ptr<TlsRenewal>(new TlsRenewal(*identity, every));
}

TlsRenewal::TlsRenewal(const TlsIdentity& identity, absl::Duration every)
    : files_(identity.files), every_(every), now_(identity), thread_([this] { Run(); }) {}

TlsRenewal::~TlsRenewal() {
  stopped_.Ring();
  thread_.join();
}

// Files are replaced one after the other, so they are read when they have stood for a while.
void TlsRenewal::Run() {
  pthread_setname_np(pthread_self(), "opic-certs");
  std::array<Stamp, 3> read, before;
  while (!stopped_.Await(every_)) {
    const std::array<Stamp, 3> found = StampsOf(files_);
    if (found == before && (found != read || !unread_.empty()))
      Take(/*again=*/std::exchange(read, found) == found);
    before = found;
  }
}

void TlsRenewal::Take(bool again) {
  const auto refuse = [](const absl::Status& why) {
    base::LogError(
        "the TLS files have changed and are refused: {}; connections go on with what "
        "was read before",
        std::string(why.message()));
  };
  absl::StatusOr<std::optional<TlsIdentity>> found = ReadTls(files_);
  const std::string unread(found.status().message());
  const bool told = std::exchange(unread_, unread) == unread && again;
  if (!found.ok()) return told ? void() : refuse(found.status());
  TlsIdentity& identity = **found;
  if (SameTexts(identity, now_)) return;
  const absl::StatusOr<certs::Inspection> inspected =
      certs::Inspect({identity.certificate, identity.key});
  if (!inspected.ok()) return refuse(inspected.status());
  const std::string day = absl::FormatTime("%Y-%m-%d", inspected->expires, absl::UTCTimeZone());
  if (inspected->expires <= absl::Now())
    return refuse(absl::InvalidArgumentError("the certificate expired on " + day));
  identity.in_force = now_.in_force;
  if (const absl::Status put = now_.in_force->Replace(identity); !put.ok()) return refuse(put);
  now_ = identity;
  base::LogInfo("the certificate {} was read again, and expires on {}; new connections use it",
                files_.certificate, day);
}

}  // namespace opic::rpc
