#include "ledger/checkpoint_file.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "base/byte_source.h"
#include "base/damaged_folder.h"
#include "base/encoding.h"
#include "base/status_macros.h"

namespace opic::ledger {
namespace {

constexpr std::string_view kMagic = "opic checkpoint 1\n";
constexpr size_t kHeaderBytes = kMagic.size() + 8 + 4 + 8 + 8;
constexpr std::string_view kEndMagic = "opic checkpoints\n";
constexpr size_t kPlaceBytes = 4 + 8 + 8 + 8;
constexpr size_t kTrailerBytes = 4 + 8 + kEndMagic.size();  // count, checksum, magic

// A release before named its files by their shards.
constexpr std::string_view kOfOneShard = "shard-";

constexpr size_t kNumberDigitsMax = 18;

absl::Status Unreadable(const std::string& path) {
  return base::DamagedFolder("checkpoint " + path + " cannot be read");
}

struct Header {
  uint64_t cluster_id = 0, shard = 0, position = 0;
};

std::optional<Header> DecodeHeader(std::string_view bytes) {
  base::Decoder in(bytes);
  if (in.Raw(kMagic.size()) != kMagic) return std::nullopt;
  Header header;
  header.cluster_id = in.Fixed64();
  header.shard = in.Fixed32();
  header.position = in.Fixed64();
  const std::string_view summed = bytes.substr(0, bytes.size() - in.rest().size());
  if (in.Fixed64() != base::Hash64(summed) || !in.done() || header.shard > kShardOrNodeMax) {
    return std::nullopt;
  }
  return header;
}

absl::StatusOr<Header> ReadHeader(const std::string& path, base::ByteSource& file) {
  if (file.left() < kHeaderBytes) return Unreadable(path);
  ASSIGN_OR_RETURN(const std::string_view bytes, file.Take(kHeaderBytes));
  const std::optional<Header> header = DecodeHeader(bytes);
  if (!header) return Unreadable(path);
  return *header;
}

absl::StatusOr<std::vector<CheckpointPlace>> PlaceOfOneShard(const std::string& path) {
  ASSIGN_OR_RETURN(const std::unique_ptr<base::ByteSource> file, base::OpenFile(path));
  const uint64_t bytes = file->left();
  ASSIGN_OR_RETURN(const Header header, ReadHeader(path, *file));
  const std::string named = std::filesystem::path(path).filename().string();
  if (named != absl::StrFormat("%s%05d%s", std::string(kOfOneShard), header.shard,
                               std::string(kCheckpointSuffix))) {
    return Unreadable(path);
  }
  return std::vector<CheckpointPlace>{{ShardAt(header.shard), header.position, 0, bytes}};
}

}  // namespace

std::string CheckpointHeader(uint64_t cluster_id, ShardId shard, uint64_t position) {
  std::string out(kMagic);
  base::AppendFixed64(out, cluster_id);
  base::AppendFixed32(out, shard.value);
  base::AppendFixed64(out, position);
  base::AppendFixed64(out, base::Hash64(out));
  return out;
}

std::optional<uint64_t> NumberOf(std::string_view name) {
  const std::string_view stem = name.substr(0, name.find('.'));
  const bool digits = std::ranges::all_of(stem, [](char c) { return absl::ascii_isdigit(c); });
  uint64_t number = 0;
  if (!digits || stem.size() > kNumberDigitsMax || name.substr(stem.size()) != kCheckpointSuffix ||
      !absl::SimpleAtoi(std::string(stem), &number)) {
    return std::nullopt;
  }
  return number;
}

std::string EncodePlaces(const std::vector<CheckpointPlace>& places) {
  std::string out;
  for (const CheckpointPlace& place : places) {
    base::AppendFixed32(out, place.shard.value);
    base::AppendFixed64(out, place.position);
    base::AppendFixed64(out, place.begin);
    base::AppendFixed64(out, place.bytes);
  }
  base::AppendFixed32(out, static_cast<uint32_t>(places.size()));
  base::AppendFixed64(out, base::Hash64(out));
  out += kEndMagic;
  return out;
}

absl::StatusOr<std::vector<CheckpointPlace>> ReadPlaces(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  if (absl::StartsWith(name, std::string(kOfOneShard))) return PlaceOfOneShard(path);
  if (!NumberOf(name)) return Unreadable(path);
  ASSIGN_OR_RETURN(const std::unique_ptr<base::ByteSource> whole, base::OpenFile(path));
  const uint64_t bytes = whole->left();
  if (bytes < kTrailerBytes) return Unreadable(path);
  ASSIGN_OR_RETURN(const std::unique_ptr<base::ByteSource> end,
                   base::OpenFile(path, bytes - kTrailerBytes));
  ASSIGN_OR_RETURN(const std::string_view trailer, end->Take(kTrailerBytes));
  base::Decoder in(trailer);
  const uint32_t count = in.Fixed32();
  const uint64_t checksum = in.Fixed64();
  if (in.rest() != kEndMagic || count == 0 || count > kShardOrNodeMax + 1 ||
      count > (bytes - kTrailerBytes) / kPlaceBytes) {
    return Unreadable(path);
  }
  const uint64_t places_begin = bytes - kTrailerBytes - count * kPlaceBytes;
  ASSIGN_OR_RETURN(const std::unique_ptr<base::ByteSource> tail,
                   base::OpenFile(path, places_begin));
  ASSIGN_OR_RETURN(const std::string_view summed, tail->Take(count * kPlaceBytes + 4));
  if (checksum != base::Hash64(summed)) return Unreadable(path);
  std::vector<CheckpointPlace> places(count);
  base::Decoder entries(summed);
  std::vector<bool> seen(kShardOrNodeMax + 1);
  uint64_t before = 0;
  for (CheckpointPlace& place : places) {
    const uint32_t shard = entries.Fixed32();
    place.position = entries.Fixed64();
    place.begin = entries.Fixed64();
    place.bytes = entries.Fixed64();
    // Each shard once; side by side from the begin of the file to the places.
    if (shard > kShardOrNodeMax || seen[shard] || place.begin != before ||
        place.bytes > places_begin - before) {
      return Unreadable(path);
    }
    seen[shard] = true;
    place.shard = ShardAt(shard);
    before += place.bytes;
  }
  if (before != places_begin) return Unreadable(path);
  return places;
}

absl::Status LoadCheckpoint(const std::string& path, const CheckpointPlace& place,
                            uint64_t cluster_id, page_table::PageTable& table) {
  ASSIGN_OR_RETURN(const std::unique_ptr<base::ByteSource> part,
                   base::OpenFile(path, place.begin, place.bytes));
  ASSIGN_OR_RETURN(const Header header, ReadHeader(path, *part));
  if (header.shard != place.shard.value || header.shard >= table.shards() ||
      header.position != place.position) {
    return Unreadable(path);
  }
  if (header.cluster_id != cluster_id) {
    return absl::FailedPreconditionError("checkpoint " + path + " belongs to another cluster");
  }
  absl::Status loaded = table.Load(place.shard, *part);
  if (!absl::IsDataLoss(loaded)) return loaded;
  return base::DamagedFolder(
      absl::StrCat("checkpoint ", path, " of shard ", place.shard.value, ": ", loaded.message()));
}

}  // namespace opic::ledger
