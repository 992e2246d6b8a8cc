#include "desk/canonical.h"

#include <optional>
#include <string>

#include "base/status_macros.h"
#include "desk/left_out.h"
#include "url/scope.h"

namespace opic::desk {
namespace {

// The one page that a page pays alone, as it was read last.
std::optional<PageId> PaidAlone(const ledger::HistoryRow& row) {
  const LeftOut left_out = LeftOutInRow(row.http_status);
  const bool passes =
      row.kind == ledger::VisitKind::kRedirect || left_out.canonical || left_out.duplicate;
  return passes && row.links.size() == 1 ? std::optional(row.links.front()) : std::nullopt;
}

}  // namespace

bool AreOfOneSite(const url::Url& a, const url::Url& b) {
  return a.host() == b.host() ||
         url::RegistrableDomain(a.host()) == url::RegistrableDomain(b.host());
}

absl::StatusOr<bool> LeadsBack(PageId from, PageId page, store::Store& store,
                               const importance::Window& window) {
  for (int hop = 0; hop < kCanonicalHops; ++hop) {
    ASSIGN_OR_RETURN(const std::optional<std::string> row,
                     store.Get(store::Table::kHistory, ledger::KeyOf(from)));
    if (!row) return false;
    ASSIGN_OR_RETURN(const ledger::HistoryRow history, ledger::ReadHistoryRow(from, *row, window));
    const std::optional<PageId> next = PaidAlone(history);
    if (!next) return false;
    if (*next == page) return true;
    from = *next;
  }
  return false;
}

}  // namespace opic::desk
