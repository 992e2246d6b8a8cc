#include "sim/push_bank.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace opic::sim {
namespace {

Money FloorDivide(Money a, Money b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

Money Size(int64_t amount) { return amount < 0 ? -Money{amount} : Money{amount}; }

int64_t Narrow(Money amount) {
  OPIC_CHECK(amount >= std::numeric_limits<int64_t>::min() &&
             amount <= std::numeric_limits<int64_t>::max())
      << "more than a page can hold";
  return static_cast<int64_t>(amount);
}

// Calls visit(page, in `before`, in `now`) for every page of two ascending lists.
template <typename Visitor>
void EachOfEither(absl::Span<const uint32_t> before, absl::Span<const uint32_t> now,
                  const Visitor& visit) {
  for (size_t a = 0, b = 0; a < before.size() || b < now.size();) {
    const bool old = b == now.size() || (a < before.size() && before[a] <= now[b]);
    const bool kept = a == before.size() || (b < now.size() && now[b] <= before[a]);
    visit(old ? before[a] : now[b], old, kept);
    a += old, b += kept;
  }
}

}  // namespace

PushBank::PushBank(uint32_t pages, const PushOptions& options)
    : options_(options),
      draws_(options.seed),
      state_(pages),
      cash_(pages),
      history_(pages),
      base_(pages),
      links_(pages),
      unread_(pages),
      reserve_(options.supply) {}

int64_t PushBank::Paid(int64_t history, size_t links) const {
  if (links == 0) return 0;
  const Money whole = Money{1} << 32;  // epsilon counts in these parts
  return Narrow(
      FloorDivide((whole - options_.epsilon.parts) * history, whole * static_cast<Money>(links)));
}

void PushBank::Birth(uint32_t page) {
  if (state_[page] != PageState::kUnknown) return;
  state_[page] = PageState::kUnread;
  unread_.Set(page, 0);
  if (restating()) restated_[page] = 1;  // without a history it has nothing to restate
  SetBase(page, options_.base);
}

void PushBank::Learn(uint32_t page, absl::Span<const uint32_t> links) {
  OPIC_CHECK(state_[page] == PageState::kUnread) << "page " << page << " is no unread page";
  for (const uint32_t link : links) Birth(link);
  MarkRead(page);  // P of no history is nothing: nobody is owed anything
  links_[page].assign(links.begin(), links.end());
}

void PushBank::Visit(uint32_t page, absl::Span<const uint32_t> links, int64_t beyond) {
  OPIC_CHECK(state_[page] != PageState::kUnknown) << "page " << page << " was never met";
  for (const uint32_t link : links) Birth(link);
  MarkRead(page);
  const int64_t recorded = Narrow(Money{cash_[page]} + beyond), before = history_[page];
  const int64_t now = Narrow(Money{before} + recorded);
  SetCash(page, 0);
  history_[page] = now;
  read_history_ += recorded;
  if (restating() && restated_[page]) second_[page] = Narrow(Money{second_[page]} - recorded);

  std::vector<uint32_t>& known = links_[page];
  const int64_t old_paid = Paid(before, known.size()), new_paid = Paid(now, links.size());
  taken_ += recorded;
  EachOfEither(known, links, [&](uint32_t target, bool was, bool is) {
    const int64_t due = (is ? new_paid : 0) - (was ? old_paid : 0);
    if (due == 0) return;
    taken_ -= due;
    Pay(page, target, due);
  });
  if (links.data() != known.data()) known.assign(links.begin(), links.end());
  if (beyond != 0) Credit(page, -beyond);
  ++visits_;
}

void PushBank::SetBase(uint32_t page, int64_t base) {
  OPIC_CHECK(state_[page] != PageState::kUnknown) << "page " << page << " was never met";
  const int64_t more = base - base_[page];
  base_[page] = base;
  base_sum_ += more;
  if (state_[page] == PageState::kUnread) unread_base_ += more;
  reserve_ -= more;
  if (restating()) second_[page] += more;
  Credit(page, more);
}

void PushBank::Pay(uint32_t from, uint32_t to, int64_t amount) {
  ++credits_;
  if (restating() && restated_[from]) second_[to] = Narrow(Money{second_[to]} + amount);
  if (post_ != nullptr) {
    post_->Take(from, to, amount);
  } else {
    Credit(to, amount);
  }
}

void PushBank::Credit(uint32_t page, int64_t amount) {
  OPIC_CHECK(state_[page] != PageState::kUnknown) << "page " << page << " was never met";
  const int64_t exact = Narrow(Money{cash_[page]} + amount), kept = CellOf(exact);
  rounded_ += exact - kept;
  SetCash(page, kept);
}

int64_t PushBank::CellOf(int64_t amount) {
  if (options_.cells.rounding == Rounding::kExact) return amount;
  return Kept(options_.cells, amount, draws_());
}

void PushBank::SetCash(uint32_t page, int64_t cash) {
  const int64_t before = cash_[page];
  cash_[page] = cash;
  if (state_[page] == PageState::kRead) {
    read_cash_ += Money{cash} - before;
    read_size_ += Size(cash) - Size(before);
  } else {
    unread_cash_ += Money{cash} - before;
    unread_.Set(page, cash);
  }
}

void PushBank::MarkRead(uint32_t page) {
  if (state_[page] == PageState::kRead) return;
  const int64_t cash = cash_[page];
  SetCash(page, 0);
  unread_.Remove(page);
  unread_base_ -= base_[page];
  state_[page] = PageState::kRead;
  ++read_pages_;
  SetCash(page, cash);
}

std::vector<int64_t> PushBank::Restated() const {
  std::vector<int64_t> cash(pages());
  for (uint32_t page = 0; page < pages(); ++page) {
    cash[page] = Narrow(Money{cash[page]} + base_[page] - history_[page]);
    const int64_t paid = Paid(history_[page], links_[page].size());
    for (const uint32_t link : links_[page]) cash[link] = Narrow(Money{cash[link]} + paid);
  }
  return cash;
}

void PushBank::Restate() {
  const std::vector<int64_t> exact = Restated();
  taken_ = TakenByRows();
  rounded_ = 0;
  for (uint32_t page = 0; page < pages(); ++page) {
    if (state_[page] == PageState::kUnknown) continue;
    SetCash(page, CellOf(exact[page]));
    rounded_ += Money{exact[page]} - cash_[page];
  }
}

void PushBank::BeginRestating() {
  OPIC_CHECK(post_ == nullptr) << "credits on their way are not told apart";
  second_.assign(base_.begin(), base_.end());
  restated_.assign(pages(), 0);
  restate_at_ = 0;
}

bool PushBank::RestateNext(uint32_t pages_now) {
  OPIC_CHECK(restating());
  for (; pages_now > 0 && restate_at_ < pages(); --pages_now, ++restate_at_) {
    if (restated_[restate_at_]) continue;  // born since
    restated_[restate_at_] = 1;
    const int64_t paid = Paid(history_[restate_at_], links_[restate_at_].size());
    second_[restate_at_] = Narrow(Money{second_[restate_at_]} - history_[restate_at_]);
    for (const uint32_t link : links_[restate_at_]) {
      second_[link] = Narrow(Money{second_[link]} + paid);
    }
  }
  if (restate_at_ < pages()) return false;
  taken_ = TakenByRows();
  rounded_ = 0;
  for (uint32_t page = 0; page < pages(); ++page) {
    if (state_[page] == PageState::kUnknown) continue;
    SetCash(page, CellOf(second_[page]));
    rounded_ += Money{second_[page]} - cash_[page];
  }
  second_.clear();
  return true;
}

void PushBank::LosePage(uint32_t page) {
  OPIC_CHECK(state_[page] != PageState::kUnknown) << "page " << page << " was never met";
  SetCash(page, 0);
  if (state_[page] == PageState::kRead) {
    read_history_ -= history_[page];
    --read_pages_;
    unread_base_ += base_[page];
    state_[page] = PageState::kUnread;
  }
  history_[page] = 0;
  links_[page].clear();
  SetCash(page, CellOf(base_[page]));
}

Money PushBank::TakenByRows() const {
  Money taken = 0;
  for (uint32_t page = 0; page < pages(); ++page) {
    const auto links = static_cast<Money>(links_[page].size());
    taken += history_[page] - links * Paid(history_[page], links_[page].size());
  }
  return taken;
}

double PushBank::Beta(uint32_t page) const {
  return base_sum_ == 0 ? 0 : static_cast<double>(base_[page]) / static_cast<double>(base_sum_);
}

std::vector<double> PushBank::EstimateUnbounded() const {
  std::vector<double> estimate(pages());
  const auto flow_now = static_cast<double>(flow()), waiting = static_cast<double>(read_cash_);
  for (uint32_t page = 0; page < pages(); ++page) {
    const auto own = static_cast<double>(Money{history_[page]} + cash_[page]);
    estimate[page] = flow_now == 0 ? 0 : (own - waiting * Beta(page)) / flow_now;
  }
  return estimate;
}

std::vector<double> PushBank::Estimate() const {
  std::vector<double> estimate = EstimateUnbounded();
  const double epsilon = options_.epsilon.share();
  for (uint32_t page = 0; page < pages(); ++page) {
    estimate[page] = std::max(epsilon * Beta(page), estimate[page]);
  }
  return estimate;
}

double PushBank::Bound() const {
  if (flow() <= 0) return std::numeric_limits<double>::infinity();
  const auto waiting = static_cast<double>(read_cash_);
  double residual = base_sum_ == 0 ? 0
                                   : std::abs(waiting) * static_cast<double>(unread_base_) /
                                         static_cast<double>(base_sum_);
  for (uint32_t page = 0; page < pages(); ++page) {
    if (state_[page] != PageState::kRead) continue;
    residual += std::abs(static_cast<double>(cash_[page]) - waiting * Beta(page));
  }
  const double epsilon = options_.epsilon.share();
  return (1 - epsilon) / epsilon * residual / static_cast<double>(flow());
}

}  // namespace opic::sim
