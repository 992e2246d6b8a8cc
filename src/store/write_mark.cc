#include "store/write_mark.h"

#include <algorithm>
#include <filesystem>

#include "base/encoding.h"
#include "base/file.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "store/rocks_status.h"

namespace opic::store {
namespace {

constexpr size_t kRecordBytes = 24;
// One more sync for so many of the store's.
constexpr uint32_t kUnsyncedMax = 64;
constexpr uint32_t kRecordsMax = 40'000;  // about a megabyte

// Store id, sequence, checksum of both. The file is a row of them; the greatest sequence holds.
std::string Encode(const WriteMark::Reading& reading) {
  std::string out;
  base::AppendFixed64(out, reading.store_id);
  base::AppendFixed64(out, reading.sequence);
  base::AppendFixed64(out, base::Hash64(out));
  return out;
}

std::optional<WriteMark::Reading> Decode(std::string_view record) {
  base::Decoder in(record);
  WriteMark::Reading reading;
  reading.store_id = in.Fixed64();
  reading.sequence = in.Fixed64();
  if (in.Fixed64() != base::Hash64(record.substr(0, 16)) || !in.done()) return std::nullopt;
  return reading;
}

absl::Status MoveDurably(const std::string& from, const std::string& to, rocksdb::Env& env) {
  RETURN_IF_ERROR(FromRocks(env.RenameFile(from, to)));
  const std::string parent = std::filesystem::path(to).parent_path().string();
  std::unique_ptr<rocksdb::Directory> folder;
  RETURN_IF_ERROR(FromRocks(env.NewDirectory(parent.empty() ? "." : parent, &folder)));
  return FromRocks(folder->Fsync());
}

}  // namespace

absl::StatusOr<std::optional<WriteMark::Reading>> WriteMark::Read(const std::string& path,
                                                                  rocksdb::Env& env) {
  const rocksdb::Status exists = env.FileExists(path);
  if (exists.IsNotFound()) return std::nullopt;
  RETURN_IF_ERROR(FromRocks(exists));
  std::string content;
  RETURN_IF_ERROR(FromRocks(rocksdb::ReadFileToString(&env, path, &content)));
  // A power cut leaves a torn record, or zeros, at the end; the ones before it hold.
  std::optional<Reading> last;
  for (size_t at = 0; at + kRecordBytes <= content.size(); at += kRecordBytes) {
    const std::optional<Reading> record =
        Decode(std::string_view(content).substr(at, kRecordBytes));
    if (record && (!last || record->sequence >= last->sequence)) last = record;
  }
  if (!last)
    return absl::DataLossError(path + " is damaged; restore the data folder from a backup");
  return last;
}

absl::StatusOr<std::unique_ptr<WriteMark>> WriteMark::Begin(const std::string& path,
                                                            rocksdb::Env& env,
                                                            const Reading& reading) {
  std::unique_ptr<WriteMark> mark(new WriteMark(path, env, reading));
  absl::MutexLock lock(&mark->mu_);
  RETURN_IF_ERROR(base::WithContext(mark->BeginFile(), "writing " + path));
  return mark;
}

// A file with the one reading, in the place of the old one.
absl::Status WriteMark::BeginFile() {
  const std::string beside = path_ + ".new";
  RETURN_IF_ERROR(FromRocks(env_.NewWritableFile(beside, &file_, {})));
  records_ = 0;
  RETURN_IF_ERROR(Append(/*sync=*/true));
  return MoveDurably(beside, path_, env_);
}

absl::Status WriteMark::Append(bool sync) {
  RETURN_IF_ERROR(FromRocks(file_->Append(Encode(reading_))));
  ++records_;
  ++unsynced_;
  if (!sync) return absl::OkStatus();
  unsynced_ = 0;
  return FromRocks(file_->Sync());
}

void WriteMark::Raise(uint64_t sequence) {
  absl::MutexLock lock(&mu_);
  RaiseLocked(sequence, unsynced_ + 1 >= kUnsyncedMax);
}

void WriteMark::Close(uint64_t sequence) {
  absl::MutexLock lock(&mu_);
  RaiseLocked(sequence, /*sync=*/true);
  file_.reset();
}

void WriteMark::RaiseLocked(uint64_t sequence, bool sync) {
  if (file_ == nullptr) return;
  reading_.sequence = std::max(reading_.sequence, sequence);
  const absl::Status written = records_ < kRecordsMax ? Append(sync) : BeginFile();
  if (written.ok()) return;
  // A record may be torn: nothing may follow it.
  base::LogWarning("store: its mark stays behind: {}", written.ToString());
  file_.reset();
}

}  // namespace opic::store
