#include "ledger/checkpoint.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/disk_failure.h"
#include "base/file.h"
#include "base/status_macros.h"

namespace opic::ledger {
namespace {

// Above this, and half as much as counts, what does not count is worth getting rid of.
constexpr uint64_t kUselessBytesMax = 1 << 20;
constexpr uint64_t kMovedBytesMax = 4 << 20;  // by one call

constexpr std::string_view kUnpublished = ".ckpt.new";

}  // namespace

absl::Status Checkpoints::BeginWriting() {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) return base::DiskFailure(error.value(), "cannot make folder " + folder_);
  // A process that was killed may have renamed files here whose names are not on disk yet. What the
  // journal is trimmed by must not go back to older ones in a power cut.
  RETURN_IF_ERROR(base::SyncFolder(folder_));
  const std::string parent = std::filesystem::path(folder_).parent_path().string();
  RETURN_IF_ERROR(base::SyncFolder(parent.empty() ? "." : parent));
  ASSIGN_OR_RETURN(const std::vector<std::string> unpublished, Names(kUnpublished));
  for (const std::string& name : unpublished) std::filesystem::remove(PathOf(name), error);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> Checkpoints::Names(std::string_view suffix) const {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entries(folder_, error);
  if (error == std::errc::no_such_file_or_directory) return names;
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    std::string name = entries->path().filename().string();
    if (absl::EndsWith(name, std::string(suffix))) names.push_back(std::move(name));
  }
  if (error) return base::DiskFailure(error.value(), "cannot read folder " + folder_);
  std::ranges::sort(names);
  return names;
}

bool Checkpoints::any() const {
  const absl::StatusOr<std::vector<std::string>> names = Names(kCheckpointSuffix);
  return names.ok() && !names->empty();
}

// Checkpoints of a shard with one position say the same: that of the file taken last counts.
void Checkpoints::Take(const std::string& name, std::vector<CheckpointPlace> places) {
  File& file = files_[name];
  file = {.places = std::move(places)};
  for (const CheckpointPlace& place : file.places) {
    file.bytes += place.bytes;
    Latest& latest = latest_[place.shard];
    if (place.position >= latest.position) latest = {name, place.position};
  }
  next_number_ = std::max(next_number_, NumberOf(name).value_or(0) + 1);
}

bool Checkpoints::Counts(const std::string& name, ShardId shard) const {
  const auto latest = latest_.find(shard);
  return latest != latest_.end() && latest->second.file == name;
}

absl::StatusOr<std::vector<CheckpointInfo>> Checkpoints::LoadAll(page_table::PageTable& table) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, Names(kCheckpointSuffix));
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(std::vector<CheckpointPlace> places, ReadPlaces(PathOf(name)));
    Take(name, std::move(places));
  }
  std::vector<CheckpointInfo> loaded;
  for (const auto& [name, file] : files_) {
    for (const CheckpointPlace& place : file.places) {
      if (!Counts(name, place.shard)) continue;
      RETURN_IF_ERROR(LoadCheckpoint(PathOf(name), place, cluster_id_, table));
      loaded.push_back({place.shard, place.position});
    }
  }
  return loaded;
}

absl::Status Checkpoints::Write(absl::Span<const ShardId> shards, uint64_t position,
                                absl::FunctionRef<void(size_t index, Append)> save) {
  if (shards.empty()) return absl::OkStatus();
  OPIC_CHECK(std::set<ShardId>(shards.begin(), shards.end()).size() == shards.size())
      << "two checkpoints of a shard in a file";
  const std::string name = absl::StrFormat("%08d%s", next_number_, std::string(kCheckpointSuffix));
  std::vector<CheckpointPlace> places;
  base::FileToReplace file(PathOf(name));
  uint64_t bytes = 0;
  const auto append = [&](std::string_view piece) {
    file.Append(piece);
    bytes += piece.size();
  };
  for (size_t i = 0; i < shards.size(); ++i) {
    const uint64_t begin = bytes;
    append(CheckpointHeader(cluster_id_, shards[i], position));
    save(i, append);
    places.push_back({shards[i], position, begin, bytes - begin});
  }
  append(EncodePlaces(places));
  RETURN_IF_ERROR(base::WithContext(file.End(), "writing checkpoints"));
  Take(name, std::move(places));
  RemoveUseless();
  return absl::OkStatus();
}

// A file that cannot be removed only takes room: it is tried again, and none of it counts.
void Checkpoints::RemoveUseless() {
  for (auto at = files_.begin(); at != files_.end();) {
    const std::string& name = at->first;
    const bool counts = std::ranges::any_of(
        at->second.places, [&](const CheckpointPlace& place) { return Counts(name, place.shard); });
    std::error_code error;
    if (!counts) std::filesystem::remove(PathOf(name), error);
    at = counts || error ? std::next(at) : files_.erase(at);
  }
}

std::vector<ShardId> Checkpoints::KeepingFiles() const {
  struct Kept {
    const std::string* name;
    const File* file;
    uint64_t counts = 0;
  };
  std::vector<Kept> kept;
  uint64_t all = 0, counts = 0;
  for (const auto& [name, file] : files_) {
    Kept& entry = kept.emplace_back(Kept{&name, &file});
    for (const CheckpointPlace& place : file.places) {
      if (Counts(name, place.shard)) entry.counts += place.bytes;
    }
    all += file.bytes;
    counts += entry.counts;
  }
  // Those first of which the least share counts.
  std::ranges::sort(kept, [](const Kept& a, const Kept& b) {
    return static_cast<double>(a.counts) * static_cast<double>(b.file->bytes) <
           static_cast<double>(b.counts) * static_cast<double>(a.file->bytes);
  });
  std::vector<ShardId> shards;
  uint64_t moved = 0;
  for (const Kept& entry : kept) {
    if (all <= counts + std::max(kUselessBytesMax, counts / 2)) break;
    if (moved + entry.counts > kMovedBytesMax) continue;
    moved += entry.counts;
    all -= entry.file->bytes - entry.counts;
    for (const CheckpointPlace& place : entry.file->places) {
      if (Counts(*entry.name, place.shard)) shards.push_back(place.shard);
    }
  }
  return shards;
}

}  // namespace opic::ledger
