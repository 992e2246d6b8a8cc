#include "cli/host_figures.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "node/page_scope.h"
#include "url/url.h"

namespace opic::cli {
namespace {

using ledger::VisitKind;

// Of its last visit: a page that was never visited may be out of scope, too.
bool Ended(const node::ExportedPage& page, VisitKind kind) {
  return page.record.visits > 0 && page.record.state == ledger::Name(kind);
}

bool HasContent(const node::ExportedPage& page) {
  return Ended(page, VisitKind::kFetched) && page.record.content_hash != 0;
}

// Its content, or that of the page that it is alike.
uint64_t ContentOf(const node::PageRecord& record) {
  return record.near_hash != 0 ? record.near_hash : record.content_hash;
}

// The counter that stays when all others were taken by other contents as often.
template <typename Contents>
void Weigh(Contents& contents, uint64_t hash) {
  auto* free = contents.end();
  for (auto& content : contents) {
    if (content.weight > 0 && content.hash == hash) {
      ++content.weight;
      return;
    }
    if (content.weight == 0) free = &content;
  }
  if (free != contents.end()) {
    free->hash = hash;
    free->weight = 1;
    return;
  }
  for (auto& content : contents) --content.weight;
}

}  // namespace

uint64_t HostFigures::unread() const {
  return pages - std::accumulate(by_kind.begin(), by_kind.end(), uint64_t{0});
}

bool HostFigures::HasSoft404() const {
  return same_content.pages >= kSamePagesMin &&
         static_cast<double>(same_content.pages) >= kSameShareMin * static_cast<double>(fetched());
}

uint64_t HostFigures::suspects() const {
  uint64_t worst = std::max(HasSoft404() ? same_content.pages : 0, long_redirects.pages);
  for (const auto& [trap, of_rule] : traps) worst = std::max(worst, of_rule.pages);
  return worst;
}

HostFigures* HostTable::FiguresOf(const node::ExportedPage& page, std::string& host) {
  if (!page.known) return nullptr;
  const std::optional<url::Url> url = url::Parse(page.record.url);
  if (!url) return nullptr;
  host = std::string(url->host());
  const auto found = hosts_.find(host);
  return found == hosts_.end() ? nullptr : &found->second;
}

void HostTable::Look(const node::ExportedPage& page) {
  std::string host;
  HostFigures* figures = FiguresOf(page, host);
  if (host.empty()) return;
  if (figures == nullptr && hosts_.size() >= hosts_max_) {
    ++pages_left_out_;
    return;
  }
  if (figures == nullptr) figures = &hosts_[host];
  ++figures->pages;
  for (int kind = 0; kind < ledger::kVisitKinds; ++kind) {
    if (Ended(page, static_cast<VisitKind>(kind))) ++figures->by_kind[static_cast<size_t>(kind)];
  }
  const url::Trap trap = node::TrapAt(page.record.url, now_);
  if (trap != url::Trap::kNone) {
    figures->traps[trap].Add(page.record.url);
    if (url::IsCertain(trap) && Ended(page, VisitKind::kOutOfScope)) ++figures->skipped;
  }
  if (HasContent(page)) Weigh(contents_[host], ContentOf(page.record));
  if (Ended(page, VisitKind::kRedirect) && page.links.size() == 1)
    redirects_[page.number] = page.links.front();
}

bool HostTable::RedirectsOn(uint32_t page) const {
  for (int hop = 0; hop <= kHopsMax; ++hop) {
    const auto next = redirects_.find(page);
    if (next == redirects_.end()) return false;
    page = next->second;
  }
  return true;
}

void HostTable::LookAgain(const node::ExportedPage& page) {
  std::string host;
  HostFigures* const figures = FiguresOf(page, host);
  if (figures == nullptr) return;
  if (Ended(page, VisitKind::kRedirect) && RedirectsOn(page.number))
    figures->long_redirects.Add(page.record.url);
  if (!HasContent(page)) return;
  for (Content& content : contents_.at(host)) {
    if (content.weight == 0 || content.hash != ContentOf(page.record)) continue;
    content.nearly += page.record.near_hash != 0 ? 1 : 0;
    if (++content.pages == 1) content.example = page.record.url;
    if (content.pages <= figures->same_content.pages) continue;
    figures->same_content = {content.pages, content.example};
    figures->nearly = content.nearly;
  }
}

}  // namespace opic::cli
