// XML documents found per fetch: by cash alone, and by cash and interest (schedule/interest.h), on
// a web made for it.
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "schedule/favoured_pages.h"
#include "sim/experiment_push_order.h"
#include "sim/experiment_runs.h"
#include "sim/made_web.h"

namespace opic::sim {
namespace {

constexpr double kXmlPercents[] = {1, 2, 5, 10, 20, 30, 50, 75, 100};
constexpr uint64_t kSettled = 1;      // for each fetch, as the program has it by default
constexpr uint32_t kLooksAgain = 16;  // over all pages, in a whole crawl

PageId IdOf(uint32_t page) { return {ShardAt(0), page}; }

// By the cash of ledger push, times what the interest in the page makes of it: a list of favoured
// pages beside the richest one, as in node/attention.h.
class InterestOrder final : public OrderingPolicy {
 public:
  // `learns` false: only what the endings of URLs tell. `web` must outlive it.
  InterestOrder(const MadeWeb& web, double factor, bool learns)
      : web_(web),
        factor_(factor),
        learns_(learns),
        push_(web.graph.pages(), {}),
        favoured_(web.graph.pages()) {}

  void Found(uint32_t page) override {
    push_.bank().Birth(page);
    found_.push_back(page);
  }
  void Fetched(uint32_t page, absl::Span<const uint32_t> links) override {
    double best = 0;
    for (uint32_t found : found_) best = std::max(best, interest_.WorthOf(web_.forms[found]));
    const double wanted = web_.xml[page] ? 1 : 0;
    if (learns_) interest_.Learn(web_.forms[page], schedule::Interest::Worth(wanted, best));
    push_.bank().Visit(page, links);
    push_.Settle(kSettled);
    ListFound();
    if (++fetched_ % std::max(1U, push_.bank().pages() / kLooksAgain) == 0) ListAnew();
  }
  uint32_t Next() override {
    ListFound();  // the seeds
    const uint32_t richest = push_.bank().RichestUnread();
    const std::vector<schedule::Candidate> first =
        favoured_.Take(1, cash::Amount(push_.bank().CashOf(richest)), cash_of_);
    return first.empty() ? richest : static_cast<uint32_t>(first[0].page.id());
  }

 private:
  void ListFound() {
    for (uint32_t page : std::exchange(found_, {})) List(page);
  }
  void List(uint32_t page) {
    const double factor = interest_.FactorOf(web_.forms[page], factor_);
    if (factor > 1) favoured_.Add(IdOf(page), factor, cash_of_);
  }
  void ListAnew() {
    favoured_.Clear();
    for (uint32_t page = 0; page < push_.bank().pages(); ++page)
      if (push_.bank().StateOf(page) == PageState::kUnread) List(page);
  }

  const MadeWeb& web_;
  const double factor_;
  const bool learns_;
  PushSimulation push_;
  schedule::Interest interest_;
  schedule::FavouredPages favoured_;
  const std::function<std::optional<cash::Amount>(PageId)> cash_of_ =
      [this](PageId page) -> std::optional<cash::Amount> {
    const auto number = static_cast<uint32_t>(page.id());
    if (push_.bank().StateOf(number) != PageState::kUnread) return std::nullopt;
    return cash::Amount(std::max<int64_t>(push_.bank().CashOf(number), 0));
  };
  std::vector<uint32_t> found_;  // since the last fetch
  uint64_t fetched_ = 0;
};

class XmlFound {
 public:
  explicit XmlFound(const MadeWeb& web) : web_(web) {
    result_.table.columns = {"order", "percent", "xml_percent", "xml_per_fetch"};
    result_.table.keys = 2;
    result_.plot = {"XML documents found", "pages fetched, %", "XML found, %", Scale::kLinear, {}};
  }

  void Run(const std::string& name, OrderingPolicy& order, uint64_t seed) {
    std::vector<uint64_t> xml = {0};  // after so many fetches
    CrawlAll(web_.graph, order, seed,
             [&](uint32_t page) { xml.push_back(xml.back() + (web_.xml[page] ? 1 : 0)); });
    const auto all = static_cast<double>(std::max<uint64_t>(1, web_.xml_pages()));
    Series series{name, {{0, 0}}};
    for (double percent : kXmlPercents) {
      const double fetches = percent / 100 * static_cast<double>(web_.graph.pages());
      const size_t at = std::clamp<size_t>(static_cast<size_t>(fetches), 1, xml.size() - 1);
      const double part = 100.0 * static_cast<double>(xml[at]) / all;
      series.points.emplace_back(percent, part);
      result_.table.rows.push_back(
          {name, absl::StrFormat("%g", percent), absl::StrFormat("%.2f", part),
           absl::StrFormat("%.4f", static_cast<double>(xml[at]) / static_cast<double>(at))});
    }
    result_.plot.series.push_back(std::move(series));
  }
  ExperimentResult& result() { return result_; }

 private:
  const MadeWeb& web_;
  ExperimentResult result_;
};

}  // namespace

ExperimentResult InterestInXml(const graph::Graph& graph, const ExperimentOptions& options) {
  const MadeWeb web = MadeWeb::Of(graph.pages(), options.seed);
  XmlFound found(web);
  const auto by_interest = [&](const std::string& name, double factor, bool learns) {
    InterestOrder order(web, factor, learns);
    found.Run(name, order, options.seed);
  };
  PushOrder cash(web.graph.pages(), kSettled);
  found.Run("cash", cash, options.seed);
  found.Run("random", *RandomOrder(options.seed), options.seed);
  by_interest("endings alone, factor 100", 100, /*learns=*/false);
  for (const double factor : {10.0, 100.0, 1000.0})
    by_interest(absl::StrFormat("interest, factor %g", factor), factor, /*learns=*/true);
  return std::move(found.result());
}

}  // namespace opic::sim
