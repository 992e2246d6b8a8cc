#include "node/limits.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/counted.h"
#include "base/damaged_folder.h"
#include "base/encoding.h"
#include "base/status_macros.h"

namespace opic::node {
namespace {

constexpr char kLimitsKey[] = "limits";  // docs/formats/store.md

// A byte 0 for nothing, or 1 and the number.
template <typename Number>
void AppendLimit(std::string& out, const std::optional<Number>& number) {
  out.push_back(number ? '\1' : '\0');
  if (number) base::AppendFixed64(out, *number);
}

std::optional<uint64_t> LimitIn(base::Decoder& in) {
  const uint8_t there = in.Byte();
  if (there > 1) in.Fail();
  if (there != 1) return std::nullopt;
  return in.Fixed64();
}

}  // namespace

void LimitChanges::Take(const LimitChanges& changes) {
  if (changes.pages) pages = changes.pages;
  if (changes.in_flight) in_flight = changes.in_flight;
}

Limits LimitChanges::ApplyTo(Limits limits) const {
  limits.pages = pages.value_or(limits.pages);
  limits.in_flight = in_flight.value_or(limits.in_flight);
  return limits;
}

std::string LimitChanges::InWords() const {
  std::vector<std::string> parts;
  if (pages) parts.push_back(*pages == 0 ? "any number of pages" : base::Counted(*pages, "page"));
  if (in_flight) parts.push_back(base::Counted(*in_flight, "fetch", "fetches") + " at once");
  return parts.empty() ? "as started" : absl::StrJoin(parts, ", ");
}

absl::Status CheckLimits(const LimitChanges& changes, uint32_t fetches_most) {
  if (!changes.in_flight) return absl::OkStatus();
  if (*changes.in_flight < 1 || *changes.in_flight > kFetchesMax) {
    return absl::InvalidArgumentError(absl::StrCat(
        "in_flight: ", *changes.in_flight, " is not valid; it must be from 1 to ", kFetchesMax));
  }
  if (*changes.in_flight <= fetches_most) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "in_flight: ", *changes.in_flight, " fetches at once need more open files than this process ",
      "may have; set ", fetches_most,
      " at most, or start it with a higher limit (ulimit -Hn; LimitNOFILE of a service)"));
}

absl::StatusOr<LimitChanges> RecallLimits(store::Store& store) {
  ASSIGN_OR_RETURN(const std::optional<std::string> row,
                   store.Get(store::Table::kMeta, kLimitsKey));
  LimitChanges limits;
  if (!row) return limits;
  base::Decoder in(*row);
  limits.pages = LimitIn(in);
  if (const std::optional<uint64_t> fetches = LimitIn(in)) {
    if (*fetches < 1 || *fetches > kFetchesMax) in.Fail();
    limits.in_flight = static_cast<uint32_t>(*fetches);
  }
  if (!in.done()) return base::DamagedFolder("what `opic control limits` has set cannot be read");
  return limits;
}

absl::Status RememberLimits(store::Store& store, const LimitChanges& changes) {
  store::Batch batch;
  if (changes.empty()) {
    batch.Delete(store::Table::kMeta, kLimitsKey);
  } else {
    std::string row;
    AppendLimit(row, changes.pages);
    AppendLimit(row, changes.in_flight);
    batch.Put(store::Table::kMeta, kLimitsKey, row);
  }
  return store.Write(batch, store::Sync::kYes);
}

absl::Status ForgetPagesLimit(store::Store& store) {
  ASSIGN_OR_RETURN(LimitChanges limits, RecallLimits(store));
  if (!limits.pages) return absl::OkStatus();
  limits.pages.reset();
  return RememberLimits(store, limits);
}

}  // namespace opic::node
