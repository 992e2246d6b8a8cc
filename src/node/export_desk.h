// Hands out a running node's pages, page of rows after page of rows, as they were at one moment:
// what the RPC Export.Read and so `opic export --cluster` reads.
//
// A *cut* is taken between two commit groups: cursors over the rows, a copy of all cells
// (cell_copy.h), for which the ledger stands still some 50 ms a million pages, and what the ledger
// knows then of the cluster, by which the pages are estimated. The rest is done on the caller's
// thread.
//
// A cut that nobody has asked for in a while is given up, and so are all when the process ends. Who
// asks for more of it gets a new cut's pages from there on, and sees that by its number.
//
// Thread safety: synchronised inside; it must not be called on the ledger's thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "ledger/ledger.h"
#include "node/page_record.h"
#include "store/store.h"

namespace opic::node {

// Where a reader stands.
struct ExportPosition {
  uint64_t cut = 0;             // 0: a new one
  std::optional<PageId> after;  // the last page read, of the last answer or the one before it;
                                // none: from the beginning
};

struct ExportedRows {
  uint64_t cut = 0;  // never 0
  PartHead head;     // of the cut
  std::vector<PageRecord> pages;
  bool last = false;  // there are no more
};

struct ExportLimits {
  size_t cuts_max = 4;
  absl::Duration idle_max = absl::Minutes(2);
  size_t rows_max = 2'000;             // of an answer,
  size_t bytes_max = size_t{1} << 20;  // and of its rows; one row more may be in it
};

class ExportDesk {
 public:
  // Runs work on the ledger's thread and waits for it.
  using OnLedger = std::function<absl::Status(std::function<void()>)>;

  // All must outlive the desk. Copies of cells lie in `folder`.
  ExportDesk(ledger::Ledger& ledger, store::Store& store, base::Clock& clock, std::string folder,
             OnLedger on_ledger, const ExportLimits& limits = {});
  ~ExportDesk();

  // The pages that follow. The same position again gives the same pages; one inside the last answer
  // gives the rest of that. Unavailable: too many cuts are being read, or the node stops; others as
  // the store's.
  absl::StatusOr<ExportedRows> Read(const ExportPosition& position);

 private:
  class Cut;
  // Null: there is no such cut.
  std::shared_ptr<Cut> Find(uint64_t number);
  absl::StatusOr<std::shared_ptr<Cut>> Take(std::optional<PageId> after);
  absl::Status MakeRoom();
  void GiveUp(const Cut& cut);
  // REQUIRES: the cut's lock is held.
  absl::StatusOr<ExportedRows> Answer(Cut& cut, std::optional<PageId> after);
  void GiveUpIdle();

  ledger::Ledger& ledger_;
  store::Store& store_;
  base::Clock& clock_;
  const std::string folder_;
  const OnLedger on_ledger_;
  const ExportLimits limits_;

  mutable std::mutex mu_;
  std::condition_variable closing_;
  bool closed_ = false;                            // under mu_, as the next two
  std::map<uint64_t, std::shared_ptr<Cut>> cuts_;  // by number
  std::thread watch_;  // gives up what is idle; begun with the first cut
};

}  // namespace opic::node
