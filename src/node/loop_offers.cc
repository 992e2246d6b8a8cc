// Implements a part of node/ledger_loop.h. What the ledger's loop offers the Page Scheduler to be
// fetched: pages that are due to be read again, and those to be discovered.
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"
#include "desk/desk_counters.h"
#include "desk/store_failure.h"
#include "node/attention.h"
#include "node/ledger_loop.h"
#include "node/refresh_plan.h"

namespace opic::node {
namespace {

constexpr size_t kOffersPerTurn = 512;
constexpr size_t kSweepPart = 4;  // of the places for discovery, one in so many is the sweep's
constexpr uint64_t kSlotsPerTurn = 100'000;   // looked at
constexpr char kLedgerName[] = "the ledger";  // who could not read or write

}  // namespace

void LedgerLoop::TakeDirective() {
  if (!in_session_) return;
  {
    absl::MutexLock lock(&mu_);
    if (!new_directive_) return;
    directive_ = *std::exchange(new_directive_, std::nullopt);
  }
  if (directive_->strategy == strategy_kind_) return;
  strategy_kind_ = directive_->strategy;
  discovery_ = schedule::MakeStrategy(strategy_kind_, ledger_.charter().cluster_id);
}

void LedgerLoop::ServeDirective() {
  if (!directive_ || !in_session_) return;
  schedule::Offers answer;
  answer.directive = directive_->id;
  only_due_wait_ = false;
  OfferDue(answer);
  const size_t most = std::min<size_t>(directive_->want, kOffersPerTurn);
  if (unread_.eligible() > 0 && answer.offers.size() < most) {
    const size_t room = most - answer.offers.size();
    std::vector<schedule::Candidate> chosen =
        attention_->Take(room - room / kSweepPart, discovery_->threshold());
    discovery_->Choose(unread_, room - chosen.size(), kSlotsPerTurn, chosen);
    desk::EndOnStoreFailure(kLedgerName, OfferOrSettle(chosen, answer));
    if (answer.offers.empty() && unread_.eligible() > 0) return;  // go on in the next turn
  }
  answer.exhausted = reported_exhausted_ = !SomethingToOffer();
  // Pages that are due wait for their part of the rate.
  only_due_wait_ = answer.offers.empty() && !answer.exhausted;
  if (only_due_wait_) return;
  directive_.reset();
  link_->Send(std::move(answer));
}

bool LedgerLoop::SomethingToOffer() const {
  return unread_.eligible() > 0 || (refresh_ && refresh_->due() > 0);
}

// Pages that are due become unread, and are offered. While others are to be discovered they have
// their share of the places.
void LedgerLoop::OfferDue(schedule::Offers& answer) {
  if (!refresh_ || (exchange_ != nullptr && !crawl_.given())) return;
  size_t most = std::min<size_t>(directive_->want, kOffersPerTurn);
  if (unread_.eligible() > 0)
    most = static_cast<size_t>(std::ceil(static_cast<double>(most) * refresh_->share()));
  std::vector<schedule::Candidate> due = refresh_->TakeDue(most);
  // Those of shards that leave: whoever gets them sees that they are due.
  std::erase_if(due, [this](const schedule::Candidate& candidate) {
    return mover_.closed().Contains(candidate.page.shard());
  });
  std::vector<PageId> read;
  for (const schedule::Candidate& candidate : due) {
    if (ledger_.books().table().Find(candidate.page)->done) read.push_back(candidate.page);
  }
  ledger_.Reopen(read);
  desk::EndOnStoreFailure(kLedgerName, OfferOrSettle(due, answer));
}

void LedgerLoop::CountTrap(const PageScope::Verdict& verdict) {
  if (verdict.trap == url::Trap::kNone) return;
  ++offered_traps_[desk::CounterOf(verdict.trap)];
  if (!verdict.url) ++offered_traps_[desk::Counter::kTrapsSkipped];
}

// The node reads each chosen row once: pages in scope are offered, the others are visited without a
// fetch.
absl::Status LedgerLoop::OfferOrSettle(absl::Span<const schedule::Candidate> chosen,
                                       schedule::Offers& answer) {
  std::vector<std::string> keys;
  for (const schedule::Candidate& candidate : chosen) keys.push_back(ledger::KeyOf(candidate.page));
  std::vector<std::optional<std::string>> rows;
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kPage, keys, &rows));
  std::vector<ledger::Visit> out_of_scope;
  absl::flat_hash_set<PageId> seen;
  for (size_t i = 0; i < chosen.size(); ++i) {
    if (!seen.insert(chosen[i].page).second) continue;  // a walk may meet a page twice
    if (!rows[i]) return ledger::LacksRow(chosen[i].page);
    ASSIGN_OR_RETURN(const ledger::PageRow row, ledger::ReadPageRow(chosen[i].page, *rows[i]));
    const PageScope::Verdict verdict = Judge(row);
    CountTrap(verdict);
    if (!verdict.url) {
      ledger::Visit visit;
      visit.page = chosen[i].page;
      visit.kind = ledger::VisitKind::kOutOfScope;
      out_of_scope.push_back(std::move(visit));
      continue;
    }
    ledger_.table().SetOrdered(chosen[i].page, true);
    const double factor = attention_->FactorOf(*verdict.url);
    std::optional<absl::Time> due;
    if (refresh_) due = refresh_->OfferedSince(chosen[i].page);
    // What is due has its frequency for its cash, and in that the factor.
    const cash::Amount cash = due ? chosen[i].cash : schedule::Weighed(chosen[i].cash, factor);
    answer.offers.push_back({chosen[i].page, std::string(verdict.url->host()), cash,
                             factor >= Attention::kFavouredFrom, due});
  }
  return Record(out_of_scope);
}

}  // namespace opic::node
