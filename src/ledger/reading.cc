#include "ledger/reading.h"

#include <algorithm>
#include <utility>

namespace opic::ledger {
namespace {

std::vector<PageId> SortedTargets(const std::vector<Link>& links, PageId self) {
  std::vector<PageId> targets;
  targets.reserve(links.size());
  for (const Link& link : links) {
    if (link.page != self) targets.push_back(link.page);
  }
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  // It is kept. Most links of a page may be to the same few.
  if (targets.capacity() > 2 * targets.size()) targets.shrink_to_fit();
  return targets;
}

// Whether the links from before stay, although the visit brought others or none.
bool KeepsLinks(VisitKind kind, const HistoryRow& before) {
  switch (kind) {
    case VisitKind::kGone:
    case VisitKind::kRedirect:
      return !before.doubted;
    case VisitKind::kForbidden:
    case VisitKind::kFailed:
    case VisitKind::kOutOfScope:
      return true;
    default:
      return false;
  }
}

}  // namespace

HistoryRow RowAfter(const Visit& visit, const HistoryRow& before, bool confirm_losses) {
  HistoryRow row = before;
  if (!visit.plan.empty()) row.plan = visit.plan;
  row.http_status = visit.http_status;
  if (visit.at != 0) {
    row.fetched_at = visit.at;
    ++row.fetches;
  }
  if (visit.kind == VisitKind::kNotModified) {
    row.kind = VisitKind::kFetched;
    row.doubted = false;
    return row;
  }
  row.kind = visit.kind;
  row.etag = visit.etag;
  row.last_modified = visit.last_modified;
  row.content_hash = visit.content_hash;
  std::vector<PageId> links = SortedTargets(visit.links, visit.page);
  const bool keeps = confirm_losses && !before.links.empty() && links != before.links &&
                     KeepsLinks(visit.kind, before);
  if (!keeps) {
    row.links = std::move(links);
    row.doubted = false;
  } else if (visit.kind == VisitKind::kGone || visit.kind == VisitKind::kRedirect) {
    row.doubted = true;
  }
  return row;
}

}  // namespace opic::ledger
