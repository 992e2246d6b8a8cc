// A seeded simulation of the production ledger: a crawl of random pages, on a store that crashes.
//
// After every commit and every recovery the second bookkeeper compares the table, the balances and
// all rows: the difference is 0, no page is lost or from nowhere, every committed visit is in
// history exactly once, the clock is the sum of the visits' cash.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/support/crashing_store.h"
#include "tests/support/second_bookkeeper.h"

namespace opic {

class LedgerSimulation {
 public:
  LedgerSimulation(uint64_t seed, const std::string& checkpoint_folder,
                   std::unique_ptr<UnreliableStore> store = std::make_unique<CrashingStore>());

  // Crashes at the `call`-th store call from now on; and again at random ones after a recovery when
  // `again`.
  void CrashAt(uint64_t call, UnreliableStore::When when, bool again);
  // Runs `steps` steps and ends with an orderly stop and a last recovery.
  void Run(int steps);

  int crashes() const { return crashes_; }
  // Groups that were found committed although Commit had not said so.
  int surprises() const { return surprises_; }

 private:
  void Step();
  // Each false: the machine went down.
  bool Open();
  bool Record();
  bool Settle();
  bool Commit();
  bool Checkpoint(bool all);
  bool FillDisk();

  void SeedPages();
  void ReopenPages();
  void Recover();
  void ArmAgain();
  PageId AnyPage();
  PageId AnyKnownPage();
  ledger::Link LinkTo(PageId page) const;
  ledger::Visit AnyVisit();

  base::Rng rng_;
  ledger::Charter charter_;
  ledger::Options options_;
  std::vector<PageId> universe_;
  const std::unique_ptr<UnreliableStore> store_;
  std::unique_ptr<ledger::Ledger> ledger_;
  SecondBookkeeper books_;
  bool again_ = false;
  int crashes_ = 0, surprises_ = 0;
};

}  // namespace opic
