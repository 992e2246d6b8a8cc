// Ledger push over a graph: who is settled next, and how much.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/threshold_sweep.h"
#include "sim/push_bank.h"

namespace opic::sim {

// The pages read so far, with the size of their cash, debt or not: what the sweep chooses from.
class ReadPages final : public schedule::Pool {
 public:
  // `bank` must outlive it.
  explicit ReadPages(const PushBank& bank) : bank_(bank) {}

  uint64_t eligible() const override { return bank_.read_pages(); }
  uint64_t slots() const override { return bank_.pages(); }
  cash::Amount mean_cash() const override;
  bool Walk(uint64_t slots_max, absl::FunctionRef<void(const schedule::Candidate&)> visit) override;
  void Jump(uint64_t draw) override { at_ = static_cast<uint32_t>(draw % bank_.pages()); }

 private:
  const PushBank& bank_;
  uint32_t at_ = 0;
};

// How much more than its cash a settled page pays.
class PayingAhead {
 public:
  virtual ~PayingAhead() = default;
  virtual int64_t Beyond(int64_t cash, bool has_links) = 0;
  // That page has paid; the cash of all read pages, signs apart, is `held` now.
  virtual void Paid(Money held) = 0;
};

// Thread safety: confined to the owner thread.
class PushSimulation {
 public:
  // `pages` bounds the page numbers; none is known.
  PushSimulation(uint32_t pages, const PushOptions& options)
      : bank_(pages, options), read_(bank_) {}
  PushSimulation(const PushSimulation&) = delete;

  // From now on settled pages pay ahead; `ahead` must outlive the simulation.
  void set_paying_ahead(PayingAhead* ahead) { ahead_ = ahead; }

  // Settles `visits` times the page that the threshold sweep over |C| finds next; fewer when all
  // read pages are at rest. Returns how many.
  uint64_t Settle(uint64_t visits);
  // Settles while the cash on read pages, signs apart, is more than `tau` of all bases, at most
  // `visits_max` times. Returns how many.
  uint64_t SettleTo(double tau, uint64_t visits_max);

  PushBank& bank() { return bank_; }
  const PushBank& bank() const { return bank_; }

 private:
  void SettleOne(uint32_t page);

  PushBank bank_;
  PayingAhead* ahead_ = nullptr;
  ReadPages read_;
  schedule::ThresholdSweep sweep_;
  std::vector<schedule::Candidate> chosen_;
};

}  // namespace opic::sim
