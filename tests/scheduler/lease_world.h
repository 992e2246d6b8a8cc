// A small cluster with h_url = url, for the simulation of leases: machines with production Page
// Schedulers, a network between them, shards with pages that move, servers that judge
// (polite_web.h).
//
// Whatever chance does comes from one seed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/rng.h"
#include "tests/scheduler/lease_machine.h"
#include "tests/scheduler/lease_network.h"
#include "tests/scheduler/polite_web.h"
#include "tests/scheduler/virtual_time.h"
#include "url/page_id.h"

namespace opic::scheduler {

// Of one seed.
struct LeasePlan {
  size_t machines = 2, hosts = 2, pages = 20;  // pages of each host
  absl::Duration delay = absl::Seconds(1);
  absl::Duration request_time_max = absl::Seconds(4);
  absl::Duration chaos = absl::Seconds(120);       // faults happen so long
  absl::Duration calm = absl::InfiniteDuration();  // between faults, on average
  absl::Duration move_every = absl::InfiniteDuration();
  int per_host_max = 1;  // requests at once
  bool breaks = false, pauses = false, kills = false, stops = false;
  bool late_orders = false;  // pauses of nodes and links outlast any order: LeaseTerms
  double refuses = 0, fails = 0, hangs = 0;  // chance of a request

  static LeasePlan Of(uint64_t seed);
};

struct LeaseEvents {
  uint64_t messages = 0, lost = 0, leases = 0, requests = 0, breaks = 0, pauses = 0, kills = 0,
           stops = 0, moves = 0, waits = 0, postponed = 0;
  absl::Duration time = absl::ZeroDuration();
  void Add(const LeaseEvents& other);
  std::string ToString() const;
};

struct LeasePage {
  PageId id;
  std::string host;
  bool asked = false, done = false;
};

// Where a shard really is. At most one machine owns it.
struct LeaseShard {
  NodeId owner;
  uint64_t move = 0;
  bool under_way = false;  // to `owner`
  bool workable = true;    // its hosts are on disk at the owner's scheduler
  std::string hosts;       // that are not
  std::vector<LeasePage*> pages;
};

class LeaseWorld {
 public:
  static constexpr uint32_t kShards = 8;

  LeaseWorld(uint64_t seed, const LeasePlan& plan);
  // Faults for a while, then none, until every page has been asked for.
  void Run();

  // What was wrong; nothing: all laws held.
  std::vector<std::string> Complaints() const;
  LeaseEvents events() const;

  // For the machines.
  const LeasePlan& plan() const { return plan_; }
  VirtualTime& time() { return time_; }
  base::Rng& rng() { return rng_; }
  PoliteWeb& web() { return web_; }
  LeaseNetwork& network() { return *network_; }
  LeaseShard& shard(ShardId shard) { return shards_[shard.value]; }
  LeasePage& page(PageId id) { return pages_.at(id); }
  ShardId HomeShardOf(const std::string& host) const { return hash_.ShardOfHost(host); }
  size_t machines() const { return machines_.size(); }
  LeaseMachine& machine(NodeId node) { return *machines_[node.value]; }
  LeaseEvents& counts() { return counts_; }
  bool healing() const { return healing_; }
  // The shard's rows have left their owner; they arrive some time.
  void Depart(ShardId shard, NodeId to, std::string hosts);
  void Arrived(ShardId shard);
  bool Chance(double p) { return rng_.Uniform() < p; }
  // Between `least` and `most`, small ones more often.
  absl::Duration Some(absl::Duration least, absl::Duration most);
  bool traces() const { return trace_; }
  void Trace(const std::string& what) const;

 private:
  void MakePages();
  void Fault();
  void NextFault();
  void NextMove();
  void Heal();
  void Gossip(ShardId shard);
  void Pause();
  void Kill();
  bool AllDone() const;

  const LeasePlan plan_;
  VirtualTime time_;
  base::Rng rng_;
  PoliteWeb web_;
  const url::UrlHash hash_{url::ShardBy::kHost, kShards};
  std::vector<LeaseShard> shards_;
  std::map<PageId, LeasePage> pages_;
  std::vector<std::string> hosts_;
  std::unique_ptr<LeaseNetwork> network_;
  std::vector<std::unique_ptr<LeaseMachine>> machines_;
  LeaseEvents counts_;
  size_t done_ = 0;
  bool healing_ = false;
  const bool trace_;
};

}  // namespace opic::scheduler
