// What a node is to crawl: what its folder remembers, what it is started with, and what it is told
// while it runs.
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "node/node.h"

namespace opic::node {
namespace {

// In words that a person typed.
absl::StatusOr<ScopeChange> ScopeOf(const CrawlOrder& order) {
  ScopeChange change;
  if (!order.scope.empty()) {
    change.kind = ScopeFromName(order.scope);
    if (!change.kind) {
      return absl::InvalidArgumentError(
          absl::StrCat("scope \"", order.scope, "\" is not one of host, domain, any"));
    }
  }
  change.include = order.include;
  change.exclude = order.exclude;
  change.depth_max = order.depth;
  return change;
}

}  // namespace

// Brings together what the folder remembers and what this run asks for.
absl::Status Node::TakeSeeds() {
  ASSIGN_OR_RETURN(const std::vector<ledger::Link> pages, PagesOf(options_.seeds, *hash_));
  const bool resumed = !loop_->crawl().seeds.empty();
  if (pages.empty() && !resumed && !options_.membership)
    return absl::InvalidArgumentError("no seeds: give at least one URL to start from");
  RETURN_IF_ERROR(ChangeCrawl(
      [&](CrawlMemory& crawl) {
        crawl.AddSeeds(pages);
        options_.scope.ApplyTo(crawl.scope, crawl.depth_max);
        crawl.strip_tracking |= options_.strip_tracking;
      },
      OwnOf(pages)));
  return options_.again ? ReopenAll() : absl::OkStatus();
}

absl::Status Node::AddSeeds(const std::vector<std::string>& urls) {
  ASSIGN_OR_RETURN(const std::vector<ledger::Link> pages, PagesOf(urls, *hash_));
  return ChangeCrawl([&](CrawlMemory& crawl) { crawl.AddSeeds(pages); }, pages);
}

absl::Status Node::BeginCrawl(const CrawlOrder& order) {
  RETURN_IF_ERROR(InCluster());
  ASSIGN_OR_RETURN(const std::vector<ledger::Link> pages, PagesOf(order.seeds, *hash_));
  ASSIGN_OR_RETURN(const ScopeChange scope, ScopeOf(order));
  RETURN_IF_ERROR(ChangeCrawl(
      [&](CrawlMemory& crawl) {
        crawl.AddSeeds(pages);
        scope.ApplyTo(crawl.scope, crawl.depth_max);
        crawl.strip_tracking |= order.strip_tracking;
      },
      OwnOf(pages)));
  if (order.strip_tracking) desk_->StripTracking();
  return order.again ? ReopenAll() : absl::OkStatus();
}

absl::StatusOr<CrawlOrder> Node::Order() {
  RETURN_IF_ERROR(InCluster());
  auto crawl = std::make_shared<CrawlMemory>();
  RETURN_IF_ERROR(OnLedger([this, crawl] { *crawl = loop_->crawl(); }));
  CrawlOrder order;
  order.seeds = crawl->seeds;
  order.scope = std::string(Name(crawl->scope.kind));
  order.include = crawl->scope.include;
  order.exclude = crawl->scope.exclude;
  order.depth = crawl->depth_max;
  order.strip_tracking = crawl->strip_tracking;
  return order;
}

absl::Status Node::ReopenAll() {
  return Reopen([](PageId, const ledger::HistoryRow&) { return true; });
}

std::vector<ledger::Link> Node::OwnOf(const std::vector<ledger::Link>& pages) const {
  if (!options_.membership) return pages;
  std::vector<ledger::Link> own;
  for (const ledger::Link& page : pages) {
    if (options_.membership->map.OwnerOf(page.page.shard()) == options_.membership->self)
      own.push_back(page);
  }
  return own;
}

// Crawl first, remember then: a crash between the two repeats this, harmlessly.
absl::Status Node::ChangeCrawl(const std::function<void(CrawlMemory&)>& change,
                               const std::vector<ledger::Link>& pages) {
  const absl::MutexLock one_at_a_time(&orders_);
  auto before = std::make_shared<CrawlMemory>();
  RETURN_IF_ERROR(OnLedger([this, before] { *before = loop_->crawl(); }));
  CrawlMemory crawl = *before;
  change(crawl);
  RETURN_IF_ERROR(DoOnLedger([this, crawl, pages] {
    loop_->SetCrawl(crawl);
    if (!pages.empty()) ledger_->Seed(pages);
    return ledger_->Commit().status();
  }));
  if (!crawl.SameScope(*before)) RETURN_IF_ERROR(Reopen(CameIntoScope()));
  return DoOnLedger([this, crawl] { return RememberCrawl(*store_, crawl); });
}

Reopening::Which Node::CameIntoScope() const {
  return [this](PageId page, const ledger::HistoryRow& row) -> absl::StatusOr<bool> {
    if (row.kind != ledger::VisitKind::kOutOfScope) return false;
    ASSIGN_OR_RETURN(const std::optional<std::string> name,
                     store_->Get(store::Table::kPage, ledger::KeyOf(page)));
    if (!name) return absl::DataLossError("a page of the table has no row in the store");
    ASSIGN_OR_RETURN(const ledger::PageRow named, ledger::DecodePageRow(*name));
    return loop_->InScope(named).has_value();
  };
}

absl::Status Node::Reopen(Reopening::Which which) {
  auto reopening = std::make_shared<Reopening>(*ledger_, *store_, std::move(which));
  auto finished = std::make_shared<absl::StatusOr<bool>>(false);
  while (finished->ok() && !**finished) {
    RETURN_IF_ERROR(DoOnLedger([this, reopening, finished] {
      *finished = reopening->Step();
      return ledger_->Commit().status();
    }));
  }
  return finished->status();
}

absl::Status Node::DoOnLedger(std::function<absl::Status()> act) {
  auto status = std::make_shared<absl::Status>();
  RETURN_IF_ERROR(OnLedger([act = std::move(act), status] { *status = act(); }));
  return *status;
}

}  // namespace opic::node
