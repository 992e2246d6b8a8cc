#include "ledger/checkpoint.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "base/byte_source.h"
#include "base/damaged_folder.h"
#include "base/disk_failure.h"
#include "base/encoding.h"
#include "base/file.h"
#include "base/status_macros.h"

namespace opic::ledger {
namespace {

constexpr std::string_view kMagic = "opic checkpoint 1\n";
constexpr std::string_view kSuffix = ".ckpt";
constexpr size_t kHeaderBytes = kMagic.size() + 8 + 4 + 8 + 8;
constexpr size_t kFilesAtATime = 64;  // they are open together

// magic, cluster id, shard, position, checksum of these; the page table's own format follows.
std::string EncodeHeader(uint64_t cluster_id, ShardId shard, uint64_t position) {
  std::string out(kMagic);
  base::AppendFixed64(out, cluster_id);
  base::AppendFixed32(out, shard.value);
  base::AppendFixed64(out, position);
  base::AppendFixed64(out, base::Hash64(out));
  return out;
}

}  // namespace

absl::StatusOr<Checkpoints> Checkpoints::Open(const std::string& folder, uint64_t cluster_id,
                                              bool create) {
  if (!create) return Checkpoints(folder, cluster_id);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return base::DiskFailure(error.value(), "cannot make folder " + folder);
  // A process that was killed may have renamed files here whose names are not on disk yet. What the
  // journal is trimmed by must not go back to older ones in a power cut.
  RETURN_IF_ERROR(base::SyncFolder(folder));
  const std::string parent = std::filesystem::path(folder).parent_path().string();
  RETURN_IF_ERROR(base::SyncFolder(parent.empty() ? "." : parent));
  return Checkpoints(folder, cluster_id);
}

std::string Checkpoints::PathOf(ShardId shard) const {
  return absl::StrFormat("%s/shard-%05d%s", folder_, shard.value, std::string(kSuffix));
}

absl::Status Checkpoints::Write(absl::Span<const ShardId> shards, uint64_t position,
                                absl::FunctionRef<void(size_t index, Append)> save) const {
  for (size_t begin = 0; begin < shards.size(); begin += kFilesAtATime) {
    base::FilesToReplace files;
    for (size_t i = begin; i < std::min(shards.size(), begin + kFilesAtATime); ++i) {
      files.Begin(PathOf(shards[i]));
      files.Append(EncodeHeader(cluster_id_, shards[i], position));
      save(i, [&](std::string_view piece) { files.Append(piece); });
    }
    RETURN_IF_ERROR(base::WithContext(files.End(), "writing checkpoints"));
  }
  return absl::OkStatus();
}

absl::StatusOr<CheckpointInfo> Checkpoints::Load(const std::string& path,
                                                 page_table::PageTable& table) const {
  const auto damaged = [&] {
    return base::DamagedFolder("checkpoint " + path + " cannot be read");
  };
  ASSIGN_OR_RETURN(const std::unique_ptr<base::ByteSource> file, base::OpenFile(path));
  const uint64_t bytes = file->left();
  if (bytes < kHeaderBytes) return damaged();
  ASSIGN_OR_RETURN(const std::string_view header, file->Take(kHeaderBytes));
  base::Decoder in(header);
  if (in.Raw(kMagic.size()) != kMagic) return damaged();
  const uint64_t cluster_id = in.Fixed64();
  const uint32_t shard = in.Fixed32();
  const uint64_t position = in.Fixed64();
  const std::string_view summed = header.substr(0, header.size() - in.rest().size());
  if (in.Fixed64() != base::Hash64(summed) || shard >= table.shards()) return damaged();
  if (cluster_id != cluster_id_) {
    return absl::FailedPreconditionError("checkpoint " + path + " belongs to another cluster");
  }
  const ShardId id = ShardAt(shard);
  if (path != PathOf(id)) return damaged();
  if (absl::Status loaded = table.Load(id, *file); !loaded.ok()) {
    if (!absl::IsDataLoss(loaded)) return loaded;
    return base::DamagedFolder(absl::StrCat("checkpoint ", path, ": ", loaded.message()));
  }
  return CheckpointInfo{id, position, bytes};
}

bool Checkpoints::any() const {
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder_, error), end; !error && at != end;
       at.increment(error)) {
    if (absl::EndsWith(at->path().string(), std::string(kSuffix))) return true;
  }
  return false;
}

absl::StatusOr<std::vector<CheckpointInfo>> Checkpoints::LoadAll(
    page_table::PageTable& table) const {
  std::vector<CheckpointInfo> loaded;
  std::error_code error;
  std::filesystem::directory_iterator entries(folder_, error);
  if (error == std::errc::no_such_file_or_directory) return loaded;
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    const std::string path = entries->path().string();
    if (!absl::EndsWith(path, std::string(kSuffix))) continue;  // ".new": never published
    ASSIGN_OR_RETURN(const CheckpointInfo info, Load(path, table));
    loaded.push_back(info);
  }
  if (error) {
    return base::DiskFailure(error.value(), "cannot read folder " + folder_);
  }
  return loaded;
}

}  // namespace opic::ledger
