// What a node is told to do, and asked about that, through the client that `opic` uses.
#include "rpc/control.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "opic/v1/control.grpc.pb.h"
#include "tests/rpc/served_node.h"
#include "tests/support/own_path.h"

namespace opic::rpc {
namespace {

using ControlTest = ServedNodeTest;

TEST_F(ControlTest, ControlReachesTheNode) {
  EXPECT_TRUE(client_->control().Pause(true).ok());
  EXPECT_TRUE(node_.paused_);
  EXPECT_TRUE(client_->control().Pause(false).ok());
  EXPECT_FALSE(node_.paused_);
  const node::SeedResults results = {{node::SeedOutcome::kNew, ""},
                                     {node::SeedOutcome::kKnown, ""},
                                     {node::SeedOutcome::kOutOfScope, "left out"},
                                     {node::SeedOutcome::kOtherNode, ""},
                                     {node::SeedOutcome::kRefused, "not http or https"}};
  node_.seeds_answer_ = results;
  EXPECT_EQ(*client_->control().AddSeeds({"http://a/", "ftp://b/"}), results);
  EXPECT_EQ(node_.seeds_, (std::vector<std::string>{"http://a/", "ftp://b/"}));
  node_.seeds_answer_ = absl::InvalidArgumentError("no seeds");
  EXPECT_TRUE(absl::IsInvalidArgument(client_->control().AddSeeds({}).status()));
  EXPECT_TRUE(client_->control().StopNode().ok());
  EXPECT_TRUE(node_.stopped_);
}

TEST_F(ControlTest, HowPagesAreReadAgainReachesTheNode) {
  node::RefreshTuning changes;
  changes.share = 0.25;
  changes.factors[1] = 0;
  ASSERT_TRUE(client_->control().TuneRefresh(changes, /*anew=*/true).ok());
  EXPECT_TRUE(node_.tuned_anew_);
  EXPECT_EQ(node_.tuning_.pages_per_s, std::nullopt);
  EXPECT_EQ(node_.tuning_.share, 0.25);
  EXPECT_EQ(node_.tuning_.factors[0], std::nullopt);
  EXPECT_EQ(node_.tuning_.factors[1], 0);
  changes.factors[1] = -1;
  const absl::Status refused = client_->control().TuneRefresh(changes, false);
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_NE(refused.message().find("xml=-1"), std::string::npos) << refused;
}

TEST_F(ControlTest, LimitsReachTheNode) {
  ASSERT_TRUE(client_->control().SetLimits({.pages = 0}, 4, /*as_started=*/true).ok());
  EXPECT_EQ(node_.limits_.pages, 0u);
  EXPECT_EQ(node_.limits_.in_flight, std::nullopt);
  EXPECT_EQ(node_.depth_, 4u);
  EXPECT_TRUE(node_.limits_as_started_);
  ASSERT_TRUE(client_->control().SetLimits({.in_flight = 7}, std::nullopt, false).ok());
  EXPECT_EQ(node_.limits_.pages, std::nullopt);
  EXPECT_EQ(node_.limits_.in_flight, 7u);
  EXPECT_EQ(node_.depth_, std::nullopt);
  EXPECT_FALSE(node_.limits_as_started_);
  const absl::Status refused =
      client_->control().SetLimits({.in_flight = 1'001}, std::nullopt, false);
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
}

TEST_F(ControlTest, TheLevelOfTheLogReachesTheNode) {
  const auto set = [&](std::string_view levels) {
    return client_->control().SetLogLevel(*base::ParseLogLevels(levels));
  };
  ASSERT_TRUE(set("error").ok());
  EXPECT_EQ(node_.log_levels_, base::LogLevels(base::LogLevel::kError));
  ASSERT_TRUE(set("rpc=debug,fetch=warning").ok());
  EXPECT_EQ(base::InWords(node_.log_levels_), "error,fetch=warning,rpc=debug");
  node_.in_force_.log = node_.log_levels_;
  EXPECT_EQ(client_->control().WhatIsInForce()->log, node_.log_levels_);
  ASSERT_TRUE(set("info,desk=debug").ok());
  EXPECT_EQ(base::InWords(node_.log_levels_), "info,desk=debug");
}

TEST_F(ControlTest, WrongLevelsOfTheLogAreRefused) {
  const auto refused = [&](const v1::SetLogLevelRequest& request) {
    grpc::ClientContext context;
    v1::SetLogLevelResponse reply;
    return v1::Control::NewStub(Channel())->SetLogLevel(&context, request, &reply).error_code() ==
           grpc::StatusCode::INVALID_ARGUMENT;
  };
  v1::SetLogLevelRequest nothing, later, no_module, no_level;
  later.set_level(static_cast<v1::LogLevel>(9));
  no_module.add_modules()->set_level(v1::LOG_LEVEL_INFO);
  no_level.add_modules()->set_module("rpc");
  for (const auto& request : {nothing, later, no_module, no_level})
    EXPECT_TRUE(refused(request)) << request.ShortDebugString();
  EXPECT_EQ(node_.log_levels_, base::LogLevels());
}

TEST_F(ControlTest, PublicationsComeAndGo) {
  refresh::Publication every{.id = 0xabc,
                             .treatment = refresh::Treatment::kEvery,
                             .amount = 3600,
                             .target = refresh::Target::kDomain,
                             .of = "a.test",
                             .by = "somebody else",
                             .given = 5,
                             .until = 2'000'000'000,
                             .note = "a note"};
  const auto published = client_->control().Publish(every);
  ASSERT_TRUE(published.ok()) << published.status();
  EXPECT_TRUE(published->added && !published->seeded);
  ASSERT_EQ(node_.publications_.size(), 1u);
  EXPECT_NE(node_.publications_[0].by, every.by) << "that is for the node to say";
  EXPECT_NE(node_.publications_[0].by.find(", operator, "), std::string::npos)
      << node_.publications_[0].by;
  every.by = node_.publications_[0].by;
  EXPECT_EQ(node_.publications_[0], every);
  EXPECT_EQ(client_->control().Publications().value(), std::vector<refresh::Publication>{every});
  EXPECT_TRUE(client_->control().Withdraw(every.id).ok());
  EXPECT_TRUE(absl::IsNotFound(client_->control().Withdraw(every.id)));
  every.amount = 0;
  EXPECT_TRUE(absl::IsInvalidArgument(client_->control().Publish(every).status()));
}

TEST_F(ControlTest, AnUnknownTreatmentIsRefused) {
  v1::PublishRequest request;
  request.mutable_publication()->set_treatment(static_cast<v1::Treatment>(99));
  grpc::ClientContext context;
  v1::PublishResponse reply;
  const grpc::Status status = v1::Control::NewStub(Channel())->Publish(&context, request, &reply);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
}

TEST_F(ControlTest, RulesForHostsArriveAndComeBackAsTheyAre) {
  node_.host_rules_ = std::vector<node::KeptRule>{
      {{.name = "a.test", .domain = true, .blocked = true, .delay = absl::Seconds(3)},
       absl::FromUnixSeconds(1'700'000'000),
       "anna"}};
  const auto rules =
      client_->control().TuneHosts({{.host = "a.test", .domain = true, .blocked = true},
                                    {.host = "b.test", .blocked = false},
                                    {.host = "c.test", .delay = absl::Seconds(3)},
                                    {.host = "d.test", .clear_delay = true}},
                                   "");
  ASSERT_TRUE(rules.ok()) << rules.status();
  ASSERT_EQ(rules->size(), 1u);
  EXPECT_EQ(rules->front().rule, node_.host_rules_->front().rule);
  EXPECT_EQ(rules->front().since, absl::FromUnixSeconds(1'700'000'000));
  EXPECT_EQ(rules->front().by, "anna");
  ASSERT_EQ(node_.host_changes_.size(), 4u);
  EXPECT_EQ(node_.host_changes_[0].host, "a.test");
  EXPECT_TRUE(node_.host_changes_[0].domain);
  EXPECT_EQ(node_.host_changes_[0].blocked, true);
  EXPECT_EQ(node_.host_changes_[1].blocked, false);
  EXPECT_EQ(node_.host_changes_[2].blocked, std::nullopt);
  EXPECT_EQ(node_.host_changes_[2].delay, absl::Seconds(3));
  EXPECT_TRUE(node_.host_changes_[3].clear_delay);
  EXPECT_NE(node_.host_changes_by_.find("@"), std::string::npos)
      << "the client says who runs it: " << node_.host_changes_by_;
  node_.host_rules_ = absl::FailedPreconditionError("with its domain");
  EXPECT_TRUE(absl::IsFailedPrecondition(client_->control().TuneHosts({}, "").status()));
}

TEST_F(ControlTest, WhatIsInForceComesBackAsItIs) {
  node::InForce& now = node_.in_force_;
  now.limits = {.pages = 12, .in_flight = 34};
  now.limits_set.pages = 12;
  now.log = base::LogLevel::kWarning;
  now.node = "node3";
  now.paused_since = absl::FromUnixSeconds(1'700'000'000);
  now.crawl.scope = "domain";
  now.crawl.depth = 4;
  now.seeds = 7;
  now.reads_again = true;
  now.refresh.share = 0.25;
  now.hosts = {{{.name = "a.test", .blocked = true}, absl::FromUnixSeconds(5), "anna"}};
  now.acts = {{"Pause", absl::FromUnixSeconds(6), "bert"}};
  now.hosts_file = node::HostsFile{.path = "/etc/hosts.opic", .read = absl::FromUnixSeconds(7)};
  now.hosts_file->rules = {{.name = "b.test", .domain = true, .pages = 9}};
  now.hosts_file->groups = {{"empty", {std::nullopt, 0}},
                            {"farm", {5, std::nullopt, absl::Seconds(2), 0.5}}};
  now.hosts_file->members = {{{false, "a.test"}, "farm"}, {{true, "a.test"}, "farm"}};
  now.hosts_file->shares = {{{false, "c.test"}, 0.5}, {{true, "c.test"}, 0.05}};
  now.hosts_file->depths = {{{false, "c.test"}, 0}, {{true, "c.test"}, 7}};
  const auto told = client_->control().WhatIsInForce();
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_EQ(told->limits.pages, 12u);
  EXPECT_EQ(told->limits.in_flight, 34u);
  EXPECT_EQ(told->limits_set.pages, 12u);
  EXPECT_EQ(told->limits_set.in_flight, std::nullopt);
  EXPECT_EQ(told->log, base::LogLevel::kWarning);
  EXPECT_EQ(told->node, "node3");
  EXPECT_EQ(told->paused_since, now.paused_since);
  EXPECT_EQ(told->crawl.scope, "domain");
  EXPECT_EQ(told->crawl.depth, 4u);
  EXPECT_EQ(told->seeds, 7u);
  EXPECT_TRUE(told->reads_again);
  EXPECT_EQ(told->refresh.share, 0.25);
  ASSERT_EQ(told->hosts.size(), 1u);
  EXPECT_EQ(told->hosts[0].rule, now.hosts[0].rule);
  EXPECT_EQ(told->hosts[0].by, "anna");
  ASSERT_TRUE(told->hosts_file);
  EXPECT_EQ(told->hosts_file->path, "/etc/hosts.opic");
  EXPECT_EQ(told->hosts_file->read, absl::FromUnixSeconds(7));
  EXPECT_EQ(told->hosts_file->rules, now.hosts_file->rules);
  EXPECT_EQ(told->hosts_file->groups, now.hosts_file->groups);
  EXPECT_EQ(told->hosts_file->members, now.hosts_file->members);
  EXPECT_EQ(told->hosts_file->shares, now.hosts_file->shares);
  EXPECT_EQ(told->hosts_file->depths, now.hosts_file->depths);
  now.hosts_file.reset();
  EXPECT_FALSE(client_->control().WhatIsInForce()->hosts_file);
  ASSERT_EQ(told->acts.size(), 1u);
  EXPECT_EQ(told->acts[0].name, "Pause");
  EXPECT_EQ(told->acts[0].by, "bert");
}

// Each call that steers the node has its line, with what it was answered; questions have none, nor
// has a pause that holds already: who came later was told as the one who had paused.
TEST(AuditedControlTest, WhatSteersTheNodeIsWrittenDown) {
  const std::string path = support::OwnPath("trail.jsonl");
  std::remove(path.c_str());
  auto trail = node::AuditTrail::Open(path, node::AuditTrail::Limits(), /*store=*/nullptr);
  ASSERT_TRUE(trail.ok()) << trail.status();
  ScriptedNode node;
  NodeServices services(node, {.trail = trail->get()});
  auto server = Server::Start("127.0.0.1:0", services.services());
  ASSERT_TRUE(server.ok()) << server.status();
  services.Open();
  const auto client = NodeClient::To((*server)->address(), absl::Seconds(20));
  EXPECT_TRUE(client->Stats().ok());
  grpc::ClientContext named;
  named.AddMetadata("x-request-id", "maintenance-7");
  v1::PauseRequest pause;
  pause.set_paused(true);
  v1::PauseResponse paused;
  EXPECT_TRUE(
      v1::Control::NewStub(ChannelTo((*server)->address()))->Pause(&named, pause, &paused).ok());
  EXPECT_TRUE(client->control().Pause(true).ok());
  node.seeds_answer_ = absl::InvalidArgumentError("no seeds");
  EXPECT_FALSE(client->control().AddSeeds({"http://a/"}).ok());
  EXPECT_TRUE(client->control().TuneHosts({{.host = "a.test", .blocked = true}}, "").ok());
  EXPECT_TRUE(absl::IsNotFound(client->control().Withdraw(5)));
  node::RefreshTuning share;
  share.share = 0.5;
  EXPECT_TRUE(client->control().TuneRefresh(share, false).ok());
  const absl::Time shared = (*trail)->last().back().at;
  EXPECT_TRUE(client->control().TuneRefresh({.pages_per_s = 7}, false).ok());
  // `opic control show` gave the budget's time for the share.
  EXPECT_EQ((*trail)->last().back().name, "TuneRefresh");
  EXPECT_EQ((*trail)->last().back().at, shared);
  services.Stop();
  (*server)->Shutdown();
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 6u);
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"\"act\":\"Pause\"", "\"request\":\"maintenance-7\",\"result\":\"OK\""},
      {"\"act\":\"AddSeeds\"", "\"message\":\"no seeds\""},
      {"\"act\":\"TuneHosts\"", "\"blocked\":true"},
      {"\"act\":\"WithdrawPublication\"", "\"result\":\"NOT_FOUND\""},
      {"\"act\":\"TuneRefresh\"", "\"share\":0.5"},
      {"\"act\":\"TuneRefresh\"", "\"pages_per_s\":7"}};
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_NE(lines[i].find(expected[i].first), std::string::npos) << lines[i];
    EXPECT_NE(lines[i].find(expected[i].second), std::string::npos) << lines[i];
    EXPECT_NE(lines[i].find("\"role\":\"operator\""), std::string::npos) << lines[i];
    EXPECT_NE(lines[i].find("\"user\":\""), std::string::npos) << lines[i];
    EXPECT_EQ(lines[i].find("\"request\"") != std::string::npos, i == 0) << lines[i];
  }
}

TEST_F(ControlTest, TheCalendarComesBackAsItIs) {
  uint64_t next = 1;
  for (node::DueTimes::ByCategory& range : node_.due_times_.due)
    for (uint64_t& pages : range) pages = next++;
  for (node::DueTimes::ByCategory* counts :
       {&node_.due_times_.missed, &node_.due_times_.stopped, &node_.due_times_.never})
    for (uint64_t& pages : *counts) pages = next++;
  const auto times = client_->control().WhenDue();
  ASSERT_TRUE(times.ok()) << times.status();
  EXPECT_EQ(times->due, node_.due_times_.due);
  EXPECT_EQ(times->missed, node_.due_times_.missed);
  EXPECT_EQ(times->stopped, node_.due_times_.stopped);
  EXPECT_EQ(times->never, node_.due_times_.never);
}

}  // namespace
}  // namespace opic::rpc
