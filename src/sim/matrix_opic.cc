#include "sim/matrix_opic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace opic::sim {
namespace {

// Strategies compare whole units. Cash strays from the supply while r is being learnt.
constexpr double kUnits = 1e12, kUnitsMax = 1e18;

cash::Amount ToUnits(double cash) {
  return cash::Amount(static_cast<uint64_t>(std::min(cash * kUnits, kUnitsMax)));
}

}  // namespace

// All pages, in the order of their numbers.
class MatrixOpic::CashPool final : public schedule::Pool {
 public:
  explicit CashPool(const MatrixOpic& opic) : cash_(opic.cash_) {}
  uint64_t eligible() const override { return cash_.size(); }
  uint64_t slots() const override { return cash_.size(); }
  cash::Amount mean_cash() const override {
    const double sum = std::accumulate(cash_.begin(), cash_.end(), 0.0);
    return ToUnits(sum / static_cast<double>(cash_.size()));
  }
  bool Walk(uint64_t slots, absl::FunctionRef<void(const schedule::Candidate&)> visit) override {
    bool wrapped = false;
    for (; slots > 0; --slots) {
      visit({PageId(ShardId{0}, at_), ToUnits(cash_[at_])});
      if (++at_ == cash_.size()) at_ = 0, wrapped = true;
    }
    return wrapped;
  }
  void Jump(uint64_t draw) override { at_ = draw % cash_.size(); }

 private:
  const std::vector<double>& cash_;
  size_t at_ = 0;
};

MatrixOpic::MatrixOpic(const graph::Graph& graph, const MatrixOpicOptions& options)
    : graph_(graph),
      damping_(options.damping),
      batch_(options.batch != 0 ? options.batch : std::max<uint64_t>(1, graph.pages() / 256)),
      cash_(graph.pages(), 1.0 / graph.pages()),
      history_(graph.pages(), 0.0),
      pool_(std::make_unique<CashPool>(*this)),
      strategy_(schedule::MakeStrategy(options.strategy, options.seed)) {
  OPIC_CHECK(graph.pages() > 0 && (graph.links() > 0 || damping_ < 1)) << "nothing can be paid";
  if (options.strategy != schedule::StrategyKind::kGreedy || options.batch != 0) return;
  by_cash_.emplace(graph.pages());
  for (uint32_t page = 0; page < graph.pages(); ++page) Reorder(page);
}

MatrixOpic::~MatrixOpic() = default;

void MatrixOpic::Run(uint64_t visits) {
  if (!by_cash_) return Choose(visits);
  for (; visits > 0; --visits) Visit(by_cash_->Top());
}

void MatrixOpic::Reorder(uint32_t page) {
  if (by_cash_) by_cash_->Set(page, cash_[page]);
}

void MatrixOpic::Choose(uint64_t visits) {
  int idle_turns = 0;
  while (visits > 0) {
    chosen_.clear();
    strategy_->Choose(*pool_, std::min(visits, batch_), pool_->slots(), chosen_);
    for (const schedule::Candidate& page : chosen_) Visit(static_cast<uint32_t>(page.page.id()));
    visits -= chosen_.size();
    idle_turns = chosen_.empty() ? idle_turns + 1 : 0;
    OPIC_CHECK(idle_turns < 10'000) << "the strategy chooses nothing";
  }
}

void MatrixOpic::Visit(uint32_t page) {
  const auto links = graph_.LinksOf(page);
  const double cash = cash_[page];
  cash_[page] = 0;
  history_[page] += cash;
  clock_ += cash;
  paid_ += cash * ColumnSum(links.size());
  if (paid_ > 0) {  // else nobody was paid so far, and this page pays nobody either
    const double scaled = cash / (eigenvalue() * correction_);
    for (const uint32_t link : links) {
      cash_[link] += damping_ * scaled;
      Reorder(link);
    }
    virtual_cash_ += (1 - damping_) * scaled;
    all_cash_ += scaled * ColumnSum(links.size());
  }
  Reorder(page);
  all_cash_ -= cash;
  all_cash_summed_ += all_cash_;
  // The virtual page pays all pages twelve times a crawl, as OpicBank's does.
  if (++visits_ % std::max<uint64_t>(1, cash_.size() / 12) == 0) Sweep();
  if (visits_ % cash_.size() == 0) Correct();
}

// A crawl turns the cash over a few times: a larger power would make it swing. As r is known better
// the cash strays less, and a smaller one keeps chance out of the result.
void MatrixOpic::Correct() {
  const auto pages = static_cast<double>(cash_.size());
  const double crawls = static_cast<double>(visits_) / pages;
  correction_ = std::pow(all_cash_summed_ / pages, 1 / (8 + crawls));
  all_cash_summed_ = 0;
  // Added up anew, lest rounding errors do.
  all_cash_ = std::accumulate(cash_.begin(), cash_.end(), virtual_cash_);
}

void MatrixOpic::Sweep() {
  const double each = virtual_cash_ / static_cast<double>(cash_.size());
  for (uint32_t page = 0; page < cash_.size(); ++page) {
    cash_[page] += each;
    Reorder(page);
  }
  virtual_cash_ = 0;
}

std::vector<double> MatrixOpic::Importance() const {
  const double initial = 1.0 / static_cast<double>(cash_.size());
  std::vector<double> importance(cash_.size());
  double sum = 0;
  for (size_t i = 0; i < cash_.size(); ++i) {
    sum += importance[i] = std::max(0.0, history_[i] + cash_[i] - initial);
  }
  if (sum == 0) return std::vector<double>(cash_.size(), initial);
  for (double& x : importance) x /= sum;
  return importance;
}

}  // namespace opic::sim
