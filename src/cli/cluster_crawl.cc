#include "cli/cluster_crawl.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/counted.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "cli/crawl_json.h"
#include "cli/crawl_summary.h"
#include "cli/exit_code.h"
#include "cli/given_options.h"
#include "cli/json_output.h"
#include "cli/membership_flags.h"
#include "cli/page_listing.h"
#include "cli/patiently.h"
#include "cli/progress.h"
#include "cli/seed_control.h"
#include "cli/seed_file.h"
#include "cli/share_rules.h"
#include "cluster/shard_map.h"
#include "process/signals.h"
#include "rpc/cluster_answers.h"
#include "rpc/cluster_sums.h"
#include "rpc/gate.h"
#include "rpc/node_client.h"

namespace opic::cli {
namespace {

constexpr absl::Duration kPoll = absl::Milliseconds(250);
constexpr absl::Duration kStatusPatience = absl::Seconds(5);
// A node says that it is finished a moment before it hears of new pages: it must say so twice.
constexpr int kFinishedPolls = 2;

// The nodes of a cluster, asked from outside.
class Nodes {
 public:
  static absl::StatusOr<Nodes> Of(const ClusterCrawlFlags& flags) {
    ASSIGN_OR_RETURN(ClusterNodes cluster, ClusterNodes::Open(flags));
    return Nodes(std::move(cluster));
  }

  absl::StatusOr<node::Answers::TopPages> Top(size_t count) { return answers_->Top({count}); }

  // The sum over the nodes that answer soon; the others are named in it.
  node::NodeStats Stats() {
    std::vector<absl::StatusOr<node::NodeStats>> answers(watchers_.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < watchers_.size(); ++i)
      threads.emplace_back([&, i] { answers[i] = watchers_[i]->Stats(); });
    for (std::thread& thread : threads) thread.join();
    node::NodeStats sum;
    for (size_t i = 0; i < answers.size(); ++i) {
      if (answers[i].ok()) {
        rpc::AddTo(sum, *answers[i]);
      } else {
        sum.missing.push_back(member(i).name);
      }
    }
    return sum;
  }

  // Until all answer. The first error, when the patience, which they share, is over.
  absl::Status Await() const {
    base::Clock& clock = base::RealClock::Get();
    const absl::Time until = clock.Steady() + cluster_.patience();
    return Each([&](const cluster::MemberNode& member, rpc::NodeClient& node) {
      const auto waiting = [&](const absl::Status& why) {
        TellOfWait(member.name, std::string(why.message()));
      };
      return AskPatiently([&] { return node.Stats().status(); },
                          {.most = until - clock.Steady(), .waiting = waiting});
    });
  }
  // Calls `tell` for every node. The first error, with the node's name.
  using Tell = std::function<absl::Status(const cluster::MemberNode& member, rpc::NodeClient&)>;
  absl::Status Each(const Tell& tell) const {
    for (size_t i = 0; i < cluster_.clients().size(); ++i) {
      RETURN_IF_ERROR(
          base::WithContext(tell(member(i), *cluster_.clients()[i]),
                            absl::StrCat("node ", member(i).name, " at ", member(i).address)));
    }
    return absl::OkStatus();
  }
  absl::Status ShareRules() const { return cli::ShareRules(cluster_.map(), cluster_.clients()); }
  const std::string& address() const { return member(0).address; }
  size_t count() const { return cluster_.clients().size(); }

 private:
  explicit Nodes(ClusterNodes cluster)
      : cluster_(std::move(cluster)),
        answers_(std::make_unique<rpc::ClusterAnswers>(
            cluster_.map(), NodeId{0},
            rpc::ClusterMembers(cluster_.clients().begin(), cluster_.clients().end()))) {
    for (const cluster::MemberNode& node : cluster_.map().nodes()) {
      watchers_.push_back(cluster_.WithPatience(node.id, kStatusPatience));
    }
  }
  const cluster::MemberNode& member(size_t i) const { return cluster_.map().nodes()[i]; }

  ClusterNodes cluster_;
  std::unique_ptr<rpc::ClusterAnswers> answers_;
  std::vector<std::unique_ptr<rpc::NodeClient>> watchers_;  // of less patience
};

absl::StatusOr<node::CrawlOrder> OrderOf(const CrawlFlags& flags) {
  ASSIGN_OR_RETURN(const node::CrawlOptions options, flags.NodeOptions());
  node::CrawlOrder order;
  for (const std::string& seed : options.seeds) RETURN_IF_ERROR(CheckSeed(seed));
  order.seeds = options.seeds;
  order.scope = flags.scope;
  order.include = options.scope.include;
  order.exclude = options.scope.exclude;
  order.depth = options.scope.depth_max;
  order.traps = flags.traps;
  order.strip_tracking = flags.strip_tracking;
  order.publications = options.focus;
  return order;
}

bool AsksForSomething(const node::CrawlOrder& order) {
  return !order.seeds.empty() || !order.scope.empty() || order.include || order.exclude ||
         order.depth || !order.traps.empty() || order.strip_tracking || !order.publications.empty();
}

// All nodes must answer before any is ordered to: an order that only some have would have to be
// repeated.
// `answers`: what became of the seeds.
absl::Status Begin(Nodes& nodes, const node::CrawlOrder& order, SeedAnswers& answers) {
  RETURN_IF_ERROR(nodes.Await());
  RETURN_IF_ERROR(nodes.ShareRules());
  if (!AsksForSomething(order)) {
    const bool crawls = nodes.Stats().loop.pages > 0;
    return crawls ? absl::OkStatus()
                  : absl::InvalidArgumentError("no seeds: give at least one URL to start from");
  }
  return nodes.Each([&](const cluster::MemberNode&, rpc::NodeClient& node) -> absl::Status {
    ASSIGN_OR_RETURN(const node::SeedResults results, node.control().BeginCrawl(order));
    answers.Take(results);
    return absl::OkStatus();
  });
}

void SayThatItBegins(const ClusterCrawlFlags& flags, const SeedAnswers& answers, size_t nodes) {
  fmt::print("{}", answers.InWords());
  fmt::print(stderr, "{} {} crawling; watch with:  opic crawl --cluster {}\n",
             base::Counted(nodes, "node"), nodes == 1 ? "is" : "are", ForShell(flags.cluster));
}

// Says once who does not answer, and once that all do again.
class MissingNodes {
 public:
  void Are(const std::vector<std::string>& missing) {
    if (missing == last_) return;
    last_ = missing;
    if (missing.empty()) {
      base::LogInfo("all nodes answer again");
    } else {
      base::LogWarning("no answer from {}; their pages wait, the other nodes go on",
                       absl::StrJoin(missing, ", "));
    }
  }

 private:
  std::vector<std::string> last_;
};

struct Watched {
  bool interrupted = false;
  node::NodeStats stats;
};

Watched Watch(Nodes& nodes, bool quiet) {
  ProgressLine progress({}, quiet);
  MissingNodes missing;
  int finished = 0;
  while (true) {
    if (process::SignalCaught()) return {true, {}};
    node::NodeStats stats = nodes.Stats();
    missing.Are(stats.missing);
    progress.Show(stats);
    process::ReopenLogWhenAsked();
    // Of a continuous crawl all may be read, and the next page is due in a moment.
    const bool for_ever = stats.loop.refresh.on && !stats.loop.limit_reached;
    const bool over = !stats.nodes.empty() && stats.loop.phase == node::Phase::kFinished &&
                      stats.missing.empty() && !for_ever;
    finished = over ? finished + 1 : 0;
    if (finished == kFinishedPolls) return {false, std::move(stats)};
    process::AwaitSignal(kPoll);
  }
}

void SayHowToGoOn(const ClusterCrawlFlags& flags, const Nodes& nodes) {
  fmt::print(stderr,
             "The nodes go on crawling.\n"
             "  watch again:   opic crawl --cluster {}\n"
             "  a node waits:  opic control pause --node {}    (then: resume)\n"
             "  a node stops:  opic control stop --node {}\n",
             ForShell(flags.cluster), nodes.address(), nodes.address());
}

absl::StatusOr<int> Crawl(const CrawlFlags& crawl, const RunOptions& run,
                          const ClusterCrawlFlags& flags) {
  ASSIGN_OR_RETURN(const node::CrawlOrder order, OrderOf(crawl));
  ASSIGN_OR_RETURN(Nodes nodes, Nodes::Of(flags));
  SeedAnswers answers(order.seeds);
  RETURN_IF_ERROR(Begin(nodes, order, answers));
  if (flags.detach) {
    if (run.json) {
      PrintJson({{"nodes", nodes.count()}, {"seeds", answers.ToJson()}});
    } else if (!run.quiet) {
      SayThatItBegins(flags, answers, nodes.count());
    }
    return kOk;
  }
  process::CatchSignals();
  const Watched watched = Watch(nodes, run.quiet);
  if (watched.interrupted) {
    if (!run.quiet) SayHowToGoOn(flags, nodes);
    if (run.json) PrintJson({{"ended", kInterruptedEnd}});
    return kInterrupted;
  }
  ASSIGN_OR_RETURN(const node::Answers::TopPages top, nodes.Top(std::max(run.top, 1u)));
  const std::string why = WhyNothingWasFetched(watched.stats, top.pages);
  if (run.json) {
    const bool limit = watched.stats.loop.limit_reached;
    nlohmann::ordered_json json = CrawlJson(limit ? kLimitEnd : kFinishedEnd, watched.stats, why);
    json["top"] = TopJson(top.pages, run.top);
    PrintJson(json);
  }
  if (!why.empty()) {
    fmt::print(stderr, "opic: {}\n", why);
    return kNothingFetched;
  }
  if (run.quiet) return kOk;
  std::fputs(Summary(watched.stats, absl::ZeroDuration()).c_str(), stderr);
  if (run.top > 0 && !run.json) PrintPages(top.pages, stdout);
  return kOk;
}

}  // namespace

void ClusterCrawlFlags::AddTo(CLI::App& app) {
  app.add_option("--cluster", cluster,
                 "crawl with the nodes of this cluster instead of in this process");
  app.add_flag("--detach", detach, "with --cluster: start the crawl and return at once");
  app.add_option("--patience", patience,
                 "with --cluster: how long to wait for an answer, also of nodes that are only "
                 "starting (default 60s)");
  AddTlsFlags(app, tls);
}

absl::Status RefuseNodeSettings(const CLI::App& app) {
  static const std::set<std::string> kOurs = {
      "seeds",         "--seed-file", "--strict",         "--scope",    "--include",
      "--exclude",     "--depth",     "--traps",          "--top",      "--quiet",
      "--cluster",     "--detach",    "--strip-tracking", "--config",   "--patience",
      "--tls-ca",      "--tls-cert",  "--tls-key",        "--log-file", "--token-file",
      "--log-format",  "--log-level", "--focus",          "--json",     "--check-config",
      "--print-config"};
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || kOurs.contains(option->get_name())) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(option->get_name(), " is a setting of the nodes: give it to opic-node"));
  }
  return absl::OkStatus();
}

absl::Status CheckClusterCrawl(const CrawlFlags& crawl, const RunOptions& run,
                               const ClusterCrawlFlags& flags) {
  RETURN_IF_ERROR(run.log.Check());
  RETURN_IF_ERROR(OrderOf(crawl).status());
  RETURN_IF_ERROR(ReadShardMap(flags.cluster).status());
  return ClientOptions(flags).status();
}

int CrawlWithCluster(const CrawlFlags& crawl, const RunOptions& run,
                     const ClusterCrawlFlags& flags) {
  if (const absl::Status log = run.log.Start(); !log.ok()) return PrintError(log);
  const absl::StatusOr<int> code = Crawl(crawl, run, flags);
  return code.ok() ? *code : PrintError(code.status());
}

}  // namespace opic::cli
