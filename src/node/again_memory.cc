#include "node/again_memory.h"

#include <optional>
#include <string>

#include "base/damaged_folder.h"
#include "base/encoding.h"
#include "base/status_macros.h"

namespace opic::node {
namespace {

constexpr char kAgainKey[] = "again";  // Unix microseconds, big-endian (docs/formats/store.md)

}  // namespace

absl::StatusOr<absl::Time> AskedAgain(store::Store& store) {
  ASSIGN_OR_RETURN(const std::optional<std::string> row, store.Get(store::Table::kMeta, kAgainKey));
  if (!row) return absl::InfinitePast();
  base::Decoder in(*row);
  const uint64_t micros = in.Big64();
  if (!in.done()) return base::DamagedFolder("when --again was asked for cannot be read");
  return absl::FromUnixMicros(static_cast<int64_t>(micros));
}

absl::Status RememberAgain(store::Store& store, absl::Time asked) {
  store::Batch batch;
  batch.Put(store::Table::kMeta, kAgainKey,
            base::Big64(static_cast<uint64_t>(absl::ToUnixMicros(asked))));
  return store.Write(batch, store::Sync::kYes);
}

}  // namespace opic::node
