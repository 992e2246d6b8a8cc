#include "node/crawl_changes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "node/again_memory.h"
#include "node/page_scope.h"
#include "node/publications.h"

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
  if (order.traps.empty()) return change;
  change.traps = url::TrapUseFromName(order.traps);
  if (!change.traps) {
    return absl::InvalidArgumentError(
        absl::StrCat("traps \"", order.traps, "\" is not one of off, show, skip"));
  }
  return change;
}

// A page may have been skipped before it became a seed.
bool TakesTraps(const CrawlMemory& before, const CrawlMemory& crawl, absl::Time now) {
  const auto added = crawl.seeds.begin() + static_cast<std::ptrdiff_t>(before.seeds.size());
  return crawl.traps == url::TrapUse::kSkip &&
         std::any_of(added, crawl.seeds.end(),
                     [now](const std::string& seed) { return url::IsCertain(TrapAt(seed, now)); });
}

}  // namespace

absl::Status CrawlChanges::TakeOptions() {
  const CrawlOptions& options = parts_.options;
  ASSIGN_OR_RETURN(const std::vector<ledger::Link> pages, PagesOf(options.seeds, *parts_.hash));
  const bool resumed = !parts_.loop->crawl().seeds.empty();
  if (pages.empty() && !resumed && !options.membership)
    return absl::InvalidArgumentError("no seeds: give at least one URL to start from");
  RETURN_IF_ERROR(TakePublications(options.focus));
  RETURN_IF_ERROR(Change(
      [&](CrawlMemory& crawl) {
        crawl.AddSeeds(pages);
        options.scope.ApplyTo(crawl.scope, crawl.depth_max, crawl.traps);
        crawl.strip_tracking |= options.strip_tracking;
        crawl.host_depths = options.hosts_file ? options.hosts_file->depths : HostDepths();
      },
      OwnOf(pages)));
  return options.again ? ReopenAll() : absl::OkStatus();
}

absl::StatusOr<SeedResults> CrawlChanges::AddSeeds(const std::vector<std::string>& urls) {
  TypedSeeds seeds = ReadSeeds(urls, *parts_.hash);
  RETURN_IF_ERROR(parts_.AskLedger([&] { return parts_.CheckOrdered(); }));
  RETURN_IF_ERROR(
      Change([&](CrawlMemory& crawl) { crawl.AddSeeds(seeds.pages); }, seeds.pages, &seeds));
  return seeds.results;
}

absl::Status CrawlChanges::SetDepth(uint32_t depth) {
  return Change([depth](CrawlMemory& crawl) { crawl.depth_max = depth; }, {});
}

absl::Status CrawlChanges::SetHostDepths(const HostDepths& depths) {
  return Change([&depths](CrawlMemory& crawl) { crawl.host_depths = depths; }, {});
}

absl::StatusOr<SeedResults> CrawlChanges::Begin(const CrawlOrder& order) {
  RETURN_IF_ERROR(parts_.InCluster());
  ASSIGN_OR_RETURN(const std::vector<ledger::Link> pages, PagesOf(order.seeds, *parts_.hash));
  TypedSeeds seeds = ReadSeeds(order.seeds, *parts_.hash);
  ASSIGN_OR_RETURN(const ScopeChange scope, ScopeOf(order));
  RETURN_IF_ERROR(TakeRules(order.hosts));  // before the node has anything to ask for
  RETURN_IF_ERROR(TakePublications(order.publications));
  RETURN_IF_ERROR(Change(
      [&](CrawlMemory& crawl) {
        crawl.AddSeeds(pages);
        scope.ApplyTo(crawl.scope, crawl.depth_max, crawl.traps);
        crawl.strip_tracking |= order.strip_tracking;
      },
      OwnOf(pages), &seeds));
  if (order.strip_tracking) parts_.desk->StripTracking();
  if (order.again) RETURN_IF_ERROR(ReopenAll());
  return seeds.results;
}

absl::Status CrawlChanges::TakeRules(const std::vector<KeptRule>& told) {
  if (told.empty()) return absl::OkStatus();
  return parts_.ChangeOnLedger([&]() -> absl::Status {
    ASSIGN_OR_RETURN(const std::vector<KeptRule> rules,
                     parts_.host_rules->Adopt(told, parts_.clock.Now()));
    if (!rules.empty()) parts_.loop->TellHostRules();
    for (const KeptRule& kept : rules)
      base::LogInfo("{}, by {}; another node of the cluster had this rule", InWords(kept.rule),
                    kept.by);
    return absl::OkStatus();
  });
}

absl::Status CrawlChanges::TakePublications(const std::vector<refresh::Publication>& told) {
  if (told.empty()) return absl::OkStatus();
  return parts_.ChangeOnLedger([&]() -> absl::Status {
    ASSIGN_OR_RETURN(const bool changed, parts_.loop->published().Adopt(told, parts_.clock.Now()));
    if (changed) base::LogInfo("publications of --focus or of other nodes were taken over");
    return absl::OkStatus();
  });
}

absl::StatusOr<CrawlOrder> CrawlChanges::Order() const {
  RETURN_IF_ERROR(parts_.InCluster());
  CrawlOrder order;
  RETURN_IF_ERROR(parts_.AskLedger([&]() -> absl::Status {
    order = OrderOf(parts_.loop->crawl());
    order.publications = parts_.loop->published().publications().list();
    return absl::OkStatus();
  }));
  order.hosts = parts_.host_rules->kept();
  return order;
}

CrawlOrder OrderOf(const CrawlMemory& crawl) {
  CrawlOrder order;
  order.seeds = crawl.seeds;
  order.scope = std::string(Name(crawl.scope.kind));
  order.include = crawl.scope.include;
  order.exclude = crawl.scope.exclude;
  order.depth = crawl.depth_max;
  order.traps = std::string(url::Name(crawl.traps));
  order.strip_tracking = crawl.strip_tracking;
  return order;
}

// Hosts first: else the pages of those given up would be failed again without a request.
absl::Status CrawlChanges::ReopenAll() {
  RETURN_IF_ERROR(parts_.ChangeOnLedger([&]() -> absl::Status {
    const absl::Time now = absl::FromUnixMicros(absl::ToUnixMicros(parts_.clock.Now()));
    RETURN_IF_ERROR(RememberAgain(*parts_.store, now));
    parts_.loop->TryGivenUpAgain(now);
    return absl::OkStatus();
  }));
  return Reopen([](PageId, const ledger::HistoryRow&) { return true; });
}

std::vector<ledger::Link> CrawlChanges::OwnOf(const std::vector<ledger::Link>& pages) const {
  const auto& membership = parts_.options.membership;
  if (!membership) return pages;
  std::vector<ledger::Link> own;
  for (const ledger::Link& page : pages) {
    if (membership->map.OwnerOf(page.page.shard()) == membership->self) own.push_back(page);
  }
  return own;
}

// Crawl first, remember then: a crash between the two repeats this, harmlessly.
absl::Status CrawlChanges::Change(const std::function<void(CrawlMemory&)>& change,
                                  const std::vector<ledger::Link>& pages, TypedSeeds* seeds) {
  const absl::MutexLock lock(&one_at_a_time_);
  // What is not on disk has not come to its end, and is in the loop alone.
  CrawlMemory before, crawl;
  RETURN_IF_ERROR(parts_.AskLedger([&]() -> absl::Status {
    ASSIGN_OR_RETURN(before, RecallCrawl(*parts_.store));
    crawl = parts_.loop->crawl();
    return absl::OkStatus();
  }));
  change(crawl);
  RETURN_IF_ERROR(parts_.ChangeOnLedger([&] {
    parts_.loop->SetCrawl(crawl);
    if (seeds != nullptr && !seeds->pages.empty()) {
      const absl::Time now = parts_.clock.Now();
      JudgeSeeds(*parts_.ledger, PageScope(crawl, now), now, *seeds);
    }
    if (!pages.empty()) parts_.ledger->Seed(pages);
    return parts_.ledger->Commit().status();
  }));
  if (!crawl.SameScope(before) || TakesTraps(before, crawl, parts_.clock.Now()))
    RETURN_IF_ERROR(Reopen(CameIntoScope()));
  return parts_.ChangeOnLedger([&] { return RememberCrawl(*parts_.store, crawl); });
}

Reopening::Which CrawlChanges::CameIntoScope() const {
  return [&parts = parts_](PageId page, const ledger::HistoryRow& row) -> absl::StatusOr<bool> {
    if (row.kind != ledger::VisitKind::kOutOfScope) return false;
    ASSIGN_OR_RETURN(const std::optional<std::string> name,
                     parts.store->Get(store::Table::kPage, ledger::KeyOf(page)));
    if (!name) return ledger::LacksRow(page);
    ASSIGN_OR_RETURN(const ledger::PageRow named, ledger::ReadPageRow(page, *name));
    return parts.loop->InScope(named);
  };
}

absl::Status CrawlChanges::Reopen(Reopening::Which which) {
  Reopening reopening(*parts_.ledger, *parts_.store, std::move(which));
  absl::StatusOr<bool> finished = false;
  while (finished.ok() && !*finished) {
    RETURN_IF_ERROR(parts_.ChangeOnLedger([&]() -> absl::Status {
      finished = reopening.Step();
      RETURN_IF_ERROR(finished.status());
      return parts_.ledger->Commit().status();
    }));
  }
  return finished.status();
}

}  // namespace opic::node
