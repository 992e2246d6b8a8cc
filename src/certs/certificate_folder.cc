#include "certs/certificate_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_macros.h"

namespace opic::certs {
namespace {

constexpr char kAuthority[] = "ca";
constexpr size_t kPemBytesMax = 64 << 10;

bool Exists(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0;
}

absl::Status ErrorOf(const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat("writing ", path));
}

// A new file for its owner's eyes only, whatever the umask.
absl::Status WriteSecret(const std::string& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return ErrorOf(path);
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t some = write(fd, text.data() + written, text.size() - written);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) break;
    written += static_cast<size_t>(some);
  }
  const bool whole = written == text.size() && fsync(fd) == 0;
  absl::Status failure = whole ? absl::OkStatus() : ErrorOf(path);
  close(fd);
  if (!whole) unlink(path.c_str());
  return failure;
}

// True: both files are there; false: none is.
absl::StatusOr<bool> HasPair(const std::string& folder, const std::string& holder) {
  const bool certificate = Exists(CertificateFile(folder, holder));
  const bool key = Exists(KeyFile(folder, holder));
  if (certificate == key) return certificate;
  return absl::FailedPreconditionError(
      absl::StrCat(certificate ? KeyFile(folder, holder) : CertificateFile(folder, holder),
                   " is missing: put it back, or remove the other half"));
}

absl::Status WritePair(const std::string& folder, const std::string& holder, const Pair& pair) {
  RETURN_IF_ERROR(WriteSecret(KeyFile(folder, holder), pair.key));
  return WriteSecret(CertificateFile(folder, holder), pair.certificate);
}

absl::StatusOr<Authority> TheAuthority(const std::string& folder, const std::string& name) {
  ASSIGN_OR_RETURN(const bool there, HasPair(folder, kAuthority));
  if (there) {
    Pair pair;
    ASSIGN_OR_RETURN(pair.certificate, base::ReadFile(AuthorityFile(folder), kPemBytesMax));
    ASSIGN_OR_RETURN(pair.key, base::ReadFile(KeyFile(folder, kAuthority), kPemBytesMax));
    absl::StatusOr<Authority> authority = Authority::From(pair);
    if (!authority.ok()) return base::WithContext(authority.status(), AuthorityFile(folder));
    return authority;
  }
  ASSIGN_OR_RETURN(Authority authority, Authority::New(name));
  RETURN_IF_ERROR(WritePair(folder, kAuthority, authority.pair()));
  return authority;
}

// A certificate must not speak for two holders, nor a file be of two.
absl::Status CheckNames(const std::vector<Holder>& holders) {
  std::set<std::string> files{"ca", "ca-key"};
  std::map<std::string, const Holder*> names;
  for (const Holder& holder : holders) {
    if (!files.insert(holder.name).second || !files.insert(holder.name + "-key").second ||
        holder.name.find('/') != std::string::npos)
      return absl::InvalidArgumentError("the name \"" + holder.name + "\" is taken or no file's");
    names[holder.name] = &holder;
  }
  for (const Holder& holder : holders) {
    for (const std::string& host : holder.hosts) {
      const auto same = names.find(host);
      if (same != names.end() && same->second != &holder)
        return absl::InvalidArgumentError("the host of \"" + holder.name + "\" is the name of \"" +
                                          host + "\"");
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::string AuthorityFile(const std::string& folder) { return CertificateFile(folder, kAuthority); }
std::string CertificateFile(const std::string& folder, const std::string& holder) {
  return folder + "/" + holder + ".pem";
}
std::string KeyFile(const std::string& folder, const std::string& holder) {
  return folder + "/" + holder + "-key.pem";
}

absl::StatusOr<std::vector<std::string>> FillFolder(const std::string& folder,
                                                    const std::string& authority_name,
                                                    const std::vector<Holder>& holders, int days) {
  RETURN_IF_ERROR(CheckNames(holders));
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return ErrorOf(folder);
  std::vector<const Holder*> wanted;
  for (const Holder& holder : holders) {
    ASSIGN_OR_RETURN(const bool there, HasPair(folder, holder.name));
    if (!there) wanted.push_back(&holder);
  }
  std::vector<std::string> made;
  if (wanted.empty()) return made;
  ASSIGN_OR_RETURN(const Authority authority, TheAuthority(folder, authority_name));
  for (const Holder* holder : wanted) {
    ASSIGN_OR_RETURN(const Pair pair, authority.Issue(*holder, days));
    RETURN_IF_ERROR(WritePair(folder, holder->name, pair));
    made.push_back(holder->name);
  }
  RETURN_IF_ERROR(base::SyncFolder(folder));
  return made;
}

}  // namespace opic::certs
