#include "rpc/tls_in_force.h"

#include <fcntl.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace opic::rpc {
namespace {

absl::StatusOr<int> FileInMemory(std::string_view text) {
  const int fd = memfd_create("opic-tls", MFD_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, "memfd_create");
  while (!text.empty()) {
    const ssize_t put = write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      close(fd);
      return absl::ErrnoToStatus(errno, "writing a file in memory");
    }
    text.remove_prefix(static_cast<size_t>(put));
  }
  return fd;
}

// Under the same number, at once: who reads by path finds the old text or the new one.
absl::Status Put(std::string_view text, int& fd) {
  ASSIGN_OR_RETURN(const int made, FileInMemory(text));
  if (fd < 0) {
    fd = made;
    return absl::OkStatus();
  }
  const int result = dup3(made, fd, O_CLOEXEC);
  const int error = errno;
  close(made);
  return result < 0 ? absl::ErrnoToStatus(error, "dup3") : absl::OkStatus();
}

std::string ProcPathOf(int fd) { return absl::StrCat("/proc/self/fd/", fd); }

}  // namespace

absl::StatusOr<std::shared_ptr<TlsInForce>> TlsInForce::Of(const TlsIdentity& identity) {
  std::shared_ptr<TlsInForce> made(new TlsInForce());
  RETURN_IF_ERROR(made->Replace(identity));
  const std::string own = ProcPathOf(made->own_);
  made->provider_ = std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
      own, own, ProcPathOf(made->authority_), absl::ToInt64Seconds(kReadEvery));
  return made;
}

// Key and certificate are in one file, so that nobody reads one of the old and one of the new pair;
// PEM is read past what is not asked for.
absl::Status TlsInForce::Replace(const TlsIdentity& identity) {
  RETURN_IF_ERROR(Put(identity.ca, authority_));
  RETURN_IF_ERROR(Put(absl::StrCat(identity.key, "\n", identity.certificate), own_));
  const absl::MutexLock lock(&mu_);
  now_ = identity;
  now_.in_force = nullptr;  // else it would own itself
  return absl::OkStatus();
}

TlsIdentity TlsInForce::now() const {
  const absl::MutexLock lock(&mu_);
  return now_;
}

TlsIdentity NowOf(const TlsIdentity& identity) {
  return identity.in_force ? identity.in_force->now() : identity;
}

}  // namespace opic::rpc
