#include "sample/truth.h"

#include "absl/strings/str_format.h"
#include "graph/pagerank.h"

namespace opic::sample {
namespace {

constexpr uint32_t kNotRanked = UINT32_MAX;

const char* StateName(const Web& web, const PageTruth& page) {
  if (page.state.presence == Presence::kGone) return "gone";
  switch (web.pages[page.page].kind) {
    case PageKind::kDead:
      return "dead";
    case PageKind::kForbidden:
      return "forbidden";
    case PageKind::kRedirect:
      return "redirect";
    default:
      return "there";
  }
}

void Rank(const Web& web, std::vector<PageTruth>& truth) {
  std::vector<uint32_t> numbers(web.pages.size(), kNotRanked);
  for (const PageTruth& page : truth) {
    if (page.state.presence == Presence::kThere) numbers[page.page] = 0;
    for (const uint32_t to : page.state.links) numbers[to] = 0;
  }
  uint32_t count = 0;
  for (uint32_t& number : numbers) {
    if (number != kNotRanked) number = count++;
  }
  std::vector<graph::Edge> edges;
  for (const PageTruth& page : truth) {
    for (const uint32_t to : page.state.links) {
      edges.push_back({numbers[page.page], numbers[to]});
    }
  }
  const std::vector<double> importance =
      graph::PageRank(graph::Graph::FromEdges(count, std::move(edges)));
  for (PageTruth& page : truth) {
    if (numbers[page.page] != kNotRanked) page.importance = importance[numbers[page.page]];
  }
}

}  // namespace

std::vector<PageTruth> TruthAt(const ChangingWeb& web, absl::Time now) {
  std::vector<PageTruth> truth;
  for (uint32_t page = 0; page < web.web().pages.size(); ++page) {
    PageState state = web.StateOf(page, now);
    if (state.presence == Presence::kNotYet) break;  // newcomers are in the order of their days
    truth.push_back({page, std::move(state), 0});
  }
  Rank(web.web(), truth);
  return truth;
}

std::string TruthTable(const ChangingWeb& web, absl::Time now) {
  std::string out = "# importance\turl\tstate\tchanges\trate\tchanged\n";
  for (const PageTruth& page : TruthAt(web, now)) {
    absl::StrAppendFormat(
        &out, "%.17g\t%s\t%s\t%u\t%.6g\t%s\n", page.importance, web.web().UrlOf(page.page),
        StateName(web.web(), page), page.state.changes, page.state.rate,
        absl::FormatTime(absl::RFC3339_full, page.state.modified, absl::UTCTimeZone()));
  }
  return out;
}

std::string LinkTable(const ChangingWeb& web, absl::Time now) {
  std::string out;
  for (const PageTruth& page : TruthAt(web, now)) {
    const std::string from = web.web().UrlOf(page.page);
    for (const uint32_t to : page.state.links) {
      absl::StrAppendFormat(&out, "%s\t%s\n", from, web.web().UrlOf(to));
    }
  }
  return out;
}

}  // namespace opic::sample
