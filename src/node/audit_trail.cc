#include "node/audit_trail.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "base/damaged_folder.h"
#include "base/encoding.h"
#include "base/file.h"
#include "base/json_string.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "base/utf8.h"

namespace opic::node {
namespace {

constexpr char kPrefix[] = "act.";  // docs/formats/store.md
constexpr size_t kByBytesMax = 256;

absl::Status Failed(const std::string& what, const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat(what, " ", path));
}

// A cut object is no JSON: its beginning stands as a text.
std::string Bounded(const std::string& what) {
  if (what.empty()) return "{}";
  if (what.size() <= AuditTrail::kWhatBytesMax) return what;
  return fmt::format("{{\"bytes\":{},\"begins\":{}}}", what.size(),
                     base::JsonString(what.substr(0, AuditTrail::kWhatBytesMax)));
}

}  // namespace

std::string LineOf(const Act& act) {
  using base::JsonString;
  const bool ok = act.result.ok();
  return fmt::format(
      "{{\"time\":{:.3f},\"act\":{},\"what\":{},\"role\":{},\"holder\":{},\"user\":{},"
      "\"address\":{}{},\"result\":{}{}}}\n",
      absl::ToDoubleSeconds(act.at - absl::UnixEpoch()), JsonString(act.name), Bounded(act.what),
      JsonString(act.role), JsonString(act.holder), JsonString(act.user), JsonString(act.address),
      act.request.empty() ? "" : ",\"request\":" + JsonString(act.request),
      JsonString(ok ? "OK" : absl::StatusCodeToString(act.result.code())),
      ok ? "" : ",\"message\":" + JsonString(std::string(act.result.message())));
}

absl::StatusOr<std::unique_ptr<AuditTrail>> AuditTrail::Open(std::string path, const Limits& limits,
                                                             store::Store* store) {
  std::unique_ptr<AuditTrail> trail(new AuditTrail(std::move(path), limits, store));
  if (store != nullptr) RETURN_IF_ERROR(trail->Recall());
  return trail;
}

AuditTrail::~AuditTrail() {
  const absl::MutexLock lock(&mu_);
  CloseFile();
}

absl::Status AuditTrail::Recall() {
  const absl::MutexLock lock(&mu_);
  const std::unique_ptr<store::Cursor> rows = store_->Scan(store::Table::kMeta, kPrefix);
  for (; rows->Valid() && rows->key().starts_with(kPrefix); rows->Next()) {
    LastAct act{.name = std::string(rows->key().substr(sizeof(kPrefix) - 1))};
    base::Decoder in(rows->value());
    act.at = absl::FromUnixMicros(static_cast<int64_t>(in.Varint()));
    act.by = base::PlainText(in.Bytes(), kByBytesMax);
    if (!in.done()) {
      return base::DamagedFolder(absl::StrCat("row act.", act.name, " cannot be read"));
    }
    last_[act.name] = act;
  }
  return rows->status();
}

void AuditTrail::Append(const Act& act, const std::string& by) {
  const absl::MutexLock lock(&mu_);
  if (const absl::Status written = Write(LineOf(act)); !written.ok())
    base::LogError("{} by {} is missing from {}: {}", act.name, by, path_, written.ToString());
  if (!act.result.ok() || act.in_passing) return;
  const LastAct last{act.name, act.at, base::PlainText(by, kByBytesMax)};
  last_[act.name] = last;
  if (store_ == nullptr) return;
  if (const absl::Status kept = Remember(last); !kept.ok())
    base::LogError("after a restart `opic control show` will not know {} by {}: {}", act.name, by,
                   kept.ToString());
}

std::vector<LastAct> AuditTrail::last() const {
  const absl::MutexLock lock(&mu_);
  std::vector<LastAct> all;
  for (const auto& [name, act] : last_) all.push_back(act);
  return all;
}

absl::Status AuditTrail::Remember(const LastAct& act) {
  std::string row;
  base::AppendVarint(row, static_cast<uint64_t>(absl::ToUnixMicros(act.at)));
  base::AppendBytes(row, act.by);
  store::Batch batch;
  batch.Put(store::Table::kMeta, kPrefix + act.name, row);
  return store_->Write(batch, store::Sync::kYes);
}

absl::Status AuditTrail::Write(const std::string& line) {
  // Somebody may have moved the file away, or removed it.
  if (struct stat there = {}, ours = {};
      file_ >= 0 && (stat(path_.c_str(), &there) != 0 || fstat(file_, &ours) != 0 ||
                     there.st_ino != ours.st_ino)) {
    CloseFile();
  }
  if (file_ < 0) RETURN_IF_ERROR(OpenFile());
  if (bytes_ > 0 && bytes_ + line.size() > limits_.bytes_max) RETURN_IF_ERROR(Rotate());
  for (size_t done = 0; done < line.size();) {
    const ssize_t wrote = write(file_, line.data() + done, line.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) {
      absl::Status failed = Failed("writing", path_);
      TakeBack(done);
      return failed;
    }
    done += static_cast<size_t>(wrote);
    bytes_ += static_cast<uint64_t>(wrote);
  }
  return fdatasync(file_) == 0 ? absl::OkStatus() : Failed("syncing", path_);
}

// The beginning of a line that could not be written whole. If it stays, the file is opened again
// for the next line, which ends it.
void AuditTrail::TakeBack(size_t written) {
  if (written == 0) return;
  struct stat found = {};
  const auto bytes = static_cast<off_t>(written);
  if (fstat(file_, &found) != 0 || found.st_size < bytes ||
      ftruncate(file_, found.st_size - bytes) != 0)
    return CloseFile();
  bytes_ -= written;
}

absl::Status AuditTrail::OpenFile() {
  file_ = open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
  struct stat found = {};
  if (file_ < 0 || fstat(file_, &found) != 0) return Failed("opening", path_);
  bytes_ = static_cast<uint64_t>(found.st_size);
  if (absl::Status ended = EndLastLine(); !ended.ok()) {
    CloseFile();
    return ended;
  }
  return base::SyncFolder(std::filesystem::path(path_).parent_path());
}

// One that a crash has cut: the next line begins anew.
absl::Status AuditTrail::EndLastLine() {
  char last = '\n';
  if (bytes_ == 0 || pread(file_, &last, 1, static_cast<off_t>(bytes_) - 1) != 1 || last == '\n')
    return absl::OkStatus();
  if (write(file_, "\n", 1) != 1) return Failed("writing", path_);
  ++bytes_;
  return absl::OkStatus();
}

absl::Status AuditTrail::Rotate() {
  CloseFile();
  for (int older = limits_.older_files; older > 0; --older) {
    const std::string from = older == 1 ? path_ : absl::StrCat(path_, ".", older - 1);
    std::rename(from.c_str(), absl::StrCat(path_, ".", older).c_str());
  }
  if (limits_.older_files <= 0) std::remove(path_.c_str());
  return OpenFile();
}

void AuditTrail::CloseFile() {
  if (file_ >= 0) close(file_);
  file_ = -1;
}

}  // namespace opic::node
