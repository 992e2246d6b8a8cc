#include "node/pause_memory.h"

#include <string>

#include "base/damaged_folder.h"
#include "base/encoding.h"
#include "base/status_macros.h"

namespace opic::node {
namespace {

constexpr char kPausedKey[] = "paused";  // Unix seconds, big-endian (docs/formats/store.md)

}  // namespace

absl::StatusOr<std::optional<absl::Time>> PausedSince(store::Store& store) {
  ASSIGN_OR_RETURN(const std::optional<std::string> row,
                   store.Get(store::Table::kMeta, kPausedKey));
  if (!row) return std::optional<absl::Time>();
  base::Decoder in(*row);
  const uint64_t seconds = in.Big64();
  if (!in.done()) {
    return base::DamagedFolder("whether fetching is paused cannot be read");
  }
  return absl::FromUnixSeconds(static_cast<int64_t>(seconds));
}

absl::Status RememberPause(store::Store& store, bool paused, absl::Time now) {
  ASSIGN_OR_RETURN(const std::optional<absl::Time> since, PausedSince(store));
  if (since.has_value() == paused) return absl::OkStatus();
  store::Batch batch;
  if (paused) {
    batch.Put(store::Table::kMeta, kPausedKey,
              base::Big64(static_cast<uint64_t>(absl::ToUnixSeconds(now))));
  } else {
    batch.Delete(store::Table::kMeta, kPausedKey);
  }
  return store.Write(batch, store::Sync::kYes);
}

}  // namespace opic::node
