// How a node settles its pages when nothing is left to fetch: it reads the links of all of them
// once, works out what each is to pay (importance/payment_plan.h), and has them pay that. So a page
// is settled once or twice, and not some ten times, until little cash is left
// (docs/decisions/2026-11-28-settled-by-plan.md).
//
// The nodes of a cluster make one plan together: each works out its own pages, tells the others
// what these are going to pay to theirs, and so on in rounds (plan_rounds.h), until nothing more
// comes of it. Then all of them pay. A node that is alone with its plan leaves pages of others out:
// what comes in from there is for the next plan, with the same links.
//
// Each step takes some milliseconds, with a million pages some tens, so that the rest of the
// ledger's work goes on beside it. Pages that become known, move or are read meanwhile make a plan
// worse, and not wrong.
//
// Memory: some 120 bytes a page, 8 a link and 60 a page of another node that is linked to; no plan
// is made of what does not fit.
//
// Thread safety: confined to the owner thread (the ledger's).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "importance/payment_plan.h"
#include "ledger/ledger.h"
#include "node/plan_rounds.h"
#include "node/pools.h"
#include "store/store.h"

namespace opic::node {

class SettlingPlan {
 public:
  struct StepSize {
    uint64_t slots = 100'000;    // of the page table, looked at
    size_t rows = 1000;          // of Table::kHistory, read
    size_t row_links = 100'000;  // after so many in them no other row is
    size_t pages = 100'000;      // whose cash is looked up
    size_t links = 1'000'000;    // along which cash is passed on
  };

  // All must outlive it. `bytes_max`: of memory.
  SettlingPlan(const ledger::Ledger& ledger, store::Store& store, const ClosedShards& closed,
               size_t bytes_max, StepSize step);
  SettlingPlan(const ledger::Ledger& ledger, store::Store& store, const ClosedShards& closed,
               size_t bytes_max)
      : SettlingPlan(ledger, store, closed, bytes_max, StepSize()) {}

  // From now on plans are made with the peers, where they take part.
  void MeetPeers(PlanRounds::Way way);

  // Goes on with the plan, which is to bring the bound of the error to `goal`. False: there is
  // none, for it would not be worth it, not fit, or have nobody pay; pages are settled by the cash
  // that they have. An error of reading: there is none either. What the present group has done is
  // seen in part, and is for the next plan. REQUIRES: Accounting::PaysByPlan.
  absl::StatusOr<bool> Step(double goal, absl::Time now);
  // In a turn that takes no step, since peers are behind with acknowledgements: so that those who
  // wait for this node's part keep waiting.
  void KeepInTouch(absl::Time now);
  // On a node that makes no plans at all: so that nobody waits for it.
  void StayOut() { rounds_.Leave(); }
  // The last step had nothing to do but to wait for peers.
  bool waits() const { return waits_; }
  // What a peer says of the plan. Payments for pages that have none in it are left out.
  void Take(NodeId from, const cluster::PlanPart& part, absl::Time now);
  // The next pages that are to pay, and what: at most `most`, none while the plan is being made.
  struct Payments {
    std::vector<PageId> pages;
    std::vector<cash::Amount> amounts;
  };
  Payments Take(size_t most);
  // The links are no longer what they were.
  void Forget();

 private:
  enum class Stage : uint8_t {
    kNone,        // not looked at yet
    kPages,       // finds the pages
    kLinks,       // reads their links
    kMeeting,     // waits for the peers, and decides with them whether there is a plan
    kCash,        // looks up what cash they have
    kSolving,     // works out what they are to pay
    kExchanging,  // waits for what pages of peers are going to pay
    kPaying,      // has payments, or had them all
    kNoUse,       // until it is forgotten
  };

  double MayBeLeft(double goal) const;
  bool Worth(double goal) const;
  void FindSome();
  std::optional<uint32_t> NumberOf(PageId page) const;
  absl::Status ReadSome();
  void TakeGoneUpTo(std::optional<PageId> page);
  void TakeRow(const ledger::HistoryRow& row);
  uint32_t OtherNumberOf(PageId page);
  void GiveUp();
  void GoOnAlone();
  bool ListensToPeers() const;
  bool HaveArrived() const;
  void Meet(double goal, absl::Time now);
  void LookUpSome(double goal);
  void WorkForARound(double goal);
  void SolveSome(double goal, absl::Time now);
  void TellPeers(double goal, absl::Time now);
  void HearPeers(double goal, absl::Time now);
  void BeginPaying(double without_max);
  void PlanAgain(absl::Time now);
  bool Fits() const;

  const ledger::Ledger& ledger_;
  store::Store& store_;
  const ClosedShards& closed_;
  const size_t bytes_max_;
  const StepSize step_;
  PlanRounds rounds_;
  bool waits_ = false;

  struct Plan {
    explicit Plan(cash::SmallEdge epsilon) : solver(epsilon) {}

    Stage stage = Stage::kNone;
    page_table::Cursor cursor;
    std::vector<PageId> pages;           // those that are done, sorted
    std::vector<uint32_t> shard_begins;  // in `pages`, from kLinks on; and their end
    std::string next_key;                // of Table::kHistory
    bool together = false;               // with the peers
    std::vector<PageId> others;          // pages of peers that pages here link to, by number
    absl::flat_hash_map<PageId, uint32_t> other_numbers;  // until all links were read
    double held = 0;               // by the cluster, before the last plan with the peers
    std::vector<double> cash;      // of the first pages, during kCash
    std::vector<double> incoming;  // of all pages, what peers are going to pay, until kSolving
    importance::PaymentPlan solver;
    std::vector<importance::PaymentPlan::Payment> payments;
    size_t next_payment = 0;
    bool paid = false;  // at least one of them was made
  } plan_;
};

}  // namespace opic::node
