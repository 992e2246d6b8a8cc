#include "cli/crawl_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/version.h"
#include "cli/seed_file.h"
#include "cli/wrong_value.h"
#include "node/crawl_memory.h"

namespace opic::cli {
namespace {

// What is in hand of one page must fit into the parts.
absl::StatusOr<node::MemoryPlan> MemoryOf(const CrawlFlags& flags, uint64_t body_bytes_max) {
  const uint64_t of_body = node::MemoryPlan::kWholeInBodies * body_bytes_max;
  node::MemoryPlan plan;
  plan.whole = std::max(plan.whole, of_body);
  if (flags.memory.empty()) return plan;
  ASSIGN_OR_RETURN(plan.whole, ParseBytes(flags.memory, "memory"));
  const uint64_t least = std::max(node::MemoryPlan::kWholeMin, of_body);
  if (plan.whole >= least) return plan;
  return WrongValue(
      "memory", flags.memory,
      absl::StrCat("at least ", (least + (1 << 20) - 1) >> 20, "M",
                   least == of_body ? ", 24 times --body-max; or lower --body-max" : ""));
}

absl::StatusOr<ledger::CharterRequest> CharterOf(const CrawlFlags& flags) {
  ledger::CharterRequest request;
  if (flags.shards) {
    const uint32_t shards = *flags.shards;
    if (shards == 0 || shards > 32'768 || (shards & (shards - 1)) != 0) {
      return WrongValue("shards", absl::StrCat(shards), "a power of two from 1 to 32,768");
    }
    request.shards = shards;
  }
  if (flags.h_url) {
    if (*flags.h_url != "host" && *flags.h_url != "url")
      return WrongValue("h-url", *flags.h_url, "one of host, url");
    request.shard_by = *flags.h_url == "host" ? url::ShardBy::kHost : url::ShardBy::kUrl;
  }
  if (flags.epsilon) {
    if (!(*flags.epsilon > 0 && *flags.epsilon < 1)) {
      return WrongValue("epsilon", absl::StrCat(*flags.epsilon), "between 0 and 1");
    }
    request.epsilon = cash::SmallEdge::FromShare(*flags.epsilon);
  }
  if (flags.window) {
    request.window = importance::WindowFromName(*flags.window);
    if (!request.window) {
      return WrongValue("window", *flags.window,
                        "one of none, fixed, improved-fixed, variable, interpolation");
    }
  }
  request.window_supplies = flags.window_supplies;
  request.window_measures = flags.window_measures;
  if (flags.forget_links) request.keep_links = false;
  if (flags.importance) {
    if (*flags.importance != "push" && *flags.importance != "window")
      return WrongValue("importance", *flags.importance, "one of push, window");
    request.method =
        *flags.importance == "push" ? importance::Method::kPush : importance::Method::kWindow;
  }
  RETURN_IF_ERROR(request.ApplyTo(ledger::Charter::ForNewCrawl()).Validate());
  return request;
}

absl::StatusOr<desk::DuplicateUse> UseOf(const std::string& flag, const std::string& text,
                                         bool near) {
  constexpr auto kUses = std::to_array<std::string_view>({"merge", "show", "off", "similar"});
  const auto* const end = kUses.end() - (near ? 0 : 1);
  const auto* use = std::find(kUses.begin(), end, text);
  if (use == end)
    return WrongValue(flag, text,
                      near ? "one of merge, show, off, similar" : "one of merge, show, off");
  return static_cast<desk::DuplicateUse>(use - kUses.begin());
}

}  // namespace

void AddSchedulerFlags(CLI::App& app, CrawlFlags& flags) {
  app.add_option("--delay", flags.delay, "pause between two fetches from one host (default 1s)");
  app.add_option(
      "--per-host", flags.per_host,
      "fetches at once from one host, over one connection where it speaks HTTP/2; above 1 "
      "--delay is a pause between starts (default 1)");
  app.add_option("--per-address", flags.per_address,
                 "fetches at once from one IP address (default 16)");
  app.add_option("--address-delay", flags.address_delay,
                 "pause between the starts of two fetches from one IP address (default 0s)");
  app.add_option("--rate", flags.rate, "fetch at most this many pages a second; 0: no limit");
  app.add_option(
      "--attempts", flags.attempts,
      "how often to try a page whose fetch fails for a reason that may be temporary (default 3)");
  app.add_option("--strategy", flags.strategy,
                 "which unread page to fetch next: sweep (default), greedy, cycle or random");
}

void CrawlFlags::AddTo(CLI::App& app, bool with_seeds) {
  if (with_seeds) {
    app.add_option("seeds", seeds,
                   "URLs to start from; without any, continue the crawl in the data folder");
    app.add_option("--seed-file", seed_file,
                   "file with one seed a line, # begins a comment; - is standard input");
    app.add_flag("--strict", strict,
                 "refuse a seed file with a line that is not a URL, instead of leaving it out");
  }
  app.add_option("--data", data, "data folder (default opic-data)");
  AddScopeTo(app);
  app.add_option("--pages", pages, "stop after this many pages; 0: no limit")->check(CheckCount);
  app.add_option("--bytes", bytes, "stop after receiving this many bytes, e.g. 2G; 0: no limit");
  app.add_option("--time", time, "stop after this time, e.g. 10m; 0s: no limit");
  budgets.AddTo(app);
  AddSchedulerFlags(app, *this);
  app.add_option("--in-flight", in_flight, "fetches under way at the same time (default 256)");
  app.add_option(
      "--memory", memory,
      "memory for caches, queues and buffers; the page table, 8 bytes a known page, comes on top "
      "(default 512M, or 24 times --body-max if that is more; at least 128M)");
  app.add_option("--disk-free-min", disk_free_min,
                 "while less than this is free on the disk of the data folder nothing new is "
                 "fetched; when a quarter more is free it goes on by itself; 0: do not look "
                 "(default 2G, or 5 % of the disk if that is less)");
  app.add_option("--workers", workers, "threads that parse pages (default 1)");
  app.add_option("--contact", contact,
                 "e-mail address or URL of the operator of this crawl, sent to servers; without it "
                 "nothing but loopback is asked, which then needs no --allow-private");
  app.add_option("--agent", agent, "product token for User-Agent and robots.txt (default opic)");
  app.add_flag("--allow-private", allow_private,
               "with --contact: also fetch from loopback and private addresses");
  app.add_flag("--again", again, "fetch every page once more, with conditional requests");
  focus.AddTo(app);
  refresh.AddTo(app);
  settle.AddTo(app);
  app.add_flag("--forget-links", forget_links,
               "do not keep links: the paper's smallest disk, but no visits without a fetch (new "
               "crawl; windows)");
  app.add_option(
      "--importance", importance,
      "how importance is computed: push (default), exact for the links known now; or window, the "
      "paper's method, also chosen by --window and --forget-links (new crawl)");
  app.add_option("--window", window,
                 "window of the estimates: none, fixed, improved-fixed, variable or interpolation "
                 "(new crawl)");
  app.add_option("--window-supplies", window_supplies,
                 "length T of the window in supplies (new crawl, default 8)");
  app.add_option("--window-measures", window_measures,
                 "measures kept by --window variable (new crawl, default 8)");
  app.add_option("--epsilon", epsilon, "share paid to the virtual page (new crawl, default 0.15)");
  app.add_option("--shards", shards,
                 "number of virtual shards, a power of two (new crawl, default 1024)");
  app.add_option(
      "--h-url", h_url,
      "what decides the shard of a page: host (default) or url, the whole URL (new crawl)");
  fetch.AddTo(app);
  app.add_option("--canonical", canonical,
                 "which links are paid by a page that names another page as its canonical "
                 "(rel=canonical): site (default): the canonical alone, as a redirect does, if it "
                 "is in scope and of the same registrable domain; off: all, the canonical too");
  app.add_option("--duplicates", duplicates,
                 "pages with the same text and links as a page of their site that was read before: "
                 "merge (default): they pay that page alone, are not ranked, and are read again "
                 "last; show: they are only counted, and `opic explain` names that page; off: they "
                 "are not looked for");
  app.add_option(
      "--near-duplicates", near_duplicates,
      "pages that say the same as a page of their site that was read before, but for numbers, "
      "dates and tokens: merge: they are treated like duplicates; show: they are only counted, and "
      "`opic explain` names that page, as it does for pages that differ by a few other words; off: "
      "they are not looked for; similar: as merge, and those that differ by a few other words are "
      "merged, too (default: as --duplicates)");
  fetch_log.AddTo(app);
  links.AddTo(app);
}

absl::StatusOr<std::vector<std::string>> CrawlFlags::AllSeeds() const {
  std::vector<std::string> all = seeds;
  if (!seed_file.empty()) {
    ASSIGN_OR_RETURN(const std::vector<std::string> of_file, ReadSeeds(seed_file, strict));
    all.insert(all.end(), of_file.begin(), of_file.end());
  }
  TellOfCredentials(all);
  return all;
}

absl::StatusOr<node::CrawlOptions> CrawlFlags::NodeOptions() const {
  node::CrawlOptions options;
  ASSIGN_OR_RETURN(options.seeds, AllSeeds());
  ASSIGN_OR_RETURN(options.scope, Scope());
  options.strip_tracking = strip_tracking;
  options.pages_max = pages;
  if (!bytes.empty()) {
    ASSIGN_OR_RETURN(options.bytes_max, ParseBytes(bytes, "bytes"));
  }
  if (!time.empty()) {
    ASSIGN_OR_RETURN(options.time_max, ParseDuration(time, "time"));
    if (options.time_max == absl::ZeroDuration()) options.time_max = absl::InfiniteDuration();
  }
  RETURN_IF_ERROR(budgets.ApplyTo(options));
  if (!disk_free_min.empty()) {
    ASSIGN_OR_RETURN(options.disk.free_min, ParseBytes(disk_free_min, "disk-free-min"));
  }
  RETURN_IF_ERROR(fetch_log.ApplyTo(options));
  options.again = again;
  RETURN_IF_ERROR(refresh.ApplyTo(rate, options));
  RETURN_IF_ERROR(focus.ApplyTo(options));
  RETURN_IF_ERROR(settle.ApplyTo(options));
  if (workers < 1 || workers > 256)
    return WrongValue("workers", absl::StrCat(workers), "from 1 to 256");
  options.workers = workers;
  options.product_token = agent;
  RETURN_IF_ERROR(links.ApplyTo(options));
  ASSIGN_OR_RETURN(options.duplicates, UseOf("duplicates", duplicates, /*near=*/false));
  options.near_duplicates = options.duplicates;
  if (!near_duplicates.empty()) {
    ASSIGN_OR_RETURN(options.near_duplicates, UseOf("near-duplicates", near_duplicates, true));
  }
  options.links.text_sketch = options.near_duplicates != desk::DuplicateUse::kOff;
  options.links.text_digest = (refresh.continuous || options.links.text_sketch ||
                               options.duplicates != desk::DuplicateUse::kOff) &&
                              refresh.change_digest == "text";
  if (canonical != "site" && canonical != "off")
    return WrongValue("canonical", canonical, "one of site, off");
  options.canonical = canonical == "site";
  ASSIGN_OR_RETURN(options.charter, CharterOf(*this));
  if (in_flight < 1 || in_flight > 10'000)
    return WrongValue("in-flight", absl::StrCat(in_flight), "from 1 to 10,000");
  options.fetch.in_flight_max = in_flight;
  options.fetch.per_address_max = per_address;
  options.fetch.user_agent = absl::StrCat(agent, "/", base::Version());
  if (!contact.empty()) absl::StrAppend(&options.fetch.user_agent, " (+", contact, ")");
  RETURN_IF_ERROR(fetch.ApplyTo(options));
  ASSIGN_OR_RETURN(options.memory, MemoryOf(*this, options.fetch.body_bytes_max));
  options.fetch.allow_private = allow_private;
  return options;
}

absl::StatusOr<scheduler::Options> CrawlFlags::SchedulerOptions() const {
  scheduler::Options options;
  const std::optional<schedule::StrategyKind> kind = schedule::StrategyFromName(strategy);
  if (!kind) return WrongValue("strategy", strategy, "one of sweep, greedy, cycle, random");
  options.strategy = *kind;
  ASSIGN_OR_RETURN(options.delay, ParseDuration(delay, "delay"));
  ASSIGN_OR_RETURN(options.address_delay, ParseDuration(address_delay, "address-delay"));
  if (per_host < 1 || per_host > static_cast<int>(schedule::kParallelMax)) {
    return WrongValue("per-host", absl::StrCat(per_host),
                      absl::StrCat("from 1 to ", schedule::kParallelMax));
  }
  options.per_host_max = per_host;
  if (per_address < 1) return WrongValue("per-address", absl::StrCat(per_address), "1 or more");
  options.per_address_max = per_address;
  RETURN_IF_ERROR(CheckRate(rate));
  options.pages_per_s_max = rate;
  if (attempts < 1 || attempts > 100)
    return WrongValue("attempts", absl::StrCat(attempts), "from 1 to 100");
  options.attempts_max = attempts;
  return options;
}

}  // namespace opic::cli
