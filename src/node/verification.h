// Everything that a folder at rest holds, read to the last byte and held against the rest of it:
// what `opic verify` does. An audit counts the cells alone.
//
// * every table file of the store, its checksums; the checkpoints; the journal, replayed;
// * every page's row: its URL has the key's hash, its page is in the table, and none is missing;
// * every history row: its page is known, as many of each kind as the journal says, all cash that
//   was ever visited is the clock; the page of every link of this node is known;
// * robots.txt verdicts, the peers' books, every sealed batch, the seeds and the scope.
//
// It goes on after a problem where it can.
//
// Thread safety: confined to one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "node/data_folder.h"
#include "node/resting_ledger.h"

namespace opic::node {

// What was read, and what is wrong with it.
struct Findings {
  uint64_t file_bytes = 0;  // of the store's table files
  uint64_t pages = 0, visited = 0, links = 0;
  uint64_t links_elsewhere = 0;  // to pages of other nodes, which only their folders can tell of
  uint64_t journal_records = 0, checkpoints = 0, robots = 0, peers = 0, sealed_batches = 0;
  static constexpr size_t kProblemsShown = 20;
  uint64_t problem_count = 0;
  std::vector<std::string> problems;  // the first of them

  void Add(std::string problem) {
    if (++problem_count <= kProblemsShown) problems.push_back(std::move(problem));
  }
};

class Verification {
 public:
  // `what` is being read: `done` of `all`.
  using OnProgress = std::function<void(std::string_view what, uint64_t done, uint64_t all)>;

  // `folder` must outlive it. NotFound: no crawl; another error: the disk could not be read.
  // Damage is no error but a finding.
  static absl::StatusOr<Verification> Of(const DataFolder& folder, const OnProgress& progress);

  const Findings& findings() const { return findings_; }
  // The ledger, for the channels to other folders; null: it could not be recovered.
  const ledger::Ledger* ledger() const { return opened_ ? opened_->ledger.get() : nullptr; }

 private:
  void Read(const OnProgress& progress);
  void ReadPages(const OnProgress& progress);
  void ReadHistory(const OnProgress& progress);
  void ReadLinks(const ledger::HistoryRow& row, PageId from);
  void ReadRest();
  bool Strict() const;

  std::optional<RestingLedger> opened_;
  Findings findings_;
};

// What is wrong with the channels between two folders of a cluster, one line each.
std::vector<std::string> CheckChannels(const ledger::Ledger& one, const ledger::Ledger& other);

}  // namespace opic::node
