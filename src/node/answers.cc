#include "node/answers.h"

#include "base/status_macros.h"
#include "node/page_scope.h"
#include "node/ranking.h"
#include "node/top_of_great.h"
#include "node/top_of_site.h"

namespace opic::node {

absl::StatusOr<std::vector<PageImportance>> AnswerImportance(const ledger::Ledger& ledger,
                                                             store::Store& store,
                                                             const url::UrlHash& hash,
                                                             const std::vector<std::string>& urls) {
  std::vector<PageImportance> pages;
  for (const std::string& url : urls) {
    ASSIGN_OR_RETURN(PageImportance page, ImportanceOf(ledger, store, hash, url));
    pages.push_back(std::move(page));
  }
  return pages;
}

bool WaitsToBeFetched(const PageImportance& page, absl::Time now) {
  if (!page.known) return false;
  return page.state == kUnreadState || (page.due > 0 && page.due <= absl::ToUnixSeconds(now));
}

PageExplanation ExplanationOf(PageImportance page, absl::Time now) {
  PageExplanation explanation;
  explanation.trap = TrapAt(page.url, now);
  explanation.page = std::move(page);
  return explanation;
}

namespace {

// With what tells how far the pages can be trusted.
Answers::TopPages WithBounds(const ledger::Ledger& ledger) {
  Answers::TopPages top;
  top.known = ledger.books().table().totals().pages;
  top.clock = static_cast<double>(ledger.cluster().clock()) /
              static_cast<double>(ledger.charter().supply.units());
  top.method = ledger.charter().method;
  top.error_bound = ledger.ErrorBound();
  return top;
}

std::unique_ptr<PageSearch> SearchFor(const ledger::Ledger& ledger, store::Store& store,
                                      size_t count, PageFilter filter, GreatPages* great) {
  const bool push = ledger.charter().method == importance::Method::kPush;
  if (great != nullptr && push && filter.empty())
    return std::make_unique<TopOfGreat>(ledger, store, *great, count);
  if (filter.names_site())
    return std::make_unique<TopOfSite>(ledger, store, count, std::move(filter));
  return std::make_unique<TopScan>(ledger, store, count, std::move(filter));
}

// One step, and more until they have taken `at_once`. True: finished.
absl::StatusOr<bool> StepFor(PageSearch& search, absl::Duration at_once) {
  const absl::Time begin = absl::Now();
  for (;;) {
    ASSIGN_OR_RETURN(const bool finished, search.Step());
    if (finished || search.reads_ahead() || absl::Now() - begin >= at_once) return finished;
  }
}

}  // namespace

absl::Status CheckWanted(const GivenUp& given_up) {
  if (given_up && given_up()) return absl::CancelledError("nobody waits for the answer any more");
  return absl::OkStatus();
}

absl::StatusOr<Answers::TopPages> AnswerTop(const ledger::Ledger& ledger, store::Store& store,
                                            const TopQuery& query, RunOnLedger on_ledger,
                                            GreatPages* great, absl::Duration at_once) {
  ASSIGN_OR_RETURN(const PageFilter filter, Checked(query.filter));
  const std::unique_ptr<PageSearch> search = SearchFor(ledger, store, query.count, filter, great);
  Answers::TopPages top;
  for (bool finished = false; !finished;) {
    RETURN_IF_ERROR(CheckWanted(query.given_up));
    RETURN_IF_ERROR(search->ReadAhead());
    RETURN_IF_ERROR(on_ledger([&]() -> absl::Status {
      ASSIGN_OR_RETURN(finished, StepFor(*search, at_once));
      if (finished) top = WithBounds(ledger);
      return absl::OkStatus();
    }));
  }
  top.pages = search->TakeResult();
  top.matching = filter.empty() ? top.known : search->matching();
  return top;
}

}  // namespace opic::node
