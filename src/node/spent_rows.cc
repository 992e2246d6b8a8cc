#include "node/spent_rows.h"

#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/damaged_folder.h"
#include "base/status_macros.h"

namespace opic::node {
namespace {

constexpr std::string_view kHostSpentPrefix = "host_spent/";
constexpr size_t kShardDigits = 4;

absl::Status DamagedSpent(std::string_view key) {
  return base::DamagedFolder(
      absl::StrCat("the row \"", std::string(key), "\" (what was fetched) cannot be read"));
}

absl::Status ForEachSpentRow(
    store::Store& store, std::string_view prefix,
    absl::FunctionRef<absl::Status(std::string_view key, const Spent& spent)> see) {
  const std::unique_ptr<store::Cursor> rows = store.Scan(store::Table::kMeta, std::string(prefix));
  for (; rows->Valid() && rows->key().starts_with(prefix); rows->Next()) {
    ASSIGN_OR_RETURN(const Spent spent, SpentFromRow(rows->key(), rows->value()));
    RETURN_IF_ERROR(see(rows->key(), spent));
  }
  return rows->status();
}

}  // namespace

std::string_view NoFinalDots(std::string_view host) {
  while (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

std::string HostSpentPrefix(ShardId shard) {
  return absl::StrFormat("%s%04x/", kHostSpentPrefix, shard.value);
}

void AppendSpent(std::string& out, const Spent& spent) {
  base::AppendVarint(out, spent.pages);
  base::AppendVarint(out, spent.bytes);
}

Spent SpentFrom(base::Decoder& in) {
  Spent spent;
  spent.pages = in.Varint();
  spent.bytes = in.Varint();
  return spent;
}

std::string RowOf(const Spent& spent) {
  std::string row;
  AppendSpent(row, spent);
  return row;
}

absl::StatusOr<Spent> SpentFromRow(std::string_view key, std::string_view row) {
  base::Decoder in(row);
  const Spent spent = SpentFrom(in);
  if (in.done()) return spent;
  return DamagedSpent(key);
}

absl::Status ForEachHostSpent(
    store::Store& store,
    absl::FunctionRef<absl::Status(ShardId, std::string_view, const Spent&)> see) {
  return ForEachSpentRow(store, kHostSpentPrefix, [&](std::string_view key, const Spent& spent) {
    const std::string_view rest = key.substr(kHostSpentPrefix.size());
    uint32_t shard = 0;
    const std::string digits(rest.substr(0, kShardDigits));
    if (rest.size() <= kShardDigits || rest[kShardDigits] != '/' ||
        !absl::SimpleHexAtoi(digits, &shard) || shard > UINT16_MAX)
      return DamagedSpent(key);
    return see(ShardId{static_cast<uint16_t>(shard)}, rest.substr(kShardDigits + 1), spent);
  });
}

absl::Status ForEachGroupSpent(
    store::Store& store, absl::FunctionRef<absl::Status(std::string_view, const Spent&)> see) {
  return ForEachSpentRow(store, kGroupSpentPrefix, [&](std::string_view key, const Spent& spent) {
    return see(key.substr(sizeof(kGroupSpentPrefix) - 1), spent);
  });
}

}  // namespace opic::node
