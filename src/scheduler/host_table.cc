#include "scheduler/host_table.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/encoding.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "scheduler/host_record.h"
#include "scheduler/store_check.h"

namespace opic::scheduler {
namespace {

using store::Table;

constexpr absl::Duration kIdleInMemory = absl::Minutes(10);
constexpr absl::Duration kIdleInStore = absl::Hours(24);
constexpr int kDroppedAtOnce = 1000;
constexpr int kPrunedAtOnce = 64;

}  // namespace

absl::StatusOr<std::unique_ptr<HostTable>> HostTable::Open(store::Store& store,
                                                           const schedule::PaceLimits& limits,
                                                           absl::Time now) {
  std::unique_ptr<HostTable> table(new HostTable(store, limits));
  RETURN_IF_ERROR(base::WithContext(table->ReadMeta(now), "opening the scheduler's store"));
  return table;
}

absl::Status HostTable::ReadMeta(absl::Time now) {
  opened_ = now;
  RETURN_IF_ERROR(CheckStore(store_));
  ASSIGN_OR_RETURN(const std::optional<std::string> format, store_.Get(Table::kMeta, kFormatKey));
  ASSIGN_OR_RETURN(const std::optional<std::string> clean, store_.Get(Table::kMeta, kCleanKey));
  ASSIGN_OR_RETURN(const std::optional<std::string> lender, store_.Get(Table::kMeta, kLenderKey));
  if (lender) lender_before_ = base::Decoder(*lender).Big64();
  ASSIGN_OR_RETURN(const std::optional<std::string> again, store_.Get(Table::kMeta, kAgainKey));
  if (again) given_up_again_ = base::Decoder(*again).Big64();
  ASSIGN_OR_RETURN(const std::optional<std::string> since,
                   store_.Get(Table::kMeta, kWaitsSinceKey));
  if (since) waits_since_ms_ = static_cast<int64_t>(base::Decoder(*since).Big64());
  // A new store was never stopped uncleanly.
  if (clean.has_value() || !format.has_value()) {
    last_stop_ = Stop::kClean;
  } else {
    last_stop_ = since ? Stop::kHostsWait : Stop::kUnclean;
  }
  RETURN_IF_ERROR(store_.BeginWriting());
  store::Batch batch;
  batch.Put(Table::kMeta, kFormatKey, kFormat);
  batch.Delete(Table::kMeta, kCleanKey);
  if (since) batch.Delete(Table::kMeta, kWaitsSinceKey);
  return store_.Write(batch, store::Sync::kYes);
}

absl::Status HostTable::SetLender(uint64_t process) {
  store::Batch batch;
  batch.Put(Table::kMeta, kLenderKey, base::Big64(process));
  return base::WithContext(store_.Write(batch, store::Sync::kYes), "noting who lends hosts");
}

Host* HostTable::Get(const std::string& name, absl::Time now) {
  std::unique_ptr<Host>& host = hosts_[name];
  if (host == nullptr) {
    host = std::make_unique<Host>();
    host->name = name;
    host->queue.withheld = rules_.BlockOf(name) != nullptr;
    host->parallel = LimitsOf(name).parallel;
    Load(host.get(), now);
  }
  return host.get();
}

Host* HostTable::Find(const std::string& name) const {
  const auto it = hosts_.find(name);
  return it == hosts_.end() ? nullptr : it->second.get();
}

std::optional<schedule::HostPace> HostTable::Stored(const std::string& name) const {
  const auto row = store_.Get(Table::kHost, name);
  if (!row.ok() || !row->has_value()) return std::nullopt;
  return Read(**row);
}

void HostTable::Load(Host* host, absl::Time now) {
  const auto row = store_.Get(Table::kHost, host->name);
  std::optional<schedule::HostPace> pace;
  if (row.ok() && row->has_value()) pace = Read(**row);
  if (!row.ok() || (row->has_value() && !pace)) {
    // What it has taught us is lost: a full pause is the least that is polite.
    base::LogError("the stored pace of host {} cannot be read: {}", host->name,
                   row.ok() ? "damaged" : row.status().ToString());
    host->pace.WaitFullPause(now, LimitsOf(host->name));
  }
  if (pace) {
    host->pace = *pace;
    host->stored = true;
  }
  TakeUp(host->name, host->pace, now);
}

std::optional<schedule::HostPace> HostTable::Read(std::string_view row) const {
  std::optional<schedule::HostPace> pace = DecodePace(row);
  if (pace) pace = Shifted(*pace, -wall_ahead_);
  return pace;
}

void HostTable::TakeUp(const std::string& name, schedule::HostPace& stored, absl::Time now) const {
  const schedule::PaceLimits limits = LimitsOf(name);
  stored.CutFutureTimes(now, limits);
  if (!stopped_cleanly()) stored.WaitFullPause(waits_since(), limits);
}

schedule::PaceLimits HostTable::LimitsOf(std::string_view host) const {
  schedule::PaceLimits limits = limits_;
  limits.delay = rules_.DelayOf(host).value_or(limits.delay);
  if (const auto parallel = rules_.ParallelOf(host)) limits.parallel = static_cast<int>(*parallel);
  return limits;
}

bool HostTable::Outlasts(const Host& host, absl::Time now) const {
  return host.pace.OutlastsPause(now, LimitsOf(host.name));
}

absl::Time HostTable::UnknownHostsWaitUntil(ShardId shard, const url::UrlHash& hash) const {
  return stopped_cleanly() ? absl::InfinitePast() : waits_since() + LongestDelayIn(shard, hash);
}

absl::Time HostTable::waits_since() const {
  if (last_stop_ != Stop::kHostsWait) return opened_;
  return std::min(opened_, absl::FromUnixMillis(waits_since_ms_) - wall_ahead_);
}

absl::Time HostTable::AnyHostWaitsUntil() const {
  if (stopped_cleanly()) return absl::InfinitePast();
  absl::Duration longest =
      std::max({limits_.delay, limits_.crawl_delay_max, rules_.longest_domain_delay()});
  rules_.ForEachHostDelay(
      [&](const std::string&, absl::Duration delay) { longest = std::max(longest, delay); });
  return waits_since() + longest;
}

absl::Duration HostTable::LongestDelayIn(ShardId shard, const url::UrlHash& hash) const {
  if (!delays_by_shard_) {
    delays_by_shard_.emplace();
    rules_.ForEachHostDelay([&](const std::string& host, absl::Duration delay) {
      absl::Duration& longest = (*delays_by_shard_)[hash.ShardOfHost(host).value];
      longest = std::max(longest, delay);
    });
  }
  const auto own = delays_by_shard_->find(shard.value);
  return std::max({limits_.delay, rules_.longest_domain_delay(),
                   own != delays_by_shard_->end() ? own->second : absl::ZeroDuration()});
}

void HostTable::SetIdle(Host* host, absl::Time now) {
  idle_.Set(host, std::max(now, host->pace.next_allowed) + kIdleInMemory);
}

void HostTable::DropIdle(absl::Time now, absl::FunctionRef<void(Host*)> forget) {
  for (int i = 0; i < kDroppedAtOnce; ++i) {
    if (idle_.empty() || idle_.first_time() > now) return;
    Host* host = idle_.first();
    if (host->stored && !Outlasts(*host, now)) MarkChanged(host);
    if (host->changed) {  // goes when it is saved
      idle_.Set(host, now + absl::Seconds(10));
      continue;
    }
    idle_.PopFirst();
    forget(host);
    given_up_.erase(host);
    const std::string name = host->name;
    hosts_.erase(name);
  }
}

void HostTable::NoteChange(Host* host, const schedule::HostPace& before, absl::Time ended) {
  const schedule::HostPace& pace = host->pace;
  if (pace.given_up(ended) && given_up_.insert(host).second) {
    base::LogWarning(
        "host {} gave no answer {} times and is given up until {}; `opic crawl --again` tries it "
        "before then",
        host->name, pace.failures, absl::FormatTime(pace.given_up_until));
  } else if (pace.failures == 0) {
    given_up_.erase(host);
  }
  // A plain pause need not be stored: after a crash every host waits it anyway.
  const bool plain =
      pace.crawl_delay == before.crawl_delay && pace.backoff == before.backoff &&
      pace.failures == before.failures &&
      pace.next_allowed <= std::max(before.next_allowed, ended + pace.Pause(LimitsOf(host->name)));
  if (!plain) MarkChanged(host);
}

uint64_t HostTable::given_up(absl::Time now) const {
  return static_cast<uint64_t>(
      std::count_if(given_up_.begin(), given_up_.end(),
                    [&](const Host* host) { return host->pace.given_up(now); }));
}

absl::StatusOr<std::vector<Host*>> HostTable::TryGivenUpAgain(uint64_t told, absl::Time now) {
  std::vector<Host*> tried;
  if (told == 0 || told == given_up_again_) return tried;
  store::Batch batch;
  RETURN_IF_ERROR(ForEachStored(now, [&](const std::string& name, schedule::HostPace pace) {
    if (!pace.given_up(now)) return;
    pace.given_up_until = absl::InfinitePast();
    batch.Put(Table::kHost, name, EncodePace(Shifted(pace, wall_ahead_)));
  }));
  batch.Put(Table::kMeta, kAgainKey, base::Big64(told));
  RETURN_IF_ERROR(store_.Write(batch, store::Sync::kYes));
  given_up_again_ = told;
  for (const auto& [name, host] : hosts_) {
    if (!host->pace.given_up(now)) continue;
    host->pace.given_up_until = absl::InfinitePast();
    MarkChanged(host.get());
    tried.push_back(host.get());
  }
  given_up_.clear();
  return tried;
}

void HostTable::MarkChanged(Host* host) {
  if (host->changed) return;
  host->changed = true;
  changed_.push_back(host);
}

absl::Status HostTable::Save(absl::Time now, Stop stop) {
  store::Batch batch;
  for (const Host* host : changed_) {
    AppendRow(*host, Outlasts(*host, now), batch);
  }
  if (stop != Stop::kUnclean) {
    for (const auto& [name, host] : hosts_) {
      if (host->pace.next_allowed > now) AppendRow(*host, true, batch);
    }
    if (stop == Stop::kClean) {
      batch.Put(Table::kMeta, kCleanKey, "");
    } else {
      const absl::Duration since = absl::Ceil(waits_since() + wall_ahead_ - absl::UnixEpoch(),
                                              absl::Milliseconds(1));  // never too early
      batch.Put(Table::kMeta, kWaitsSinceKey,
                base::Big64(static_cast<uint64_t>(absl::ToInt64Milliseconds(since))));
    }
  }
  AppendStaleRows(now, batch);
  if (batch.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(
      base::WithContext(store_.Write(batch, store::Sync::kYes), "saving the scheduler's hosts"));
  for (Host* host : changed_) {
    host->stored = Outlasts(*host, now);
    host->changed = false;
  }
  changed_.clear();
  return absl::OkStatus();
}

void HostTable::AppendRow(const Host& host, bool keep, store::Batch& batch) const {
  if (keep) {
    batch.Put(Table::kHost, host.name, EncodePace(Shifted(host.pace, wall_ahead_)));
  } else if (host.stored) {
    batch.Delete(Table::kHost, host.name);
  }
}

void HostTable::AppendStaleRows(absl::Time now, store::Batch& batch) {
  const std::unique_ptr<store::Cursor> cursor = store_.Scan(Table::kHost, prune_from_);
  int looked_at = 0;
  for (; cursor->Valid() && looked_at < kPrunedAtOnce; cursor->Next(), ++looked_at) {
    const std::string name(cursor->key());
    if (hosts_.contains(name)) continue;
    const std::optional<schedule::HostPace> pace = Read(cursor->value());
    if (pace && std::max(pace->next_allowed, pace->given_up_until) + kIdleInStore > now) continue;
    batch.Delete(Table::kHost, name);
  }
  prune_from_ = cursor->Valid() ? std::string(cursor->key()) : "";
}

absl::Status HostTable::ForEachStored(
    absl::Time now,
    absl::FunctionRef<void(const std::string& name, const schedule::HostPace&)> visit) const {
  const std::unique_ptr<store::Cursor> cursor = store_.Scan(Table::kHost, "");
  for (; cursor->Valid(); cursor->Next()) {
    const std::string name(cursor->key());
    std::optional<schedule::HostPace> pace = Read(cursor->value());
    if (!pace || hosts_.contains(name)) continue;
    TakeUp(name, *pace, now);
    visit(name, *pace);
  }
  return cursor->status();
}

void HostTable::ForEach(absl::FunctionRef<void(Host*)> visit) const {
  for (const auto& [name, host] : hosts_) visit(host.get());
}

}  // namespace opic::scheduler
