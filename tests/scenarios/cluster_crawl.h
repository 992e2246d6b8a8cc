// A crawl of the sample web by a cluster of real opic-node processes on loopback, each in a data
// folder of its own.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/shard_map.h"
#include "tests/scenarios/sample_crawl.h"
#include "url/page_id.h"

namespace opic::scenarios {

// What `opic audit --json` said may be partial, but not wrong: wrong fails the test. True: all
// nodes answered, and the cash is all there.
bool IsAuditWhole(const Said& said);

class ClusterCrawl {
 public:
  // What a kill of one node may cost: pages being fetched, or in the group not yet synced.
  static constexpr int kLostPerKill = SampleCrawl::kInFlight + 64;

  explicit ClusterCrawl(int nodes, absl::Duration delay = absl::Milliseconds(10),
                        uint32_t pages = 600, uint32_t hosts = 20,
                        url::ShardBy shard_by = url::ShardBy::kHost,
                        importance::Method method = importance::Method::kPush);

  static void WriteAnotherMap(const std::string& file);

  SampleCrawl& sample() { return sample_; }
  const cluster::ShardMap& map() const { return *map_; }
  int nodes() const { return static_cast<int>(map_->nodes().size()); }
  const std::string& file() const { return file_; }  // the shard map's
  std::string data(int node) const;
  const std::string& address(int node) const;

  // Starts the node, and waits until it answers. `more` are words of opic-node.
  void Start(int node, const Words& more = {});
  void StartAll(const Words& more = {});
  // All of them in one process, which is process(0) (`opic-node --nodes-here`).
  void StartHere(const Words& more = {});
  support::Process& process(int node) { return *processes_[static_cast<size_t>(node)]; }
  // kill -9.
  void Kill(int node) { process(node).Kill(); }
  // SIGTERM, and waits for the end, which must be a good one.
  void Stop(int node);

  // `opic cluster add`: the file has one node more. Those that run know it when they start anew.
  void Add();
  // `opic cluster <words>`: moves of shards, seen through whatever happens to the nodes.
  std::unique_ptr<support::Process> BeginMoves(Words words);
  // `opic cluster shards`: what the nodes that answer tell of each shard.
  struct ShardShown {
    std::string node;  // empty: on its way, or its node does not answer
    std::string state;
    uint64_t pages = 0;
  };
  std::vector<ShardShown> Shards() const;
  std::map<std::string, int> ShardsByNode() const;
  // Waits until shards are leaving, under way or arriving, and tells how many; or until some have
  // moved and others have not: on a busy machine a look at all nodes takes longer than a shard's
  // move. Nothing: the moves were over before.
  std::optional<int> AwaitTheMiddle(support::Process& moves) const;

  // `opic crawl --cluster` with the seed; `more` come last.
  Words OrderWords(const Words& more = {}) const;
  Said Crawl(const Words& more = {}) const { return RunProgram("opic", OrderWords(more)); }
  std::unique_ptr<support::Process> Watch(const Words& more = {}) const;

  // Asks one node, which answers for the cluster; `--json` is added.
  Said AskNode(int node, const std::string& command, const Words& more = {}) const;
  nlohmann::json Ask(const std::string& command, const Words& more = {}) const;
  // Crawls to the end: each reachable page politely, by its owner, nothing unread, all cash there,
  // and the ten best are those of the exact ranks.
  void ExpectAWholeCrawl();
  // The cash of a consistent cut is all there.
  void ExpectAuditIsExact() const;
  // Of a cut while nodes come and go: exact, partial, or told to be impossible now. True: exact.
  bool ExpectAuditIsNotWrong(int asked) const;
  // In the logs of fetches each URL stands with its owner only; a robots.txt where h_url = url
  // stands with whoever had the host on loan.
  void ExpectFetchedByOwners() const;
  // The URLs in the node's log of fetches.
  std::vector<std::string> Fetched(int node) const;
  // Of the `count` most important pages, by the exact ranks, this many are in ours.
  int TopOverlap(size_t count) const;

 private:
  Words NodeWords(int node, const std::string& data, const Words& more) const;
  // Waits until it answers `times` times: once a node.
  void StartProcess(int number, Words words, int times);

  SampleCrawl sample_;
  std::string file_;
  std::optional<cluster::ShardMap> map_;
  std::vector<std::unique_ptr<support::Process>> processes_;
  int runs_ = 0, moves_ = 0;
};

}  // namespace opic::scenarios
