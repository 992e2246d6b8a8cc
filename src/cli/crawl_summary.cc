#include "cli/crawl_summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/counted.h"
#include "cli/human.h"
#include "desk/desk_counters.h"
#include "desk/failure.h"
#include "url/trap.h"

namespace opic::cli {
namespace {

using desk::Counter;
using ledger::VisitKind;

constexpr size_t kExamplesMax = 3;

uint64_t Of(const node::NodeStats& stats, VisitKind kind) {
  return stats.loop.by_kind[static_cast<size_t>(kind)];
}

double Millis(absl::Duration duration, uint64_t pages) {
  return pages == 0 ? 0 : absl::ToDoubleMilliseconds(duration) / static_cast<double>(pages);
}

// "2 no address (DNS), 1 TLS"; empty: none failed. Of this process.
std::string FailuresByCause(const desk::Counters& counters) {
  std::vector<std::string> causes;
  for (int number = 1; number < desk::kFailures; ++number) {
    const auto failure = static_cast<desk::Failure>(number);
    const uint64_t count = counters[desk::CounterOf(failure)];
    if (count > 0)
      causes.push_back(absl::StrCat(count, " ", std::string(desk::ShortName(failure))));
  }
  return absl::StrJoin(causes, ", ");
}

// What was not read of pages that were; empty: nothing. Links of other schemes (mailto, javascript)
// are no loss.
std::string LeftOutLine(const desk::Counters& counters) {
  std::vector<std::string> parts;
  const auto add = [&parts](uint64_t count, const std::string& what) {
    if (count > 0) parts.push_back(what);
  };
  const uint64_t stopped = counters[Counter::kUnwantedStopped];
  add(stopped,
      fmt::format("{} not downloaded for their type ({})", base::Counted(stopped, "body", "bodies"),
                  HumanBytes(counters[Counter::kUnwantedBytes])));
  const uint64_t pages = counters[Counter::kManyLinks];
  add(pages, fmt::format("links beyond --links-max of {}", base::Counted(pages, "page")));
  const uint64_t too_long = counters[Counter::kLinksTooLong];
  add(too_long, base::Counted(too_long, "link") + " too long");
  const uint64_t malformed = counters[Counter::kLinksMalformed];
  add(malformed, base::Counted(malformed, "link") + " malformed");
  const uint64_t sitemaps = counters[Counter::kSitemapsWait];
  add(sitemaps, base::Counted(sitemaps, "sitemap") + " until later");
  return parts.empty() ? "" : "left out   " + absl::StrJoin(parts, ", ") + "\n";
}

// Pages that stand for another one; empty: none was read. Of this process.
std::string CanonicalLine(const desk::Counters& counters) {
  const uint64_t pages = counters[Counter::kCanonical];
  if (pages == 0) return "";
  return fmt::format("canonical  {} as canonical, alone\n",
                     base::Counted(pages, "page paid the page that it names",
                                   "pages paid the pages that they name"));
}

// Duplicates that this process has read; empty: none.
std::string DuplicatesLine(const desk::Counters& counters) {
  const uint64_t pages = counters[Counter::kDuplicates];
  if (pages == 0) return "";
  return fmt::format("duplicates {} that was read before (--duplicates)\n",
                     base::Counted(pages, "page has the content of another page of its site",
                                   "pages have the content of another page of their site"));
}

// Pages that say the same as another one but for numbers and dates, or differ by a few words from
// it; empty: none was read. Of this process.
std::string NearDuplicatesLine(const desk::Counters& counters) {
  std::string lines;
  if (const uint64_t pages = counters[Counter::kNearDuplicates]; pages > 0) {
    lines += fmt::format("near       {} that was read before (--near-duplicates)\n",
                         base::Counted(pages, "page is a near duplicate of a page of its site",
                                       "pages are near duplicates of a page of their site"));
  }
  if (const uint64_t pages = counters[Counter::kSimilar]; pages > 0) {
    lines +=
        fmt::format("similar    {} by a few words from one read before, and counted as others\n",
                    base::Counted(pages, "page of a site differs", "pages of a site differ"));
  }
  return lines;
}

// Pages whose URLs a site seems to make without end; empty: none was offered. Of this process.
std::string TrapsLine(const desk::Counters& counters) {
  std::vector<std::string> rules;
  uint64_t pages = 0;
  for (int number = 1; number < url::kTraps; ++number) {
    const auto trap = static_cast<url::Trap>(number);
    const uint64_t count = counters[desk::CounterOf(trap)];
    pages += count;
    if (count > 0) rules.push_back(absl::StrCat(count, " ", std::string(url::Name(trap))));
  }
  if (pages == 0) return "";
  return fmt::format("traps      {} URLs as those of traps, {} not fetched: {} (--traps)\n",
                     base::Counted(pages, "page has", "pages have"),
                     counters[Counter::kTrapsSkipped], absl::StrJoin(rules, ", "));
}

constexpr char kWantsCredentials[] =
    "refused with 401: the host wants credentials (--auth-file); with --again";

// What to do about pages that were refused with 401; empty: none was. Of this process.
std::string RefusedPages(const desk::Counters& counters) {
  const uint64_t pages = counters[Counter::kUnauthorized];
  if (pages == 0) return "";
  return fmt::format("{} {} {}", base::Counted(pages, "page was", "pages were"), kWantsCredentials,
                     pages == 1 ? "it is asked for again" : "they are asked for again");
}

// The same of pages that an earlier process may have asked for.
std::string RefusedPages(const std::vector<node::PageImportance>& pages) {
  const bool refused = std::any_of(pages.begin(), pages.end(),
                                   [](const auto& page) { return page.http_status == 401; });
  return refused ? fmt::format("pages were {} they are asked for again", kWantsCredentials) : "";
}

// As it is now, or of all that is over.
std::string Rate(const node::NodeStats& stats) {
  if (stats.loop.requests_per_s)
    return fmt::format("{:.1f} pages/s now", *stats.loop.requests_per_s);
  return fmt::format("{:.1f} pages/s", static_cast<double>(stats.counters[Counter::kRequests]) /
                                           std::max(0.001, absl::ToDoubleSeconds(stats.uptime)));
}

std::string Requests(const node::NodeStats& stats) {
  std::string out = fmt::format("requests   {} + {} robots.txt in {}, {}, {} received\n",
                                base::Counted(stats.counters[Counter::kRequests], "page"),
                                stats.counters[Counter::kRobotsRequests], HumanTime(stats.uptime),
                                Rate(stats), HumanBytes(stats.counters[Counter::kWireBytes]));
  const std::string failures = FailuresByCause(stats.counters);
  const uint64_t robots = stats.counters[Counter::kRobotsFailed];
  out += fmt::format("failures   {}; {} repeated, {} cut{}\n", failures.empty() ? "none" : failures,
                     base::Counted(stats.counters[Counter::kTransient], "try", "tries"),
                     base::Counted(stats.counters[Counter::kTooLarge], "body", "bodies"),
                     robots == 0 ? "" : fmt::format(", {} robots.txt without an answer", robots));
  if (const std::string refused = RefusedPages(stats.counters); !refused.empty())
    out += "           " + refused + "\n";
  for (const auto& [counter, why] :
       {std::pair(Counter::kNoDescriptor, "too few open files (ulimit -n, or --in-flight)"),
        std::pair(Counter::kProxyFailed, "the proxy failed (--proxy)"),
        std::pair(Counter::kNoNetwork, "this node had no network"),
        std::pair(Counter::kNoRoom,
                  "the memory for answers was full (--memory, or --in-flight)")}) {
    if (const uint64_t put_off = stats.counters[counter]; put_off > 0)
      out += fmt::format("           {} put off: {}\n",
                         base::Counted(put_off, "fetch was", "fetches were"), why);
  }
  return out + LeftOutLine(stats.counters) + CanonicalLine(stats.counters) +
         DuplicatesLine(stats.counters) + NearDuplicatesLine(stats.counters) +
         TrapsLine(stats.counters);
}

uint64_t Visited(const node::NodeStats& stats) {
  const auto& kinds = stats.loop.by_kind;
  return std::accumulate(kinds.begin(), kinds.end(), uint64_t{0});
}

// Before the first visit there is no ranking, and no error of it.
std::string Ranking(const node::NodeStats& stats) {
  if (stats.loop.method == importance::Method::kPush) {
    if (Visited(stats) == 0 && !stats.loop.restate_due) return "";
    return fmt::format("ranking    {}, {}\n", RankingError(stats.loop),
                       base::Counted(stats.counters[Counter::kSettled], "settled visit"));
  }
  return fmt::format("cash       clock {:.2f} supplies, {}, {:.1f} % on the virtual page\n",
                     stats.loop.clock,
                     base::Counted(stats.counters[Counter::kSettled], "settled visit"),
                     100 * stats.loop.virtual_share);
}

std::string Transfers(const desk::Counters& counters) {
  const uint64_t own = counters[Counter::kLinksOwn], away = counters[Counter::kLinksAway];
  if (away == 0) return "";
  return fmt::format(
      "transfers  {} paid, {:.0f} % on the same node; {:.1f} bytes a link to others\n",
      base::Counted(own + away, "link"),
      100 * static_cast<double>(own) / static_cast<double>(own + away),
      static_cast<double>(counters[Counter::kBatchBytes]) / static_cast<double>(away));
}

std::string Resources(const node::NodeStats& stats, absl::Duration scheduler_cpu) {
  const uint64_t pages = stats.counters[Counter::kRequests];
  std::string out = fmt::format(
      "CPU        {:.3f} ms a page: fetch {:.3f}, parse {:.3f}, ledger {:.3f}, scheduler {:.3f}\n",
      Millis(stats.fetch_cpu + stats.worker_cpu + stats.loop.cpu + scheduler_cpu, pages),
      Millis(stats.fetch_cpu, pages), Millis(stats.worker_cpu, pages),
      Millis(stats.loop.cpu, pages), Millis(scheduler_cpu, pages));
  return out + fmt::format("memory     {} peak, page table {}; written {} a page\n",
                           HumanBytes(stats.memory_bytes_peak), HumanBytes(stats.loop.table_bytes),
                           HumanBytes(stats.counters[Counter::kStoreBytesWritten] / pages));
}

std::string MemoryByPart(const node::MemoryParts& memory) {
  if (memory.limit == 0) return "";
  std::vector<std::string> parts;
  for (size_t i = 0; i < node::kMemoryParts; ++i) {
    const node::MemoryUse& use = memory.parts[i];
    parts.push_back(fmt::format("{} {} of {}", node::kMemoryPartKeys[i],
                                HumanBytes(std::max(use.bytes, use.peak)), HumanBytes(use.limit)));
  }
  return fmt::format("--memory   {}; highest so far: {}\n", HumanBytes(memory.limit),
                     absl::StrJoin(parts, ", "));
}

// Of pages that were asked for, or not, and had nothing to read.
std::vector<std::string> Reasons(const node::NodeStats& stats) {
  std::vector<std::string> reasons;
  const auto add = [&reasons](uint64_t pages, const std::string& what) {
    if (pages > 0) reasons.push_back(absl::StrCat(base::Counted(pages, "page"), " ", what));
  };
  add(Of(stats, VisitKind::kFailed), "failed");
  add(Of(stats, VisitKind::kForbidden), "forbidden by robots.txt");
  add(Of(stats, VisitKind::kGone), "answered with an HTTP error such as 404");
  if (Of(stats, VisitKind::kRedirect) > 0 && Of(stats, VisitKind::kOutOfScope) > 0) {
    add(Of(stats, VisitKind::kRedirect),
        "redirected out of scope (start from the target, or widen --scope)");
  } else {
    add(Of(stats, VisitKind::kRedirect), "redirected");
    add(Of(stats, VisitKind::kOutOfScope),
        "out of scope (--scope, --include, --exclude, --depth, --traps)");
  }
  add(stats.loop.unread, stats.loop.limit_reached ? "left unread at the limit" : "left unread");
  return reasons;
}

std::string WhyOf(const node::PageImportance& page) {
  if (!page.failure.empty()) return page.failure;
  if (page.http_status != 0) return absl::StrCat("HTTP status ", page.http_status);
  return page.state;
}

// Of those that are unread, the ones that were read before, and are in the other figures, too.
uint64_t ToBeReadAgain(const node::NodeStats& stats) {
  const uint64_t all = Visited(stats) + stats.loop.unread;
  return all - std::min(all, stats.loop.pages);
}

}  // namespace

uint64_t PagesAnswered(const node::NodeStats& stats) {
  return Of(stats, VisitKind::kFetched) + Of(stats, VisitKind::kRedirect) +
         Of(stats, VisitKind::kGone);
}

std::string HeldUpBy(const node::NodeStats& stats) {
  if (stats.paused) return "paused (opic control resume)";
  if (stats.scheduler_away) return "waiting for the scheduler, which does not answer";
  if (stats.without_network_since) return "waiting for the network: nothing answers";
  if (stats.loop.disk.low) return "waiting for room on the disk";
  if (stats.loop.outbox_full) return "waiting for other nodes";
  return "";
}

std::string RankingError(const node::LoopStats& loop) {
  if (loop.method != importance::Method::kPush) return "ranked by windows";
  if (loop.restate_due) return "records of pages were lost: run `opic cluster recover`";
  if (loop.error_bound >= 2) return "error not known yet";
  std::string told = ErrorAtMost(loop.error_bound);
  if (loop.rounding_error > loop.error_bound) {
    told += fmt::format(", and up to {} more from rounding (`opic restate` removes that part)",
                        HumanPercent(loop.rounding_error));
  }
  return told;
}

std::string Summary(const node::NodeStats& stats, absl::Duration scheduler_cpu) {
  const uint64_t again = ToBeReadAgain(stats);
  std::string out = fmt::format(
      "pages      {} fetched, {}, {} gone, {} failed, {} forbidden, {} out of scope, {} unread{}; "
      "{} known\n",
      Of(stats, VisitKind::kFetched), base::Counted(Of(stats, VisitKind::kRedirect), "redirect"),
      Of(stats, VisitKind::kGone), Of(stats, VisitKind::kFailed), Of(stats, VisitKind::kForbidden),
      Of(stats, VisitKind::kOutOfScope), stats.loop.unread,
      again > 0 ? fmt::format(" ({} of them once more)", again) : "", stats.loop.pages);
  if (stats.loop.withheld > 0) {
    out += fmt::format(
        "withheld   {} of the unread are on hosts that an operator has blocked, or that are past "
        "their budgets\n",
        stats.loop.withheld);
  }
  if (stats.uptime == absl::ZeroDuration()) return out;  // at rest: nothing was done
  const bool asked =
      stats.counters[Counter::kRequests] + stats.counters[Counter::kRobotsRequests] > 0;
  if (asked) out += Requests(stats);
  out += Ranking(stats) + Transfers(stats.counters);
  if (stats.counters[Counter::kRequests] > 0) out += Resources(stats, scheduler_cpu);
  out += MemoryByPart(stats.memory);
  if (stats.calls_bytes_max > 0) {
    out += fmt::format("calls      all requests of clients together may take {} of memory\n",
                       HumanBytes(stats.calls_bytes_max));
  }
  return out;
}

std::string WhyNothingWasFetched(const node::NodeStats& stats,
                                 const std::vector<node::PageImportance>& examples) {
  const bool read_some = Of(stats, VisitKind::kFetched) + Of(stats, VisitKind::kNotModified) > 0;
  if (read_some || stats.loop.pages == 0) return "";
  std::string out = "nothing was fetched: " + absl::StrJoin(Reasons(stats), ", ");
  size_t shown = 0;
  for (const node::PageImportance& page : examples) {
    if (!page.known || page.state == "unread" || page.state == "out_of_scope") continue;
    if (++shown > kExamplesMax) break;
    absl::StrAppend(&out, "\n  ", page.url, ": ", WhyOf(page));
  }
  std::string refused = RefusedPages(stats.counters);
  if (refused.empty()) refused = RefusedPages(examples);
  if (!refused.empty()) absl::StrAppend(&out, "\n  ", refused);
  if (const std::string obstacle = HeldUpBy(stats); !obstacle.empty())
    absl::StrAppend(&out, "\n  in the end it was ", obstacle);
  return out;
}

}  // namespace opic::cli
