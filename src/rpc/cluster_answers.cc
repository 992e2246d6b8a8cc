#include "rpc/cluster_answers.h"

#include <algorithm>
#include <map>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/check.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "node/typed_url.h"
#include "rpc/cluster_sums.h"
#include "rpc/node_client.h"
#include "rpc/sites_wire.h"
#include "url/url.h"

namespace opic::rpc {
namespace {

constexpr int kAudits = 4;  // that are tried when restarts tear them
constexpr absl::Duration kBetweenAudits = absl::Milliseconds(300);
// Each node is asked for its share of so many sites more than are wanted: one that is among the
// best of all may be none of the best anywhere.
constexpr size_t kSitesMore = 1'000, kSitesTimes = 4;
constexpr absl::Duration kPatience = absl::Seconds(10);
constexpr absl::Duration kScanPatience = absl::Seconds(50);  // below a client's minute

url::UrlHash HashOf(const cluster::ShardMap& map) {
  const ledger::Charter charter = map.CharterOf(NodeId{0});
  return url::UrlHash(charter.shard_by, charter.shards);
}

}  // namespace

ClusterAnswers::ClusterAnswers(const cluster::ShardMap& map, NodeId self, ClusterMembers members,
                               std::function<Owners()> owners)
    : map_(map),
      hash_(HashOf(map)),
      self_(self),
      members_(std::move(members)),
      owners_(std::move(owners)) {
  OPIC_CHECK(members_.size() == map_.nodes().size() && self.value < members_.size());
}

template <typename Answer>
std::vector<absl::StatusOr<Answer>> ClusterAnswers::AskAll(
    const std::function<absl::StatusOr<Answer>(node::RunningNode&)>& ask) const {
  std::vector<absl::StatusOr<Answer>> answers(members_.size());
  std::vector<std::thread> threads;
  for (size_t n = 0; n < members_.size(); ++n)
    threads.emplace_back([&, n] { answers[n] = ask(*members_[n]); });
  for (std::thread& thread : threads) thread.join();
  return answers;
}

template <typename Answer>
absl::StatusOr<std::vector<std::string>> ClusterAnswers::Missing(
    const std::vector<absl::StatusOr<Answer>>& answers) {
  std::vector<std::string> missing;
  for (const cluster::MemberNode& node : map_.nodes()) {
    const absl::Status& status = answers[node.id.value].status();
    NoteAnswer(node, status);
    if (!status.ok()) missing.push_back(node.name);
  }
  if (missing.size() == answers.size()) return absl::UnavailableError("no node answers");
  return missing;
}

// Once for each time that a node is away, however much is asked.
void ClusterAnswers::NoteAnswer(const cluster::MemberNode& node, const absl::Status& answer) {
  const bool away = absl::IsUnavailable(answer) || absl::IsDeadlineExceeded(answer);
  {
    absl::MutexLock lock(&mu_);
    const bool known = away ? !away_.insert(node.id).second : away_.erase(node.id) == 0;
    if (known && (away || answer.ok())) return;
  }
  if (answer.ok()) {
    base::LogInfo("node {} answers again", node.name);
  } else {
    base::LogWarning("node {} does not answer: {}", node.name, std::string(answer.message()));
  }
}

absl::StatusOr<std::vector<node::PageImportance>> ClusterAnswers::Importance(
    const std::vector<std::string>& urls) {
  std::vector<node::PageImportance> pages(urls.size());
  const Owners owners = owners_ ? owners_() : nullptr;
  std::map<uint16_t, std::vector<size_t>> of_owner;
  for (size_t i = 0; i < urls.size(); ++i) {
    ASSIGN_OR_RETURN(const url::Url url, node::TypedUrl(urls[i]));
    const NodeId owner = OwnerOf(url, owners);
    of_owner[owner.value].push_back(i);
    pages[i].url = url.text();
    pages[i].unanswered_by = map_.node(owner).name;
  }
  std::vector<std::thread> threads;
  for (const auto& [owner, indices] : of_owner) {
    threads.emplace_back([&, &member = *members_[owner], &indices = indices] {
      std::vector<std::string> asked;
      for (size_t i : indices) asked.push_back(urls[i]);
      absl::StatusOr<std::vector<node::PageImportance>> answer = member.Importance(asked);
      if (!answer.ok() || answer->size() != indices.size()) return;
      for (size_t k = 0; k < indices.size(); ++k) pages[indices[k]] = std::move((*answer)[k]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return pages;
}

NodeId ClusterAnswers::OwnerOf(const url::Url& page, const Owners& owners) const {
  const ShardId shard = hash_.PageOf(page).shard();
  const NodeId owner = owners ? (*owners)[shard.value] : map_.OwnerOf(shard);
  return owner.value < members_.size() ? owner : map_.OwnerOf(shard);
}

absl::StatusOr<node::PageExplanation> ClusterAnswers::Explain(const std::string& url) {
  ASSIGN_OR_RETURN(const url::Url parsed, node::TypedUrl(url));
  const NodeId owner = OwnerOf(parsed, owners_ ? owners_() : nullptr);
  absl::StatusOr<node::PageExplanation> explanation = members_[owner.value]->Explain(url);
  if (explanation.ok()) return explanation;
  node::PageImportance page;
  page.url = parsed.text();
  page.unanswered_by = map_.node(owner).name;
  return node::ExplanationOf(std::move(page), absl::Now());
}

absl::StatusOr<node::Answers::TopPages> ClusterAnswers::Top(const node::TopQuery& query) {
  // A wrong one is not a node's fault.
  RETURN_IF_ERROR(node::Checked(query.filter).status());
  std::vector<absl::StatusOr<TopPages>> answers =
      AskAll<TopPages>([&query](node::RunningNode& member) { return member.Top(query); });
  ASSIGN_OR_RETURN(std::vector<std::string> missing, Missing(answers));
  std::vector<TopPages> parts;
  for (absl::StatusOr<TopPages>& answer : answers) {
    if (answer.ok()) parts.push_back(*std::move(answer));
  }
  TopPages top = Merge(std::move(parts), query.count);
  top.missing = std::move(missing);
  return top;
}

absl::StatusOr<node::TopSites> ClusterAnswers::Sites(const node::SitesQuery& query) {
  const bool apart = query.kind == node::SiteKind::kHost &&
                     map_.CharterOf(NodeId{0}).shard_by == url::ShardBy::kHost;
  node::SitesQuery asked = query;
  if (!apart) asked.count = std::min(kSitesMax, kSitesMore + kSitesTimes * query.count);
  std::vector<absl::StatusOr<node::TopSites>> answers =
      AskAll<node::TopSites>([&asked](node::RunningNode& member) { return member.Sites(asked); });
  for (const absl::StatusOr<node::TopSites>& answer : answers) {
    if (absl::IsOutOfRange(answer.status())) return answer.status();
  }
  ASSIGN_OR_RETURN(std::vector<std::string> missing, Missing(answers));
  std::vector<node::TopSites> parts;
  for (absl::StatusOr<node::TopSites>& answer : answers) {
    if (answer.ok()) parts.push_back(*std::move(answer));
  }
  node::TopSites top = Merge(std::move(parts), query.count, apart);
  top.missing = std::move(missing);
  return top;
}

absl::StatusOr<node::NodeStats> ClusterAnswers::Stats() {
  std::vector<absl::StatusOr<node::NodeStats>> answers =
      AskAll<node::NodeStats>([](node::RunningNode& member) { return member.Stats(); });
  node::NodeStats sum;
  ASSIGN_OR_RETURN(sum.missing, Missing(answers));
  for (const cluster::MemberNode& node : map_.nodes()) {
    absl::StatusOr<node::NodeStats>& answer = answers[node.id.value];
    if (!answer.ok()) continue;
    answer->name = node.name;
    AddTo(sum, *answer);
  }
  return sum;
}

// Epochs travel with every message between the nodes, so that this node mostly knows the latest.
uint64_t ClusterAnswers::LatestEpoch(bool ask_everybody) const {
  uint64_t latest = 0;
  const auto hear = [&](const absl::StatusOr<node::NodeStats>& stats) {
    if (stats.ok()) latest = std::max(latest, stats->loop.epoch);
  };
  if (!ask_everybody) {
    hear(members_[self_.value]->Stats());
    return latest;
  }
  for (const absl::StatusOr<node::NodeStats>& stats :
       AskAll<node::NodeStats>([](node::RunningNode& member) { return member.Stats(); }))
    hear(stats);
  return latest;
}

absl::StatusOr<node::Audit> ClusterAnswers::TakeAudit() {
  absl::StatusOr<node::Audit> audit;
  Parts earlier;
  uint64_t epoch = 0;
  for (int tried = 0; tried < kAudits; ++tried) {
    // A node that has just been started hears of the epoch with the sums of its peers.
    if (tried > 0) absl::SleepFor(kBetweenAudits);
    // What it says may be older than its part of the last try, which is not to be taken again.
    epoch = std::max(epoch, LatestEpoch(/*ask_everybody=*/tried > 0)) + 1;
    Parts parts = TakeCuts(epoch);
    audit = Sum(epoch, parts);
    if (!absl::IsAborted(audit.status()) && !absl::IsOutOfRange(audit.status())) break;
    RETURN_IF_ERROR(CheckContradiction(earlier, parts));
    earlier = std::move(parts);
  }
  if (!audit.ok() || audit->partial()) return audit;
  absl::MutexLock lock(&mu_);
  fitted_ = absl::Now();
  contradict_since_.clear();
  return audit;
}

ClusterAnswers::Parts ClusterAnswers::TakeCuts(uint64_t epoch) const {
  return AskAll<ledger::Cut>([epoch](node::RunningNode& member) { return member.TakeCut(epoch); });
}

absl::StatusOr<node::Audit> ClusterAnswers::Sum(uint64_t epoch, const Parts& parts) {
  for (const absl::StatusOr<ledger::Cut>& part : parts) {
    if (absl::IsAborted(part.status()) || absl::IsOutOfRange(part.status())) return part.status();
    if (part.ok() && part->epoch != epoch) return absl::AbortedError("parts of another cut");
  }
  RETURN_IF_ERROR(Missing(parts).status());
  return AuditOf(map_, parts);
}

absl::Status ClusterAnswers::CheckContradiction(const Parts& earlier, const Parts& later) {
  std::vector<ledger::Cut> then, now;
  for (const auto& part : earlier) {
    if (part.ok()) then.push_back(*part);
  }
  for (const auto& part : later) {
    if (part.ok()) now.push_back(*part);
  }
  if (then.size() != members_.size() || now.size() != members_.size()) return absl::OkStatus();
  const std::optional<cluster::Contradiction> found = cluster::ContradictionOf(then, now);
  return found ? absl::DataLossError(Tell(*found)) : absl::OkStatus();
}

std::string ClusterAnswers::Tell(const cluster::Contradiction& found) {
  const std::string sender = map_.node(found.sender).name;
  const std::string receiver = map_.node(found.receiver).name;
  const std::string behind = found.sender_is_behind ? sender : receiver;
  absl::MutexLock lock(&mu_);
  const absl::Time since =
      contradict_since_.try_emplace({found.sender, found.receiver}, absl::Now()).first->second;
  const std::string fitted =
      fitted_ == absl::InfinitePast()
          ? "no audit on this node has balanced since it was started"
          : "the last audit that balanced was at " + absl::FormatTime(fitted_);
  return absl::StrCat(
      "the audit cannot be made: ", sender, " and ", receiver, " contradict each other. ",
      found.sender_is_behind
          ? absl::StrCat(receiver, " has applied batch ", found.batch, " of ", sender,
                         ", which has sealed no more than ", found.last)
          : absl::StrCat(sender, " has the acknowledgement of ", receiver, " for batch ",
                         found.batch, ", and ", receiver, " has applied no more than ", found.last),
      ". They have disagreed since at least ", absl::FormatTime(since), "; ", fitted,
      ". The data folder of ", behind,
      " is an older copy, a second copy is running, one of the two was declared lost and still "
      "runs, or a message was forged. ",
      "See the alarms of `opic status`; put the newest folder of ", behind,
      " back, or give it up with `opic cluster declare-lost ", behind, "`");
}

ClusterMembers MembersOf(const cluster::ShardMap& map, NodeId self,
                         std::shared_ptr<node::RunningNode> own,
                         const std::optional<TlsIdentity>& tls, const std::string& token) {
  ClusterMembers members;
  for (const cluster::MemberNode& node : map.nodes()) {
    members.push_back(node.id == self
                          ? std::move(own)
                          : NodeClient::To(node.address, {.patience = kPatience,
                                                          .scan_patience = kScanPatience,
                                                          .local_only = true,
                                                          .tls = tls,
                                                          .name = node.name,
                                                          .token = token}));
  }
  return members;
}

}  // namespace opic::rpc
