#include "cli/crawl_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/version.h"
#include "cli/factor_list.h"
#include "cli/host_access_flags.h"
#include "cli/proxy_flag.h"
#include "cli/seed_file.h"
#include "cli/wrong_value.h"
#include "node/crawl_memory.h"

namespace opic::cli {
namespace {

// Four parts, each of which may be empty; colons in brackets belong to an IPv6 address.
bool IsRoute(const std::string& text) {
  int colons = 0;
  bool bracketed = false;
  for (const char c : text) {
    if (c == '[' || c == ']') bracketed = c == '[';
    if (c == ':' && !bracketed) ++colons;
  }
  return colons == 3 && !bracketed;
}

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

absl::Status CheckVisits(const std::string& flag, double visits) {
  if (visits >= 0 && visits <= 1e6) return absl::OkStatus();
  return WrongValue(flag, absl::StrCat(visits), "from 0 to 1,000,000");
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
                 "e-mail address or URL of the operator of this crawl, sent to servers; required "
                 "beyond loopback");
  app.add_option("--agent", agent, "product token for User-Agent and robots.txt (default opic)");
  app.add_flag("--allow-private", allow_private, "also fetch from loopback and private addresses");
  app.add_flag("--again", again, "fetch every page once more, with conditional requests");
  focus.AddTo(app);
  app.add_flag("--continuous", continuous,
               "go on for ever: read pages again, the more often the more important they are and "
               "the more often they change; needs --rate");
  app.add_option("--change-digest", change_digest,
                 "what counts as a change of an HTML page: text (default; the text and the links "
                 "that a reader sees) or bytes (--continuous)");
  app.add_option("--refresh-share", refresh_share,
                 "share of --rate for pages that were read before, while there are others to "
                 "discover (default 0.5; --continuous)");
  app.add_option("--refresh-factor", refresh_factors,
                 "NAME=FACTOR on the importance of a category's pages when they are to be read "
                 "again; 0: never. Categories: " +
                     CategoryNames());
  app.add_option("--refresh-shortest", refresh_shortest,
                 "read no page again sooner than after this time (default 1h)");
  app.add_option("--refresh-longest", refresh_longest,
                 "read every page again after this time, as far as --rate allows (default 2160h, "
                 "90 days)");
  app.add_flag("--no-settle", no_settle,
               "never visit a page without fetching it; stop when fetching ends, although the "
               "ranking has not converged");
  app.add_option("--error", error_max,
                 "visit pages without fetching them until the error of the ranking is at most "
                 "this; importances sum to 1 (default 0.01; ledger push)");
  app.add_option("--settle-rate", settle_rate,
                 "while fetching, visits without a fetch for each second (default 200)");
  app.add_option("--settle-per-fetch", settles_per_fetch,
                 "while fetching, visits without a fetch for each page fetched, besides "
                 "--settle-rate (default 1)");
  app.add_option(
      "--unread-share", unread_share,
      "share of the virtual page's payments that goes to unread pages only, 0 to 1 (windows)");
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
  app.add_option("--timeout", timeout, "time limit of one fetch (default 60s)");
  app.add_option("--connect-timeout", connect_timeout, "time limit of connecting (default 10s)");
  app.add_option("--body-max", body_max,
                 "bytes kept of one page after decoding; the rest is cut off (default 10M)");
  app.add_option(
      "--accept", accept,
      "types of pages that are downloaded: a list of html, xml, feed, text, pdf, any and "
      "media types such as image/* (default html,xml,feed,text)");
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
  app.add_option("--proxy", proxy,
                 "proxy for all fetches, e.g. http://127.0.0.1:3128 or socks5h://127.0.0.1:1080");
  app.add_option("--proxy-file", proxy_file,
                 "a file whose only line is the proxy, for one with a password");
  app.add_option("--ca-file", ca_file, "certificates to trust instead of the system's");
  app.add_option(
         "--header", headers,
         "\"Name: value\": a header that every request carries, e.g. Accept-Language; may be "
         "repeated")
      ->allow_extra_args(false);
  app.add_flag("--cookies", cookies,
               "keep the cookies that hosts set, in the data folder, and send each host its own");
  app.add_option("--auth-file", auth_file,
                 "file with credentials, a line a host: HOST basic USER PASSWORD, or HOST bearer "
                 "TOKEN; they go to HOST over https, or over http if HOST begins with http://");
  app.add_option("--insecure", insecure,
                 "HOST[:PORT]: do not check the certificate of this host; may be repeated")
      ->allow_extra_args(false);
  app.add_option(
         "--connect-to", connect_to,
         "HOST:PORT:ADDRESS:PORT: connect to the second pair instead of the first; may be repeated")
      ->allow_extra_args(false);
  app.add_flag("--referrers", referrers,
               "keep with each page that is found from now on the page that it was found on, for "
               "fetches.jsonl and opic explain; a data folder that has kept referrers once always "
               "does, and earlier releases refuse it");
  app.add_option(
      "--fetch-log-max", fetch_log_max,
      "size of fetches.jsonl, after which it is moved to fetches.jsonl.1 and begun anew; "
      "0: never (default 100M)");
  app.add_option("--fetch-log-files", fetch_log_files,
                 "how many older fetch logs are kept: fetches.jsonl.1, ... (default 4)");
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

absl::StatusOr<node::RefreshOptions> CrawlFlags::Refresh() const {
  node::RefreshOptions options;
  if (!continuous) return options;
  RETURN_IF_ERROR(CheckRate(rate));
  if (rate == 0) {
    return absl::InvalidArgumentError(
        "--continuous needs --rate: how many pages a second may be fetched in all");
  }
  options.pages_per_s = rate;
  if (!(refresh_share > 0 && refresh_share <= 1))
    return WrongValue("refresh-share", absl::StrCat(refresh_share), "above 0 and at most 1");
  options.share = refresh_share;
  ASSIGN_OR_RETURN(const FactorList factors, ParseFactors(refresh_factors, "refresh-factor"));
  for (size_t c = 0; c < factors.size(); ++c)
    options.factors[c] = factors[c].value_or(options.factors[c]);
  ASSIGN_OR_RETURN(options.shortest, ParseDuration(refresh_shortest, "refresh-shortest"));
  ASSIGN_OR_RETURN(options.longest, ParseDuration(refresh_longest, "refresh-longest"));
  if (options.shortest < absl::Seconds(1))
    return WrongValue("refresh-shortest", refresh_shortest, "at least 1s");
  if (options.longest < options.shortest)
    return WrongValue("refresh-longest", refresh_longest, "at least --refresh-shortest");
  return options;
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
  ASSIGN_OR_RETURN(options.fetch_log_bytes_max, ParseBytes(fetch_log_max, "fetch-log-max"));
  if (fetch_log_files < 0 || fetch_log_files > 1000)
    return WrongValue("fetch-log-files", absl::StrCat(fetch_log_files), "from 0 to 1,000");
  options.fetch_log_files = fetch_log_files;
  options.again = again;
  options.referrers = referrers;
  ASSIGN_OR_RETURN(options.refresh, Refresh());
  RETURN_IF_ERROR(focus.ApplyTo(options));
  options.settle = !no_settle;
  if (!(error_max > 0 && error_max <= 1))
    return WrongValue("error", absl::StrCat(error_max), "above 0 and at most 1");
  options.error_max = error_max;
  RETURN_IF_ERROR(CheckVisits("settle-rate", settle_rate));
  options.settles_per_s = settle_rate;
  RETURN_IF_ERROR(CheckVisits("settle-per-fetch", settles_per_fetch));
  options.settles_per_fetch = settles_per_fetch;
  if (!(unread_share >= 0 && unread_share <= 1))
    return WrongValue("unread-share", absl::StrCat(unread_share), "from 0 to 1");
  options.unread_share = unread_share;
  if (workers < 1 || workers > 256)
    return WrongValue("workers", absl::StrCat(workers), "from 1 to 256");
  options.workers = workers;
  options.product_token = agent;
  RETURN_IF_ERROR(links.ApplyTo(options));
  if (change_digest != "text" && change_digest != "bytes")
    return WrongValue("change-digest", change_digest, "one of text, bytes");
  ASSIGN_OR_RETURN(options.duplicates, UseOf("duplicates", duplicates, /*near=*/false));
  options.near_duplicates = options.duplicates;
  if (!near_duplicates.empty()) {
    ASSIGN_OR_RETURN(options.near_duplicates, UseOf("near-duplicates", near_duplicates, true));
  }
  options.links.text_sketch = options.near_duplicates != desk::DuplicateUse::kOff;
  options.links.text_digest =
      (continuous || options.links.text_sketch || options.duplicates != desk::DuplicateUse::kOff) &&
      change_digest == "text";
  if (canonical != "site" && canonical != "off")
    return WrongValue("canonical", canonical, "one of site, off");
  options.canonical = canonical == "site";
  absl::StatusOr<desk::AcceptList> list = desk::AcceptList::Parse(accept);
  if (!list.ok()) return base::WithContext(list.status(), "--accept");
  options.accept = *std::move(list);
  ASSIGN_OR_RETURN(options.charter, CharterOf(*this));
  if (in_flight < 1 || in_flight > 10'000)
    return WrongValue("in-flight", absl::StrCat(in_flight), "from 1 to 10,000");
  options.fetch.in_flight_max = in_flight;
  options.fetch.per_address_max = per_address;
  options.fetch.user_agent = absl::StrCat(agent, "/", base::Version());
  if (!contact.empty()) absl::StrAppend(&options.fetch.user_agent, " (+", contact, ")");
  ASSIGN_OR_RETURN(options.fetch.total_timeout, ParseDuration(timeout, "timeout"));
  ASSIGN_OR_RETURN(options.fetch.connect_timeout,
                   ParseDuration(connect_timeout, "connect-timeout"));
  ASSIGN_OR_RETURN(options.fetch.body_bytes_max, ParseBytes(body_max, "body-max"));
  ASSIGN_OR_RETURN(options.memory, MemoryOf(*this, options.fetch.body_bytes_max));
  options.fetch.allow_private = allow_private;
  ASSIGN_OR_RETURN(options.fetch.proxy, ProxyOf(proxy, proxy_file));
  options.fetch.ca_file = ca_file;
  for (const std::string& route : connect_to) {
    if (!IsRoute(route)) return WrongValue("connect-to", route, "HOST:PORT:ADDRESS:PORT");
  }
  options.fetch.connect_to = connect_to;
  ASSIGN_OR_RETURN(options.fetch.headers, ParseHeaders(headers));
  options.cookies = cookies;
  ASSIGN_OR_RETURN(options.fetch.host_access, ReadHostAccess(auth_file, insecure));
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
