#include "node/interest_memory.h"

#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/encoding.h"
#include "base/status_macros.h"

namespace opic::node {
namespace {

constexpr uint8_t kVersion = 1;
constexpr size_t kChecksumBytes = 8;

}  // namespace

std::string InterestRow(const schedule::Interest& interest, const refresh::Factors& wanted) {
  std::string row(1, static_cast<char>(kVersion));
  base::AppendVarint(row, wanted.size());
  for (const double each : wanted) base::AppendFixed64(row, std::bit_cast<uint64_t>(each));
  row += interest.Encode();
  base::AppendFixed64(row, base::Hash64(row));
  return row;
}

absl::StatusOr<std::optional<schedule::Interest>> InterestFromRow(std::string_view row,
                                                                  const refresh::Factors& wanted) {
  if (row.size() <= kChecksumBytes) return absl::DataLossError("it is cut short");
  const std::string_view summed = row.substr(0, row.size() - kChecksumBytes);
  base::Decoder sum(row.substr(summed.size()));
  if (sum.Fixed64() != base::Hash64(summed)) return absl::DataLossError("its checksum differs");
  base::Decoder in(summed);
  if (const uint8_t version = in.Byte(); version != kVersion)
    return absl::DataLossError(absl::StrCat("it has version ", version, ", not ", kVersion));
  const uint64_t categories = in.Varint();
  bool same = categories == wanted.size();
  for (uint64_t c = 0; c < categories && in.ok(); ++c) {
    const double was = std::bit_cast<double>(in.Fixed64());
    same = same && was == wanted[c];
  }
  ASSIGN_OR_RETURN(schedule::Interest interest, schedule::Interest::Decode(in.rest()));
  if (!same) return std::nullopt;
  return std::optional<schedule::Interest>(std::move(interest));
}

}  // namespace opic::node
