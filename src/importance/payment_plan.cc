#include "importance/payment_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace opic::importance {
namespace {

constexpr double kLeftAtAPage = 0.1;  // of an even share of what may be left: not worth a pass
// What a page may owe, and a node hold, is several times this, which no crawl comes near.
const double kPaymentsMax = 0.25 * static_cast<double>(cash::kSupply.units());

// Payments by their size, an eighth of a power of two each; all that is below a unit in the first.
constexpr int kClassesPerPower = 8;
constexpr size_t kClasses = 64 * kClassesPerPower;
size_t ClassOf(double amount) {
  const double size = std::abs(amount);
  return size < 1 ? 0 : static_cast<size_t>(kClassesPerPower * std::log2(size));
}

double SumOf(const std::vector<double>& amounts) {  // without signs
  double sum = 0;
  for (double amount : amounts) sum += std::abs(amount);
  return sum;
}

}  // namespace

void PaymentPlan::AddPage(size_t links, absl::Span<const uint32_t> inside,
                          absl::Span<const uint32_t> others) {
  OPIC_CHECK(inside.size() + others.size() <= links) << "more than all " << links << " links";
  targets_.insert(targets_.end(), inside.begin(), inside.end());
  ends_.push_back(targets_.size());
  other_targets_.insert(other_targets_.end(), others.begin(), others.end());
  other_ends_.push_back(other_targets_.size());
  for (uint32_t other : others) {
    if (other >= outgoing_.size()) outgoing_.resize(other + 1);
  }
  each_.push_back(links == 0 ? 0 : follow_ / static_cast<double>(links));
}

// A vector that has grown has room for twice what it holds, at most.
size_t PaymentPlan::BytesFor(size_t pages, size_t links, size_t others) {
  constexpr size_t kGrowing = 2;
  return kGrowing * (pages * (2 * sizeof(uint64_t) + sizeof(double)) + links * sizeof(uint32_t) +
                     others * sizeof(double)) +
         pages * 2 * sizeof(double);
}

void PaymentPlan::Begin(std::vector<double> cash, double left_max) {
  OPIC_CHECK(cash.size() == pages()) << cash.size() << " of " << pages() << " pages";
  left_ = std::move(cash);
  pays_.assign(pages(), 0);
  std::fill(outgoing_.begin(), outgoing_.end(), 0);
  WorkAgain(left_max);
}

void PaymentPlan::WorkAgain(double left_max) {
  left_max_ = left_max;
  passes_ = 0;
  next_ = 0;
}

bool PaymentPlan::Work(size_t links_max) {
  const double even = left_max_ / static_cast<double>(std::max(pages(), size_t{1}));
  const double ignored = kLeftAtAPage * even;
  for (size_t seen = 0; seen < links_max; ++seen, ++next_) {
    if (next_ == pages()) {
      next_ = 0;
      if (++passes_ > kPassesMax || Left() <= left_max_) return true;
    }
    const double pays = left_[next_];
    if (std::abs(pays) <= ignored) continue;
    left_[next_] = 0;
    pays_[next_] += pays;
    const double each = pays * each_[next_];
    const uint64_t begin = next_ == 0 ? 0 : ends_[next_ - 1], end = ends_[next_];
    for (uint64_t l = begin; l < end; ++l) left_[targets_[l]] += each;
    const uint64_t other_begin = next_ == 0 ? 0 : other_ends_[next_ - 1];
    const uint64_t other_end = other_ends_[next_];
    for (uint64_t l = other_begin; l < other_end; ++l) outgoing_[other_targets_[l]] += each;
    seen += end - begin + other_end - other_begin;
  }
  return false;
}

double PaymentPlan::Left() const { return SumOf(left_); }

double PaymentPlan::Away() const {
  double away = 0;
  for (size_t page = 0; page < pages(); ++page) {
    const uint64_t begin = page == 0 ? 0 : other_ends_[page - 1];
    away += std::abs(pays_[page]) * each_[page] * static_cast<double>(other_ends_[page] - begin);
  }
  return away;
}

std::vector<double> PaymentPlan::TakeOutgoing() {
  return std::exchange(outgoing_, std::vector<double>(outgoing_.size()));
}

// A page that does not pay keeps that much, and the pages it links to miss as much at most.
std::vector<PaymentPlan::Payment> PaymentPlan::Payments(double without_max) const {
  if (!(SumOf(pays_) <= kPaymentsMax)) return {};
  std::array<double, kClasses> sums{};  // of the payments in each class of size
  for (double pays : pays_) sums[ClassOf(pays)] += std::abs(pays);
  size_t least = 0;  // class
  for (double without = 0; least < kClasses; ++least) {
    without += (1 + follow_) * sums[least];
    if (without > without_max) break;
  }
  std::vector<Payment> payments;
  for (size_t page = 0; page < pages(); ++page) {
    const cash::Amount amount(std::llround(pays_[page]));
    if (ClassOf(pays_[page]) < least || amount.units() == 0) continue;
    payments.push_back({static_cast<uint32_t>(page), amount});
  }
  return payments;
}

}  // namespace opic::importance
