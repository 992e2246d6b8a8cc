// A node for tests of what questions and steers one: it answers as told, and notes what it was
// asked.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "absl/synchronization/notification.h"
#include "base/status_macros.h"
#include "node/running_node.h"

namespace opic::rpc {

// Of a node in no cluster; tests override the rest.
class ScriptedNode : public node::RunningNode, public node::Control {
 public:
  node::Control& control() override { return *this; }
  absl::StatusOr<std::vector<node::PageImportance>> Importance(
      const std::vector<std::string>& urls) override {
    std::vector<node::PageImportance> pages;
    for (const std::string& url : urls) {
      if (url == "nonsense") return absl::InvalidArgumentError("\"nonsense\" is no URL");
      node::PageImportance page = page_;
      page.url = url;
      pages.push_back(page);
    }
    return pages;
  }
  absl::StatusOr<node::PageExplanation> Explain(const std::string& url) override {
    ASSIGN_OR_RETURN(const std::vector<node::PageImportance> pages, Importance({url}));
    node::PageExplanation explanation = explanation_;
    explanation.page = pages.front();
    return explanation;
  }
  absl::StatusOr<TopPages> Top(const node::TopQuery& query) override {
    ++tops_;
    filter_ = query.filter;
    if (walks_ && !walks_(query.given_up)) return absl::CancelledError("given up");
    TopPages top;
    top.pages.resize(std::min(query.count, ranked_), page_);
    for (uint32_t place = 0; place < top.pages.size(); ++place) top.pages[place].depth = place;
    top.known = 123;
    top.matching = 45;
    top.clock = 4.5;
    top.error_bound = 0.25;
    return top;
  }
  absl::StatusOr<node::TopSites> Sites(const node::SitesQuery& query) override {
    sites_query_ = query;
    node::TopSites top = sites_;
    top.sites.resize(std::min(query.count, top.sites.size()));
    return top;
  }
  absl::StatusOr<node::Audit> TakeAudit() override { return audit_; }
  absl::StatusOr<node::NodeStats> Stats() override {
    if (hold != nullptr) hold->WaitForNotification();
    return stats_;
  }

  absl::Status Pause(bool paused) override {
    paused_ = paused;
    in_force_.paused_since.reset();
    if (paused) in_force_.paused_since = absl::FromUnixSeconds(1'700'000'000);
    return absl::OkStatus();
  }
  absl::Status SetLimits(const node::LimitChanges& changes, std::optional<uint32_t> depth,
                         bool as_started) override {
    limits_ = changes;
    depth_ = depth;
    limits_as_started_ = as_started;
    return node::CheckLimits(changes, 1'000);
  }
  absl::Status SetLogLevel(const base::LogLevelChange& change) override {
    log_levels_ = base::Changed(log_levels_, change);
    return absl::OkStatus();
  }
  absl::Status TuneRefresh(const node::RefreshTuning& changes, bool anew) override {
    tuning_ = changes;
    tuned_anew_ = anew;
    return node::CheckTuning(changes);
  }
  absl::StatusOr<node::Published> Publish(const refresh::Publication& publication) override {
    RETURN_IF_ERROR(refresh::CheckPublication(publication));
    publications_.push_back(publication);
    return node::Published{true, publication.target == refresh::Target::kUrl};
  }
  absl::StatusOr<std::vector<refresh::Publication>> Publications() override {
    return publications_;
  }
  absl::Status Withdraw(uint64_t id) override {
    const auto withdrawn = std::erase_if(
        publications_, [id](const refresh::Publication& told) { return told.id == id; });
    return withdrawn > 0 ? absl::OkStatus() : absl::NotFoundError("there is none");
  }
  absl::StatusOr<std::vector<node::KeptRule>> TuneHosts(
      const std::vector<node::HostChange>& changes, const std::string& by) override {
    host_changes_ = changes;
    host_changes_by_ = by;
    return host_rules_;
  }
  absl::StatusOr<node::InForce> WhatIsInForce() override { return in_force_; }
  absl::StatusOr<node::DueTimes> WhenDue() override { return due_times_; }
  absl::Status StopNode() override {
    stopped_ = true;
    return absl::OkStatus();
  }
  absl::StatusOr<node::SeedResults> AddSeeds(const std::vector<std::string>& urls) override {
    seeds_ = urls;
    return seeds_answer_;
  }
  absl::StatusOr<node::SeedResults> BeginCrawl(const node::CrawlOrder&) override { return Alone(); }
  absl::StatusOr<node::CrawlOrder> Order() override { return Alone(); }
  absl::StatusOr<node::MendedEpoch> MendEpoch() override { return Alone(); }
  absl::StatusOr<ledger::LostChannel> DeclareLost(const node::Loss&) override { return Alone(); }
  absl::Status MoveShards(const std::vector<ShardId>&, NodeId) override { return Alone(); }
  absl::StatusOr<std::vector<node::ShardStatus>> Shards() override { return Alone(); }
  absl::StatusOr<node::ExportedRows> ReadExport(const node::ExportPosition&) override {
    return absl::UnimplementedError("no pages");
  }

  absl::Status PrepareRestating(uint64_t) override { return absl::OkStatus(); }
  absl::StatusOr<ledger::Cut> TakeCut(uint64_t) override { return Alone(); }
  absl::StatusOr<ledger::Restating::Claims> ClaimsFor(uint64_t, NodeId, uint64_t) override {
    return Alone();
  }
  absl::Status AddClaims(uint64_t, NodeId, uint64_t, absl::Span<const ledger::Drift>) override {
    return Alone();
  }
  absl::StatusOr<node::RestatedPart> EndRestating(const node::RestatementEnd&) override {
    return Alone();
  }

  node::LimitChanges limits_;
  std::optional<uint32_t> depth_;
  bool limits_as_started_ = false;
  base::LogLevels log_levels_;
  node::RefreshTuning tuning_;
  bool tuned_anew_ = false;
  std::vector<node::HostChange> host_changes_;
  std::string host_changes_by_;
  absl::StatusOr<std::vector<node::KeptRule>> host_rules_ = std::vector<node::KeptRule>();
  node::InForce in_force_;
  node::DueTimes due_times_;
  std::vector<refresh::Publication> publications_;
  node::PageImportance page_{.known = true,
                             .importance = 0.125,
                             .relative = 2.5,
                             .age = 0.5,
                             .state = "fetched",
                             .visits = 7,
                             .fetches = 2,
                             .links = 11,
                             .http_status = 200,
                             .left_out = "Its own links.",
                             .canonical = "http://whole/",
                             .duplicate_of = "http://first/",
                             .near_duplicate_of = "http://near/",
                             .similar_to = "http://similar/",
                             .fetched_at = 1'700'000'000,
                             .depth = 3,
                             .cash = cash::Amount(99),
                             .publications = {"every 1h", "now"}};
  node::PageExplanation explanation_;  // without the page
  size_t ranked_ = 200'000;            // pages of the ranking
  node::PageFilter filter_;            // of the last of them
  node::TopSites sites_;
  node::SitesQuery sites_query_;  // the last of those asked
  // A ranking is a long walk: whether it comes to its end.
  std::function<bool(const node::GivenUp&)> walks_;
  std::atomic<int> tops_ = 0;  // how often it was asked for
  node::Audit audit_;
  node::NodeStats stats_;
  absl::Notification* hold = nullptr;
  std::atomic<bool> paused_ = false, stopped_ = false;
  std::vector<std::string> seeds_;
  absl::StatusOr<node::SeedResults> seeds_answer_ = node::SeedResults();

 private:
  static absl::Status Alone() { return absl::UnimplementedError("the node is in no cluster"); }
};

}  // namespace opic::rpc
