#include "node/host_budgets.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/encoding.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "schedule/messages.h"
#include "url/scope.h"

namespace opic::node {
namespace {

constexpr size_t kCountsMax = 100'000;
// docs/formats/transfer.md: the name of no host, and the pace of one that may be asked at once, so
// that a release without budgets reads over it (scheduler/host_state.h).
constexpr std::string_view kPackedMark = " spent";
constexpr std::string_view kAnyPace("\0\0\0\0\0", 5);
constexpr size_t kAroundPacked = 32;  // the mark, the lengths and the pace

// By what a peer tells, to no more than any budget.
void Raise(uint64_t& spent, uint64_t more) {
  spent += std::min(more, schedule::kBudgetMax - std::min(spent, schedule::kBudgetMax));
}

// "9 of 9 pages of a.test"; empty: there is some left.
std::string UsedUp(uint64_t used, uint64_t limit, std::string_view what, std::string_view of) {
  if (limit == 0 || used < limit) return "";
  return absl::StrFormat("%d of %d %s of %s", used, limit, what, of);
}

}  // namespace

HostBudgets::HostBudgets(const BudgetOptions& options, const HostRuleBook& rules,
                         const ledger::Charter& charter, store::Store& store)
    : options_(options),
      rules_(rules),
      hosts_move_(charter.shard_by == url::ShardBy::kHost),
      hash_(charter.shard_by, charter.shards),
      store_(store) {}

HostBudgets::Names HostBudgets::NamesOf(std::string_view host) const {
  Names names;
  names.host = std::string(NoFinalDots(host));
  names.domain = url::RegistrableDomain(names.host);
  names.host_key = HostSpentPrefix(hash_.ShardOfHost(names.host)) + names.host;
  names.domain_key = kDomainSpentPrefix + names.domain;
  if (const auto file = rules_.file(); file != nullptr) {
    const std::string* group = file->GroupOf(names.host, names.domain);
    if (group != nullptr) names.group_key = kGroupSpentPrefix + *group;
  }
  return names;
}

std::vector<const std::string*> HostBudgets::Names::Keys() const {
  std::vector<const std::string*> keys = {&host_key, &domain_key};
  if (!group_key.empty()) keys.push_back(&group_key);
  return keys;
}

bool HostBudgets::AnyLimit(const schedule::HostRules& rules) const {
  if (const auto file = rules_.file(); file != nullptr && !file->groups.empty()) return true;
  return rules.any_budget() || options_.host_pages > 0 || options_.host_bytes > 0 ||
         options_.domain_pages > 0 || options_.domain_bytes > 0;
}

// Before pointers into `counts_` are taken.
void HostBudgets::MakeRoom() {
  if (counts_.size() < kCountsMax) return;
  absl::erase_if(counts_, [](const auto& count) {
    return count.second.under_way == Spent() && !count.second.unwritten;
  });
}

absl::StatusOr<HostBudgets::Count*> HostBudgets::CountOf(const std::string& key) {
  const auto known = counts_.find(key);
  if (known != counts_.end()) return &known->second;
  ASSIGN_OR_RETURN(const std::optional<std::string> row, store_.Get(store::Table::kMeta, key));
  Count count;
  if (row) {
    ASSIGN_OR_RETURN(count.spent, SpentFromRow(key, *row));
  }
  return &counts_.emplace(key, count).first->second;
}

absl::StatusOr<std::string> HostBudgets::WhyOverOf(const Names& names,
                                                   const schedule::HostRules& rules, bool domain) {
  using schedule::HostRule;
  ASSIGN_OR_RETURN(const Count* const count, CountOf(domain ? names.domain_key : names.host_key));
  const std::string& name = domain ? names.domain : names.host;
  const std::string of = domain ? "the domain " + name : name;
  const HostRule* rule = rules.Find(name, domain);
  static const HostRule& none = *new HostRule();
  if (rule == nullptr) rule = &none;
  const uint64_t pages = rule->pages.value_or(domain ? options_.domain_pages : options_.host_pages);
  const uint64_t bytes = rule->bytes.value_or(domain ? options_.domain_bytes : options_.host_bytes);
  const auto add_file = [rule](std::string why, uint8_t field) {
    const bool by_file = !why.empty() && (rule->from_file & field) != 0;
    return by_file ? absl::StrCat(why, schedule::kByHostsFile) : why;
  };
  std::string used = add_file(
      UsedUp(count->spent.pages + count->under_way.pages, pages, "pages", of), HostRule::kPages);
  if (used.empty()) {
    used = add_file(UsedUp(count->spent.bytes + count->under_way.bytes, bytes, "bytes", of),
                    HostRule::kBytes);
  }
  used.resize(std::min(used.size(), schedule::kOverBudgetBytesMax));
  return used;
}

absl::StatusOr<std::string> HostBudgets::WhyOver(const Names& names,
                                                 const schedule::HostRules& rules) {
  ASSIGN_OR_RETURN(std::string over, WhyOverOf(names, rules, /*domain=*/false));
  if (over.empty()) {
    ASSIGN_OR_RETURN(over, WhyOverOf(names, rules, /*domain=*/true));
  }
  return over.empty() ? WhyGroupOver(names) : over;
}

absl::StatusOr<std::string> HostBudgets::WhyGroupOver(const Names& names) {
  const std::shared_ptr<const HostsFile> file = rules_.file();
  if (names.group_key.empty() || file == nullptr) return "";
  const std::string group = names.group_key.substr(sizeof(kGroupSpentPrefix) - 1);
  const auto budget = file->groups.find(group);
  if (budget == file->groups.end()) return "";  // the file has changed just now
  ASSIGN_OR_RETURN(const Count* const count, CountOf(names.group_key));
  const Spent used{count->spent.pages + count->under_way.pages,
                   count->spent.bytes + count->under_way.bytes};
  const std::string of = "the group " + group;
  std::string over = UsedUp(used.pages, budget->second.pages.value_or(0), "pages", of);
  if (over.empty()) over = UsedUp(used.bytes, budget->second.bytes.value_or(0), "bytes", of);
  return over.empty() ? over : over + schedule::kByHostsFile;
}

absl::StatusOr<std::string> HostBudgets::OverBudget(std::string_view host) {
  const std::shared_ptr<const schedule::HostRules> rules = rules_.rules();
  if (!AnyLimit(*rules)) return "";
  const absl::MutexLock lock(&mu_);
  MakeRoom();
  return WhyOver(NamesOf(host), *rules);
}

absl::StatusOr<std::string> HostBudgets::Begin(PageId page, std::string_view host) {
  const std::shared_ptr<const schedule::HostRules> rules = rules_.rules();
  const absl::MutexLock lock(&mu_);
  MakeRoom();
  if (begun_.contains(page)) return "";  // its order was repeated
  Names names = NamesOf(host);
  ASSIGN_OR_RETURN(std::string over, WhyOver(names, *rules));
  if (!over.empty()) return over;
  for (const std::string* key : names.Keys()) {
    ASSIGN_OR_RETURN(Count* const count, CountOf(*key));
    ++count->under_way.pages;
  }
  begun_[page].names = std::move(names);
  return "";
}

void HostBudgets::ToldOverBudget(std::string_view host) {
  const absl::StatusOr<std::string> over = OverBudget(host);
  if (over.ok() && over->empty() && tell_rules_) tell_rules_();
}

void HostBudgets::GiveBack(PageId page) {
  const absl::MutexLock lock(&mu_);
  const auto begun = begun_.find(page);
  if (begun == begun_.end()) return;
  for (const std::string* key : begun->second.names.Keys()) {
    Count& count = counts_.at(*key);  // MakeRoom leaves it
    --count.under_way.pages;
    count.under_way.bytes -= begun->second.bytes;
  }
  begun_.erase(begun);
}

void HostBudgets::Received(PageId page, uint64_t bytes) {
  const absl::MutexLock lock(&mu_);
  const auto begun = begun_.find(page);
  if (begun == begun_.end()) return;
  begun->second.bytes += bytes;
  for (const std::string* key : begun->second.names.Keys())
    counts_.at(*key).under_way.bytes += bytes;
}

std::vector<std::pair<std::string, std::string>> HostBudgets::Record(
    absl::Span<const PageId> pages) {
  const absl::MutexLock lock(&mu_);
  std::map<std::string, std::string> rows;
  for (const PageId page : pages) {
    const auto begun = begun_.find(page);
    if (begun == begun_.end()) continue;
    for (const std::string* key : begun->second.names.Keys()) {
      Count& count = counts_.at(*key);
      --count.under_way.pages;
      count.under_way.bytes -= begun->second.bytes;
      ++count.spent.pages;
      count.spent.bytes += begun->second.bytes;
      rows[*key] = RowOf(count.spent);
      if (!std::exchange(count.unwritten, true)) unwritten_.push_back(*key);
    }
    begun_.erase(begun);
  }
  return {rows.begin(), rows.end()};
}

void HostBudgets::Committed() {
  const absl::MutexLock lock(&mu_);
  for (const std::string& key : unwritten_) counts_.at(key).unwritten = false;
  unwritten_.clear();
}

absl::StatusOr<Spent> HostBudgets::SpentOf(std::string_view name, bool domain) {
  const absl::MutexLock lock(&mu_);
  MakeRoom();
  const Names names = NamesOf(name);
  ASSIGN_OR_RETURN(const Count* const count,
                   CountOf(domain ? kDomainSpentPrefix + names.host : names.host_key));
  return count->spent;
}

absl::StatusOr<std::string> HostBudgets::Pack(ShardId shard, std::string hosts, size_t bytes_max) {
  if (!hosts_move_) return hosts;
  std::string packed(kPackedMark);
  const std::string prefix = HostSpentPrefix(shard);
  const std::unique_ptr<store::Cursor> rows = store_.Scan(store::Table::kMeta, prefix);
  bool cut = false;
  for (; rows->Valid() && rows->key().starts_with(prefix); rows->Next()) {
    ASSIGN_OR_RETURN(const Spent spent, SpentFromRow(rows->key(), rows->value()));
    std::string one;
    base::AppendBytes(one, rows->key().substr(prefix.size()));
    AppendSpent(one, spent);
    cut = packed.size() + one.size() + hosts.size() + kAroundPacked > bytes_max;
    if (cut) break;
    packed += one;
  }
  RETURN_IF_ERROR(rows->status());
  if (cut) {
    base::LogWarning(
        "shard {} moves without the counts of what was fetched of some of its hosts, of which it "
        "has too many: their budgets (--host-pages, --host-bytes) may begin anew at its new node",
        shard.value);
  }
  if (packed.size() == kPackedMark.size()) return hosts;
  std::string out;
  base::AppendBytes(out, packed);
  base::AppendBytes(out, kAnyPace);
  return out + hosts;
}

absl::StatusOr<std::string> HostBudgets::Unpack(ShardId shard, std::string hosts) {
  base::Decoder in(hosts);
  const std::string_view told = in.Bytes();
  in.Bytes();  // the pace
  if (!in.ok() || !told.starts_with(kPackedMark)) return hosts;
  std::string rest(in.rest());
  RETURN_IF_ERROR(Take(told.substr(kPackedMark.size()), shard));
  return rest;
}

absl::Status HostBudgets::Take(std::string_view told, ShardId shard) {
  const absl::MutexLock lock(&mu_);
  store::Batch batch;
  std::map<std::string, Count*> changed;
  base::Decoder in(told);
  MakeRoom();
  while (in.ok() && !in.done()) {
    const std::string name(in.Bytes());
    const Spent spent = SpentFrom(in);
    const Names names = NamesOf(name);
    if (!in.ok() || names.host.empty() || hash_.ShardOfHost(names.host) != shard) continue;
    ASSIGN_OR_RETURN(Count* const host, CountOf(names.host_key));
    ASSIGN_OR_RETURN(Count* const domain, CountOf(names.domain_key));
    const Spent more{spent.pages - std::min(spent.pages, host->spent.pages),
                     spent.bytes - std::min(spent.bytes, host->spent.bytes)};
    if (more == Spent()) continue;
    for (Count* count : {host, domain}) {
      Raise(count->spent.pages, more.pages);
      Raise(count->spent.bytes, more.bytes);
    }
    changed[names.host_key] = host;
    changed[names.domain_key] = domain;
  }
  if (!in.ok())
    base::LogError(
        "the counts of what was fetched that came with shard {} cannot be read to their end; the "
        "rest is left out, and budgets of its hosts may be exceeded by as much",
        shard.value);
  for (const auto& [key, count] : changed) batch.Put(store::Table::kMeta, key, RowOf(count->spent));
  if (batch.empty()) return absl::OkStatus();
  return store_.Write(batch, store::Sync::kYes);
}

}  // namespace opic::node
