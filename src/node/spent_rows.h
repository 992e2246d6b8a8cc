// The rows of what was fetched of hosts, registrable domains and groups (docs/formats/store.md):
// written by host_budgets.h, which says what is counted, and read by whoever adds it up.
//
// Thread safety: pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/encoding.h"
#include "base/ids.h"
#include "store/store.h"

namespace opic::node {

struct Spent {
  uint64_t pages = 0, bytes = 0;

  friend bool operator==(const Spent&, const Spent&) = default;
};

// Of keys in Table::kMeta; the name follows.
inline constexpr char kDomainSpentPrefix[] = "domain_spent/", kGroupSpentPrefix[] = "group_spent/";
// As the rows name a host: the same one, whatever dots its name ends in.
std::string_view NoFinalDots(std::string_view host);
std::string HostSpentPrefix(ShardId shard);

void AppendSpent(std::string& out, const Spent& spent);
Spent SpentFrom(base::Decoder& in);
std::string RowOf(const Spent& spent);
// DataLoss: it cannot be read.
absl::StatusOr<Spent> SpentFromRow(std::string_view key, std::string_view row);

// Of each host, with the shard of its name, by shard. Ends with the first error, of a row or of
// `see`.
absl::Status ForEachHostSpent(
    store::Store& store,
    absl::FunctionRef<absl::Status(ShardId shard, std::string_view host, const Spent& spent)> see);
// Of each group of a hosts file, now or earlier, by name.
absl::Status ForEachGroupSpent(
    store::Store& store,
    absl::FunctionRef<absl::Status(std::string_view group, const Spent& spent)> see);

}  // namespace opic::node
