// opic publish: how certain pages are visited, whatever the plan of refreshes finds best.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <map>
#include <random>

#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "base/counted.h"
#include "base/quoted.h"
#include "base/status_macros.h"
#include "cli/crawl_flags.h"
#include "cli/publication_output.h"
#include "cli/quantity.h"
#include "cli/question.h"
#include "cli/suggestion.h"
#include "node/publication_memory.h"
#include "node/resting_publications.h"
#include "refresh/publication.h"
#include "rpc/gate.h"
#include "rpc/resting_trail.h"

namespace opic::cli {
namespace {

using refresh::Publication;
using refresh::Treatment;

struct PublishFlags : TargetFlags {
  std::string action;
  std::vector<std::string> words;  // what the action takes, then URLs
  std::vector<std::string> prefixes, hosts;
  bool subdomains = false;
  std::string changes_every, until, lasts, note, id;
};

const std::vector<std::string>& Actions() {
  static const auto& actions =
      *new std::vector<std::string>{"now", "never", "every", "rate", "boost", "list", "withdraw"};
  return actions;
}

// `name`: what it is, for messages.
absl::StatusOr<absl::Duration> ParsePeriod(const std::string& text, const std::string& name) {
  if (const std::optional<absl::Duration> period = DurationOf(text)) return *period;
  return absl::InvalidArgumentError(
      absl::StrCat(name, " ", base::Quoted(text), ": must be ", std::string(kTimesWords)));
}

// Unix seconds; 0: until it is withdrawn.
absl::StatusOr<int64_t> ParseUntil(const PublishFlags& flags) {
  if (!flags.lasts.empty()) {
    ASSIGN_OR_RETURN(const absl::Duration lasts, ParsePeriod(flags.lasts, "--for"));
    if (lasts < absl::Seconds(1))
      return absl::InvalidArgumentError("--for " + flags.lasts + ": must be at least 1s");
    return absl::ToUnixSeconds(absl::Now() + lasts);
  }
  if (flags.until.empty()) return 0;
  absl::Time until;
  for (const char* format : {absl::RFC3339_full, "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"}) {
    if (!absl::ParseTime(format, flags.until, absl::UTCTimeZone(), &until, nullptr)) continue;
    if (until <= absl::Now())
      return absl::InvalidArgumentError("--until " + flags.until + ": that time is over");
    return absl::ToUnixSeconds(until);
  }
  return absl::InvalidArgumentError(
      "--until " + base::Quoted(flags.until) +
      ": must be a time such as 2026-12-31, 2026-12-31T18:00 (UTC) or 2026-12-31T18:00:00+01:00");
}

// Of "every" and "boost" the first word is a number, and not a URL.
absl::StatusOr<double> TakeAmount(Treatment treatment, const PublishFlags& flags,
                                  std::vector<std::string>& words) {
  if (treatment == Treatment::kRate) {
    if (flags.changes_every.empty())
      return absl::InvalidArgumentError("rate needs --changes-every TIME, for example 1d");
    ASSIGN_OR_RETURN(const absl::Duration mean,
                     ParsePeriod(flags.changes_every, "--changes-every"));
    if (mean <= absl::ZeroDuration())
      return absl::InvalidArgumentError("--changes-every " + flags.changes_every +
                                        ": must be above 0");
    return 1 / absl::ToDoubleSeconds(mean);
  }
  if (treatment != Treatment::kEvery && treatment != Treatment::kBoost) return 0.0;
  const bool every = treatment == Treatment::kEvery;
  if (words.empty())
    return absl::InvalidArgumentError(every ? "every needs a PERIOD, for example 1h"
                                            : "boost needs a FACTOR, for example 10");
  const std::string word = words.front();
  words.erase(words.begin());
  if (every) {
    ASSIGN_OR_RETURN(const absl::Duration period, ParsePeriod(word, "PERIOD"));
    return absl::ToDoubleSeconds(period);
  }
  double factor = 0;
  if (!absl::SimpleAtod(word, &factor))
    return absl::InvalidArgumentError("FACTOR " + base::Quoted(word) + ": must be a number");
  return factor;
}

uint64_t RandomId() {
  std::random_device device;
  const uint64_t number = uint64_t{device()} << 32 | device();
  return 1 + number % Publication::kIdMax;
}

// As every node makes them of it: nothing is told to any when one of them cannot be.
absl::StatusOr<std::vector<Publication>> PublicationsOf(const PublishFlags& flags) {
  Publication common;
  common.treatment = *refresh::TreatmentNamed(flags.action);
  common.note = flags.note;
  std::vector<std::string> urls = flags.words;
  ASSIGN_OR_RETURN(common.amount, TakeAmount(common.treatment, flags, urls));
  ASSIGN_OR_RETURN(common.until, ParseUntil(flags));
  if (flags.subdomains && flags.hosts.empty())
    return absl::InvalidArgumentError("--subdomains needs --host HOST");
  std::vector<Publication> all;
  const auto add = [&](refresh::Target target, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      common.id = RandomId(), common.target = target, common.of = text;
      all.push_back(common);
    }
  };
  add(refresh::Target::kUrl, urls);
  add(refresh::Target::kPrefix, flags.prefixes);
  add(flags.subdomains ? refresh::Target::kDomain : refresh::Target::kHost, flags.hosts);
  if (all.empty())
    return absl::InvalidArgumentError(flags.action +
                                      " needs a target: URLs, --prefix URL, or --host HOST");
  for (Publication& publication : all) {
    ASSIGN_OR_RETURN(publication, node::Normalised(publication));
  }
  if (flags.id.empty()) return all;
  const std::optional<uint64_t> id = refresh::IdOf(flags.id);
  if (!id)
    return absl::InvalidArgumentError("--id " + base::Quoted(flags.id) +
                                      ": must be an id that `opic publish list` shows");
  if (all.size() > 1)
    return absl::InvalidArgumentError("--id " + flags.id + ": give one target, not " +
                                      base::Counted(all.size(), "target"));
  all[0].id = *id;
  return all;
}

struct NamedNode {
  std::string name;  // of the node; empty: in no cluster
  rpc::NodeClient* client;
};

// Every node of a cluster, or the one that is named.
std::vector<NamedNode> NodesOf(const PublishFlags& flags, cli::Target& target) {
  if (target.nodes().empty() || !flags.node.empty()) return {{"", target.client()}};
  std::vector<NamedNode> nodes;
  for (const cluster::MemberNode& node : target.map().nodes())
    nodes.push_back({node.name, target.nodes()[node.id.value].get()});
  return nodes;
}

absl::Status WithName(const absl::Status& status, const NamedNode& node) {
  return node.name.empty() ? status : base::WithContext(status, "node " + node.name);
}

// Every node is told, also when one before it does not answer. The same id on all of them.
absl::Status PublishOn(const std::vector<NamedNode>& nodes, const Publication& publication,
                       PublishedOutput& output) {
  absl::Status first;
  bool seeded = false, any_told = false;
  for (const NamedNode& node : nodes) {
    const absl::StatusOr<node::Published> published = node.client->control().Publish(publication);
    const absl::Status told = WithName(published.status(), node);
    if (!told.ok() && nodes.size() > 1) fmt::print(stderr, "{}\n", std::string(told.message()));
    first.Update(told);
    any_told |= published.ok();
    seeded |= published.ok() && published->seeded;
  }
  if (!first.ok() && any_told) {
    fmt::print(stderr, "some nodes lack it: repeat the command, for {} alone, with --id {}\n",
               refresh::DescribeTarget(publication), refresh::IdText(publication.id));
  }
  RETURN_IF_ERROR(first);
  output.Add(publication, seeded);
  return absl::OkStatus();
}

absl::Status Publish(const PublishFlags& flags, const std::vector<NamedNode>& nodes) {
  ASSIGN_OR_RETURN(const std::vector<Publication> publications, PublicationsOf(flags));
  PublishedOutput output(flags.json);
  absl::Status first;
  for (const Publication& publication : publications)
    first.Update(PublishOn(nodes, publication, output));
  return first;
}

absl::StatusOr<std::vector<uint64_t>> IdsOf(const PublishFlags& flags) {
  if (flags.words.empty())
    return absl::InvalidArgumentError("withdraw needs an ID: `opic publish list` shows the ids");
  std::vector<uint64_t> ids;
  for (const std::string& word : flags.words) {
    const std::optional<uint64_t> id = refresh::IdOf(word);
    if (!id)
      return absl::InvalidArgumentError(base::Quoted(word) +
                                        " is not an id: `opic publish list` shows the ids");
    ids.push_back(*id);
  }
  return ids;
}

// A node that does not have it is no error, as long as one does.
absl::Status Withdraw(const PublishFlags& flags, const std::vector<NamedNode>& nodes) {
  ASSIGN_OR_RETURN(const std::vector<uint64_t> ids, IdsOf(flags));
  std::vector<uint64_t> withdrawn;
  absl::Status first;
  for (const uint64_t id : ids) {
    bool found = false;
    absl::Status missing;
    for (const NamedNode& node : nodes) {
      const absl::Status told = node.client->control().Withdraw(id);
      found |= told.ok();
      (absl::IsNotFound(told) ? missing : first).Update(WithName(told, node));
    }
    if (found) withdrawn.push_back(id);
    if (!found) first.Update(missing);
  }
  PrintWithdrawn(withdrawn, flags.json);
  return first;
}

absl::StatusOr<int> List(const PublishFlags& flags, const std::vector<NamedNode>& nodes) {
  std::map<uint64_t, ListedPublication> by_id;
  std::vector<std::string> missing;
  absl::Status first;
  for (const NamedNode& node : nodes) {
    const absl::StatusOr<std::vector<Publication>> told = node.client->control().Publications();
    if (!told.ok()) {
      first.Update(WithName(told.status(), node));
      missing.push_back(node.name);
      continue;
    }
    for (const Publication& publication : *told) {
      ListedPublication& listed =
          by_id.try_emplace(publication.id, ListedPublication{publication, {}}).first->second;
      if (!node.name.empty()) listed.nodes.push_back(node.name);
    }
  }
  if (missing.size() == nodes.size()) return first;
  if (!first.ok()) fmt::print(stderr, "{}\n", std::string(first.message()));
  std::vector<ListedPublication> list;
  for (auto& [id, listed] : by_id) list.push_back(std::move(listed));
  return ShowPublications(std::move(list), nodes.size() - missing.size(), missing, flags.json);
}

absl::Status PublishAtRest(const PublishFlags& flags, node::RestingPublications& resting,
                           rpc::RestingTrail& trail) {
  ASSIGN_OR_RETURN(std::vector<Publication> publications, PublicationsOf(flags));
  PublishedOutput output(flags.json);
  for (Publication& publication : publications) {
    publication.by = rpc::UserAtRest();
    RETURN_IF_ERROR(resting.Publish(publication, absl::Now()));
    trail.Published(publication);
    output.Add(publication, /*seeded=*/false);
  }
  return absl::OkStatus();
}

absl::StatusOr<int> RunAtRest(const PublishFlags& flags, const node::DataFolder& folder) {
  ASSIGN_OR_RETURN(node::RestingPublications resting,
                   node::RestingPublications::Open(folder, flags.action != "list", absl::Now()));
  if (flags.action == "list") {
    std::vector<ListedPublication> list;
    for (const auto& [id, publication] : resting.book().all()) list.push_back({publication, {}});
    return ShowPublications(std::move(list), /*nodes=*/0, {}, flags.json);
  }
  ASSIGN_OR_RETURN(rpc::RestingTrail trail, rpc::RestingTrail::Open(folder));
  if (flags.action != "withdraw") {
    RETURN_IF_ERROR(PublishAtRest(flags, resting, trail));
    return kOk;
  }
  ASSIGN_OR_RETURN(const std::vector<uint64_t> ids, IdsOf(flags));
  for (const uint64_t id : ids) {
    RETURN_IF_ERROR(resting.Withdraw(id));
    trail.Withdrawn(id);
  }
  PrintWithdrawn(ids, flags.json);
  return kOk;
}

// What is given and has no effect was meant for something.
absl::Status CheckUse(const PublishFlags& flags) {
  const bool publishes = refresh::TreatmentNamed(flags.action).has_value();
  const auto refuse = [&flags](bool given, bool used, const std::string& what) {
    if (!given || used) return absl::OkStatus();
    return absl::InvalidArgumentError(what + " does not go with " + flags.action);
  };
  const std::string word = flags.words.empty() ? "" : base::Quoted(flags.words.front());
  absl::Status first = refuse(!word.empty(), flags.action != "list", word);
  first.Update(refuse(!flags.changes_every.empty(), flags.action == "rate", "--changes-every"));
  first.Update(refuse(!flags.prefixes.empty(), publishes, "--prefix"));
  first.Update(refuse(!flags.hosts.empty(), publishes, "--host"));
  first.Update(refuse(flags.subdomains, publishes, "--subdomains"));
  first.Update(refuse(!flags.until.empty(), publishes, "--until"));
  first.Update(refuse(!flags.lasts.empty(), publishes, "--for"));
  first.Update(refuse(!flags.note.empty(), publishes, "--note"));
  first.Update(refuse(!flags.id.empty(), publishes, "--id"));
  return first;
}

absl::StatusOr<int> RunPublish(const PublishFlags& flags, cli::Target& target) {
  RETURN_IF_ERROR(CheckUse(flags));
  if (target.folder() != nullptr) return RunAtRest(flags, *target.folder());
  const std::vector<NamedNode> nodes = NodesOf(flags, target);
  if (flags.action == "list") return List(flags, nodes);
  RETURN_IF_ERROR(flags.action == "withdraw" ? Withdraw(flags, nodes) : Publish(flags, nodes));
  return kOk;
}

}  // namespace

Command AddPublish(CLI::App& opic) {
  return QuestionCommand<PublishFlags>(
      opic, "publish",
      "say how certain pages are visited: now, never again, at a fixed period, by a known change "
      "rate, boosted",
      RunPublish, [](CLI::App& app, PublishFlags& flags) {
        app.add_option("action", flags.action,
                       "now, never, every PERIOD, rate --changes-every TIME, boost FACTOR, list, "
                       "or withdraw ID")
            ->required()
            ->check([](const std::string& typed) { return WhyNoAction(typed, Actions()); });
        app.add_option("words", flags.words,
                       "PERIOD, FACTOR or ID, as the action needs; then the URLs it is for");
        app.add_option("--prefix", flags.prefixes,
                       "for all URLs that begin with this URL, byte by byte; may be repeated");
        app.add_option("--host", flags.hosts, "for all pages of this host; may be repeated");
        app.add_flag("--subdomains", flags.subdomains, "with --host: for its subdomains, too");
        app.add_option("--changes-every", flags.changes_every,
                       "for rate: mean time between two changes of a page, such as 6h or 1d");
        CLI::Option* until = app.add_option("--until", flags.until,
                                            "time at which the publication ends, such as "
                                            "2026-12-31T18:00 (UTC, or with an offset)");
        app.add_option("--for", flags.lasts,
                       "how long the publication holds, such as 12h, 7d or 2w")
            ->excludes(until);
        app.add_option("--note", flags.note,
                       "the reason, shown by list and explain; 256 bytes at most");
        app.add_option("--id", flags.id,
                       "id of a publication that only some nodes have, to give it to the others");
        app.final_callback([&flags] { flags.steers = flags.action != "list"; });
      });
}

}  // namespace opic::cli
