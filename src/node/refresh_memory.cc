#include "node/refresh_memory.h"

#include <bit>
#include <string>

#include "base/damaged_folder.h"
#include "base/encoding.h"
#include "base/status_macros.h"
#include "refresh/factor.h"

namespace opic::node {
namespace {

constexpr char kRefreshKey[] = "refresh";  // docs/formats/store.md

// A byte 0 for nothing, or 1 and the number as binary64.
void Append(std::string& out, const std::optional<double>& number) {
  out.push_back(number ? '\1' : '\0');
  if (number) base::AppendFixed64(out, std::bit_cast<uint64_t>(*number));
}

std::optional<double> Number(base::Decoder& in, double least, double most) {
  const uint8_t there = in.Byte();
  if (there > 1) in.Fail();
  if (there != 1) return std::nullopt;
  const double number = std::bit_cast<double>(in.Fixed64());
  if (!(number >= least && number <= most)) in.Fail();
  return number;
}

}  // namespace

absl::StatusOr<RefreshTuning> RecallRefreshTuning(store::Store& store) {
  ASSIGN_OR_RETURN(const std::optional<std::string> row,
                   store.Get(store::Table::kMeta, kRefreshKey));
  RefreshTuning tuning;
  if (!row) return tuning;
  base::Decoder in(*row);
  tuning.pages_per_s = Number(in, 0, RefreshOptions::kRateMax);
  tuning.share = Number(in, 0, 1);
  for (std::optional<double>& factor : tuning.factors) {
    factor = Number(in, 0, refresh::kFactorMax);
    if (factor && !refresh::IsFactor(*factor)) in.Fail();
  }
  if (!in.done()) {
    return base::DamagedFolder("what `opic control refresh` has set cannot be read");
  }
  return tuning;
}

absl::Status RememberRefreshTuning(store::Store& store, const RefreshTuning& tuning) {
  std::string row;
  Append(row, tuning.pages_per_s);
  Append(row, tuning.share);
  for (const std::optional<double>& factor : tuning.factors) Append(row, factor);
  store::Batch batch;
  batch.Put(store::Table::kMeta, kRefreshKey, row);
  return store.Write(batch, store::Sync::kYes);
}

}  // namespace opic::node
