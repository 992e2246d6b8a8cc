#include "node/answers.h"

#include <algorithm>

#include "base/status_macros.h"

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

Answers::TopPages WithBounds(const ledger::Ledger& ledger, std::vector<PageImportance> pages) {
  Answers::TopPages top;
  top.pages = std::move(pages);
  top.known = ledger.books().table().totals().pages;
  top.clock = static_cast<double>(ledger.cluster().clock()) /
              static_cast<double>(ledger.charter().supply.units());
  top.method = ledger.charter().method;
  top.error_bound = ledger.ErrorBound();
  return top;
}

}  // namespace opic::node
