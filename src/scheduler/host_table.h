// The hosts in memory, and their durable rows.
//
// A host is in memory from its first mention until it has been idle for a while; its row in the
// store exists while it has taught us something that a full pause after a restart would not make up
// for (crawl delay, back-off, failures, Retry-After), and for a day after it was last heard of. So
// both are bounded by the hosts lately met.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "schedule/host_rules.h"
#include "scheduler/host.h"
#include "store/store.h"
#include "url/page_id.h"

namespace opic::scheduler {

class HostTable {
 public:
  // Checks the format, begins to write (Store::BeginWriting), takes the clean-stop mark away
  // (synced) and notes whether it was there. `store` and `limits` must outlive the table.
  // FailedPrecondition: the store holds something else.
  static absl::StatusOr<std::unique_ptr<HostTable>> Open(store::Store& store,
                                                         const schedule::PaceLimits& limits,
                                                         absl::Time now);

  // The host, from memory, else as stored, else new. After an unclean stop each waits its full
  // pause from Open on.
  Host* Get(const std::string& name, absl::Time now);
  // The rules for hosts from now on. Those in memory are the caller's to look at.
  void SetRules(schedule::HostRules rules) {
    rules_ = std::move(rules);
    delays_by_shard_.reset();
  }
  const schedule::HostRules& rules() const { return rules_; }
  // The limits of this host: those of all, but for what rules say of it.
  schedule::PaceLimits LimitsOf(std::string_view host) const;
  // The longest that LimitsOf may say of a host of this shard. `hash` is the same in each call.
  absl::Duration LongestDelayIn(ShardId shard, const url::UrlHash& hash) const;
  // Only from memory; nullptr.
  Host* Find(const std::string& name) const;
  // The stored pace of a host that is not in memory.
  std::optional<schedule::HostPace> Stored(const std::string& name) const;
  // After an unclean stop a host of which nothing is known, neither here nor in the store, may have
  // been asked just before: one of this shard is to be left alone until then.
  absl::Time UnknownHostsWaitUntil(ShardId shard, const url::UrlHash& hash) const;
  // After an unclean stop any host may have been asked just before, also one that is stored with a
  // crawl delay and not in memory: by then each has waited its full pause.
  absl::Time AnyHostWaitsUntil() const;

  // `host` has nothing queued and nothing in flight: it is dropped some minutes after it may be
  // asked again.
  void SetIdle(Host* host, absl::Time now);
  // No longer idle, if it was.
  void SetBusy(Host* host) {
    if (idle_.Contains(host)) idle_.Remove(host);
  }
  // Times in the store are the wall clock's, those here are not (Scheduler::SetWallAhead).
  void SetWallAhead(absl::Duration ahead) { wall_ahead_ = ahead; }
  // Forgets idle hosts whose time has come, a bounded number at once. `forget` is called before
  // each goes.
  void DropIdle(absl::Time now, absl::FunctionRef<void(Host*)> forget);

  void MarkChanged(Host* host);
  // `host` is to be stored when it knows more than `before` that outlasts a restart; that it is
  // given up is logged. `ended`: of the request.
  void NoteChange(Host* host, const schedule::HostPace& before, absl::Time ended);
  uint64_t given_up(absl::Time now) const;  // how many hosts are
  // From now on no host is given up, in memory or in the store, until it fails once more, where
  // `told` is another number than before (schedule::Rules). Those in memory that were: the caller's
  // to look at. Reads every row; synced.
  absl::StatusOr<std::vector<Host*>> TryGivenUpAgain(uint64_t told, absl::Time now);
  bool changed() const { return !changed_.empty(); }
  // How a process ends. kHostsWait: as cleanly, but since an unclean end before it hosts may have
  // to wait that nobody here has met; the next process waits no longer for them than this one.
  enum class Stop : uint8_t { kUnclean, kHostsWait, kClean };
  // Writes changed rows and, unless kUnclean, all hosts still waiting and the mark of the stop, in
  // one synced batch.
  absl::Status Save(absl::Time now, Stop stop);

  // The node's process (schedule::Lending) for which hosts are lent from now on. Synced.
  absl::Status SetLender(uint64_t process);
  // That of the last scheduler process before this one; 0: it lent nothing.
  uint64_t lender_before() const { return lender_before_; }

  Stop last_stop() const { return last_stop_; }  // the process before
  bool stopped_cleanly() const { return last_stop_ == Stop::kClean; }
  absl::Time opened() const { return opened_; }

  size_t size() const { return hosts_.size(); }
  void ForEach(absl::FunctionRef<void(Host*)> visit) const;
  // Hosts that are stored and not in memory, with the pace that Get would give them. Reads every
  // row.
  absl::Status ForEachStored(
      absl::Time now,
      absl::FunctionRef<void(const std::string& name, const schedule::HostPace&)> visit) const;

 private:
  HostTable(store::Store& store, const schedule::PaceLimits& limits)
      : store_(store), limits_(limits) {}
  absl::Status ReadMeta(absl::Time now);
  void Load(Host* host, absl::Time now);
  std::optional<schedule::HostPace> Read(std::string_view row) const;
  void TakeUp(const std::string& name, schedule::HostPace& stored, absl::Time now) const;
  // The first start after the last unclean end: from then on hosts wait their full pause.
  absl::Time waits_since() const;
  bool Outlasts(const Host& host, absl::Time now) const;
  void AppendRow(const Host& host, bool keep, store::Batch& batch) const;
  void AppendStaleRows(absl::Time now, store::Batch& batch);

  store::Store& store_;
  const schedule::PaceLimits& limits_;
  schedule::HostRules rules_;
  // Of rules for hosts the longest delays, by shard; nothing: to be computed.
  mutable std::optional<absl::flat_hash_map<uint32_t, absl::Duration>> delays_by_shard_;
  absl::Duration wall_ahead_ = absl::ZeroDuration();
  Stop last_stop_ = Stop::kUnclean;
  int64_t waits_since_ms_ = 0;  // of Stop::kHostsWait: since 1970, by the wall clock
  uint64_t lender_before_ = 0, given_up_again_ = 0;
  absl::Time opened_;
  absl::flat_hash_map<std::string, std::unique_ptr<Host>> hosts_;
  schedule::TimedHeap<Host> idle_;
  std::vector<Host*> changed_;
  absl::flat_hash_set<Host*> given_up_;  // hosts that were, some of them until now
  std::string prune_from_;               // where the walk for stale rows stands
};

}  // namespace opic::scheduler
