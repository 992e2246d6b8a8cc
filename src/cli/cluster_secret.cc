#include "cli/cluster_secret.h"

#include <sys/stat.h>

#include <cerrno>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "base/file.h"
#include "base/named_file.h"
#include "base/status_macros.h"
#include "certs/mac.h"
#include "cli/regular_file.h"

namespace opic::cli {
namespace {

constexpr size_t kSecretBytes = 32;
constexpr size_t kFileMibMax = 1;

absl::Status Write(const std::string& path, const std::string& content) {
  const mode_t before = umask(0077);
  const absl::Cleanup restore = [before] { umask(before); };
  return base::OfNamedFile(base::WriteFileDurably(path, content));
}

}  // namespace

std::string SecretFileOf(const std::string& cluster_file) { return cluster_file + ".secret"; }

absl::Status MakeSecret(const std::string& cluster_file) {
  return Write(SecretFileOf(cluster_file), certs::RandomHex(kSecretBytes) + "\n");
}

absl::StatusOr<std::string> ReadSecret(const std::string& cluster_file) {
  const std::string path = SecretFileOf(cluster_file);
  struct stat status;
  // A dangling link does not mean that the cluster has no secret.
  if (lstat(path.c_str(), &status) != 0 && errno == ENOENT) return std::string();
  ASSIGN_OR_RETURN(const std::string content,
                   ReadRegularFile(path, "the cluster's secret", kFileMibMax));
  if (stat(path.c_str(), &status) != 0 || (status.st_mode & 0007) != 0) {
    return absl::InvalidArgumentError(path + " can be read by others: run chmod 600 " + path);
  }
  std::string secret(absl::StripAsciiWhitespace(content));
  if (secret.size() < kSecretBytes) {
    return absl::InvalidArgumentError(
        path + " is not a valid secret: it must have at least 32 characters");
  }
  return secret;
}

absl::Status CopySecret(const std::string& from, const std::string& to) {
  if (SecretFileOf(from) == SecretFileOf(to)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string secret, ReadSecret(from));
  return secret.empty() ? absl::OkStatus() : Write(SecretFileOf(to), secret + "\n");
}

}  // namespace opic::cli
