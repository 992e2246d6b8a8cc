#include "sim/opic_bank.h"

#include <algorithm>
#include <string>

namespace opic::sim {

OpicBank::OpicBank(const BankOptions& options)
    : epsilon_(options.epsilon),
      edge_weight_(options.edge_weight),
      unread_share_(options.unread_share),
      supply_(options.supply),
      unshared_(options.supply) {
  OPIC_CHECK(edge_weight_ >= 0 && unread_share_ >= 0 && unread_share_ <= 1)
      << edge_weight_ << ", " << unread_share_;
  for (const importance::WindowOptions& window : options.windows) {
    kept_.push_back({importance::Window(window), {}});
  }
}

uint32_t OpicBank::AddPage() {
  OPIC_CHECK(endowment_ == cash::Amount()) << "the pages were endowed";
  cash_.emplace_back();
  history_.push_back(0);
  met_at_.push_back(owed_each_);
  unread_met_at_.push_back(owed_unread_);
  read_.push_back(0);
  ++unread_pages_;
  for (Kept& kept : kept_) kept.histories.push_back(kept.window.Discovered(clock_, 0, 0));
  return pages() - 1;
}

void OpicBank::EndowEvenly() {
  OPIC_CHECK(visits_ == 0 && pages() > 0) << "the bank has opened";
  Sweep(pages());
  endowment_ = cash_.front();
  unspent_ = on_pages_;
}

void OpicBank::Sweep(uint64_t pages_met) {
  if (pages() == 0) return;
  if (unread_share_ > 0 && unread_pages_ > 0) {
    // Which part goes where is a matter of taste, how much cash there is not.
    const double wanted = static_cast<double>(unshared_.units()) * unread_share_;
    const uint64_t to_unread =
        std::min(static_cast<uint64_t>(unshared_.units()), static_cast<uint64_t>(wanted));
    const cash::Amount each_unread(to_unread / unread_pages_);
    unshared_ -= cash::Amount(each_unread.units() * unread_pages_);
    owed_unread_ += each_unread.units();
  }
  const cash::Amount each(unshared_.units() / pages());
  unshared_ -= cash::Amount(each.units() * pages());
  owed_each_ += each.units();
  for (uint64_t met = std::min<uint64_t>(pages_met, pages()); met > 0; --met) {
    const cash::Amount owed(owed_each_ - met_at_[sweep_at_]);
    met_at_[sweep_at_] = owed_each_;
    Receive(sweep_at_, owed + OwedUnread(sweep_at_));
    unread_met_at_[sweep_at_] = owed_unread_;
    if (++sweep_at_ == pages()) sweep_at_ = 0;
  }
}

void OpicBank::Receive(uint32_t page, cash::Amount owed) {
  cash_[page] += owed;
  on_pages_ += owed;
}

cash::SmallEdge OpicBank::SmallEdgeOf(size_t links) const {
  if (edge_weight_ == 0) return epsilon_;
  return cash::SmallEdge::FromShare(edge_weight_ / (static_cast<double>(links) + edge_weight_));
}

void OpicBank::Visit(uint32_t page, absl::Span<const uint32_t> links) {
  if (!read_[page]) {  // it will be owed nothing as an unread page any more
    Receive(page, OwedUnread(page));
    read_[page] = 1;
    --unread_pages_;
  }
  const cash::Amount paid = cash_[page], unspent = UnspentOn(page);
  unspent_ -= unspent;
  cash_[page] = cash::Amount();
  history_[page] += paid.units();
  clock_ += paid.units();
  earned_clock_ += (paid - unspent).units();
  ++visits_;
  for (Kept& kept : kept_) kept.window.Visit(kept.histories[page], paid - unspent, earned_clock_);

  const cash::Split split = cash::SplitCash(paid, links.size(), SmallEdgeOf(links.size()));
  for (uint32_t link : links) cash_[link] += split.per_link;
  on_pages_ -= split.virtual_share;
  unshared_ += split.virtual_share;
  Sweep(kSweepPerVisit);
}

cash::Amount OpicBank::virtual_cash() const {
  cash::Amount held = unshared_;
  for (uint32_t page = 0; page < pages(); ++page) {
    held += cash::Amount(owed_each_ - met_at_[page]) + OwedUnread(page);
  }
  return held;
}

std::vector<double> OpicBank::Importance() const {
  const double total = static_cast<double>(earned_clock_ + (on_pages_ - unspent_).units());
  std::vector<double> importance(pages());
  for (uint32_t i = 0; i < pages() && total > 0; ++i) {
    importance[i] =
        static_cast<double>(history_[i] + cash_[i].units() - endowment_.units()) / total;
  }
  return importance;
}

std::vector<double> OpicBank::PlainImportance() const {
  const double total = static_cast<double>(clock_ + supply_.units());
  std::vector<double> importance(pages());
  for (uint32_t i = 0; i < pages(); ++i) {
    importance[i] = static_cast<double>(history_[i] + cash_[i].units()) / total;
  }
  return importance;
}

std::vector<double> OpicBank::WindowImportance(size_t window) const {
  const Kept& kept = kept_[window];
  std::vector<double> importance(pages());
  for (uint32_t i = 0; i < pages(); ++i) {
    importance[i] = kept.window.Estimate(kept.histories[i], cash_[i] - UnspentOn(i), earned_clock_,
                                         (on_pages_ - unspent_).units());
  }
  return importance;
}

double OpicBank::MeasuresPerPage(size_t window) const {
  const Kept& kept = kept_[window];
  const importance::WindowKind kind = kept.window.options().kind;
  if (kind == importance::WindowKind::kNone || kind == importance::WindowKind::kInterpolation)
    return 1;
  uint64_t measures = 0;
  for (const importance::History& history : kept.histories) measures += history.measures.size();
  return pages() == 0 ? 0 : static_cast<double>(measures) / pages();
}

double OpicBank::StoredBytesPerPage(size_t window) const {
  const Kept& kept = kept_[window];
  uint64_t bytes = 0;
  std::string row;
  for (const importance::History& history : kept.histories) {
    row.clear();
    kept.window.Encode(history, row);
    bytes += row.size();
  }
  return pages() == 0 ? 0 : static_cast<double>(bytes) / pages();
}

}  // namespace opic::sim
