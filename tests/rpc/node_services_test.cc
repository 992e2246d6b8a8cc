// The services that anybody may call on a running node, asked through the client that `opic` uses.
#include "rpc/node_services.h"

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/client_unary_call.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <fstream>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"
#include "opic/v1/audit.grpc.pb.h"
#include "opic/v1/control.grpc.pb.h"
#include "opic/v1/importance.grpc.pb.h"
#include "rpc/limits.h"
#include "tests/rpc/served_node.h"
#include "tests/support/own_path.h"

namespace opic::rpc {
namespace {

class NodeServicesTest : public ServedNodeTest {
 protected:
  // The bytes of a reply to a call of another service.
  std::string RawCall(const std::string& method, grpc::internal::RpcMethod::RpcType type,
                      const std::string& request_bytes);
};

TEST_F(NodeServicesTest, ImportanceComesAsTheNodeKnowsIt) {
  const auto pages = client_->Importance({"http://a/", "http://b/"});
  ASSERT_TRUE(pages.ok()) << pages.status();
  ASSERT_EQ(pages->size(), 2u);
  const node::PageImportance& page = (*pages)[1];
  const node::PageImportance& sent = node_.page_;
  EXPECT_EQ(page.url, "http://b/");
  EXPECT_EQ(page.known, sent.known);
  EXPECT_EQ(page.importance, sent.importance);
  EXPECT_EQ(page.relative, sent.relative);
  EXPECT_EQ(page.age, sent.age);
  EXPECT_EQ(page.state, sent.state);
  EXPECT_EQ(page.visits, sent.visits);
  EXPECT_EQ(page.fetches, sent.fetches);
  EXPECT_EQ(page.publications, sent.publications);
  EXPECT_EQ(page.links, sent.links);
  EXPECT_EQ(page.http_status, sent.http_status);
  EXPECT_EQ(page.left_out, sent.left_out);
  EXPECT_EQ(page.canonical, sent.canonical);
  EXPECT_EQ(page.fetched_at, sent.fetched_at);
  EXPECT_EQ(page.depth, sent.depth);
  EXPECT_EQ(page.cash, sent.cash);
}

TEST_F(NodeServicesTest, GetAnswersForOneUrl) {
  grpc::ClientContext context;
  v1::GetImportanceRequest request;
  request.set_url("http://a/");
  v1::PageImportance reply;
  ASSERT_TRUE(v1::Importance::NewStub(Channel())->Get(&context, request, &reply).ok());
  EXPECT_EQ(reply.url(), "http://a/");
  EXPECT_EQ(reply.importance(), 0.125);
}

TEST_F(NodeServicesTest, WhatIsNoUrlIsAnInvalidArgument) {
  const auto pages = client_->Importance({"http://a/", "nonsense"});
  EXPECT_EQ(pages.status().code(), absl::StatusCode::kInvalidArgument) << pages.status();
}

TEST_F(NodeServicesTest, MoreThanFiveHundredUrlsAreRefused) {
  EXPECT_TRUE(client_->Importance(std::vector<std::string>(500, "http://a/")).ok());
  const absl::Status more =
      client_->Importance(std::vector<std::string>(501, "http://a/")).status();
  EXPECT_TRUE(absl::IsInvalidArgument(more)) << more;
  EXPECT_NE(more.message().find("at most 500"), std::string::npos) << more;
}

// Two bytes each on the wire, and a hundred when they are decoded.
TEST_F(NodeServicesTest, MillionsOfEmptyStringsAreRefusedBeforeTheyAreDecoded) {
  const std::vector<std::string> empty(1'000'000);
  EXPECT_TRUE(absl::IsResourceExhausted(client_->Importance(empty).status()));
  EXPECT_TRUE(absl::IsResourceExhausted(client_->control().AddSeeds(empty)));
  EXPECT_TRUE(absl::IsResourceExhausted(client_->control().BeginCrawl({.seeds = empty})));
  EXPECT_TRUE(absl::IsResourceExhausted(client_->control().BeginCrawl({.exclude = empty})));
}

TEST_F(NodeServicesTest, AQuestionOfMoreThanFourMegabytesIsRefused) {
  const std::string url(size_t{3} << 20, 'u');
  EXPECT_TRUE(client_->Importance({url}).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(client_->Importance({url, url}).status()));
  EXPECT_TRUE(absl::IsResourceExhausted(client_->Importance({url, url, url, url}).status()));
}

TEST_F(NodeServicesTest, StatusTellsWhatCallsMayTake) {
  EXPECT_EQ(client_->Stats()->calls_bytes_max, kCallsBytesMax);
}

TEST_F(NodeServicesTest, TopTellsHowGoodItIs) {
  const auto top = client_->Top({3});
  ASSERT_TRUE(top.ok()) << top.status();
  EXPECT_EQ(top->pages.size(), 3u);
  EXPECT_EQ(top->known, 123u);
  EXPECT_EQ(top->clock, 4.5);
  EXPECT_EQ(top->error_bound, 0.25);
}

TEST_F(NodeServicesTest, TopOfNothingIsTopTenAndTooManyAreRefused) {
  EXPECT_EQ(client_->Top({0})->pages.size(), 10u);
  EXPECT_TRUE(absl::IsInvalidArgument(client_->Top({100'001}).status()));
}

// Sums pass 2^64, and a loss is told with its sign.
TEST_F(NodeServicesTest, AuditComesToTheUnit) {
  node_.audit_.cluster_id = ~uint64_t{0};
  node_.audit_.expected = cash::Sum{1} << 100;
  node_.audit_.table = (cash::Sum{1} << 100) - 8;
  node_.audit_.virtual_page = 5;
  node_.audit_.pages = 17;
  node_.audit_.unread = 4;
  const auto audit = client_->TakeAudit();
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_TRUE(audit->expected == node_.audit_.expected);
  EXPECT_TRUE(audit->difference() == -3);
  EXPECT_EQ(audit->cluster_id, ~uint64_t{0});
  EXPECT_EQ(audit->pages, 17u);
  EXPECT_EQ(audit->unread, 4u);
}

TEST_F(NodeServicesTest, StatusTellsPhaseAndStates) {
  node_.stats_.loop.phase = node::Phase::kSettling;
  node_.stats_.loop.pages = 40;
  node_.stats_.loop.by_kind[static_cast<int>(ledger::VisitKind::kGone)] = 6;
  node_.stats_.counters[desk::Counter::kRequests] = 33;
  node_.stats_.fetch_cpu = absl::Milliseconds(12);
  node_.stats_.in_flight = 3;
  node_.stats_.in_progress = 5;
  const auto stats = client_->Stats();
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(stats->loop.phase, node::Phase::kSettling);
  EXPECT_EQ(stats->loop.pages, 40u);
  EXPECT_EQ(stats->loop.by_kind[static_cast<int>(ledger::VisitKind::kGone)], 6u);
  EXPECT_EQ(stats->counters[desk::Counter::kRequests], 33u);
  EXPECT_EQ(stats->fetch_cpu, absl::Milliseconds(12));
  EXPECT_EQ(stats->in_flight, 3u);
  EXPECT_EQ(stats->in_progress, 5u);
}

TEST_F(NodeServicesTest, EveryCounterIsReported) {
  uint64_t next = 1'000'000;
  node_.stats_.counters.ForEach([&next](std::string_view, uint64_t& count) { count = next++; });
  const auto stats = client_->Stats();
  ASSERT_TRUE(stats.ok()) << stats.status();
  uint64_t expected = 1'000'000;
  stats->counters.ForEach(
      [&expected](std::string_view key, uint64_t count) { EXPECT_EQ(count, expected++) << key; });
}

TEST_F(NodeServicesTest, StatusTellsSinceWhenThereIsNoNetwork) {
  EXPECT_EQ(client_->Stats()->without_network_since, std::nullopt);
  node_.stats_.without_network_since = absl::FromUnixSeconds(1'700'000'000);
  EXPECT_EQ(client_->Stats()->without_network_since, node_.stats_.without_network_since);
}

// What a node tells when it is asked for its cluster goes over the wire whole.
TEST_F(NodeServicesTest, PartsOfAClusterAndMissingNodesAreReported) {
  node_.stats_.missing = {"node3"};
  node_.stats_.nodes.resize(2);
  node_.stats_.nodes[1].name = "node1";
  node_.stats_.nodes[1].loop.pages = 7;
  node_.stats_.loop.epoch = 12;
  node_.page_.unanswered_by = "node2";
  const auto stats = client_->Stats();
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(stats->missing, std::vector<std::string>{"node3"});
  ASSERT_EQ(stats->nodes.size(), 2u);
  EXPECT_EQ(stats->nodes[1].name, "node1");
  EXPECT_EQ(stats->nodes[1].loop.pages, 7u);
  EXPECT_EQ(stats->loop.epoch, 12u);
  EXPECT_EQ(client_->Importance({"http://a/"})->front().unanswered_by, "node2");
}

// An alarm that nobody sees helps nobody.
TEST_F(NodeServicesTest, StatusTellsTheChannelsToThePeers) {
  cluster::ChannelStatus channel;
  channel.peer = NodeId{3};
  channel.name = "node3";
  channel.alarm = "its sums differ";
  channel.unacknowledged = 5;
  channel.outbox_bytes = 600;
  node_.stats_.loop.channels.push_back(channel);
  node_.stats_.loop.outbox_full = true;
  const auto stats = client_->Stats();
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_TRUE(stats->loop.outbox_full);
  ASSERT_EQ(stats->loop.channels.size(), 1u);
  EXPECT_EQ(stats->loop.channels[0].peer, NodeId{3});
  EXPECT_EQ(stats->loop.channels[0].name, "node3");
  EXPECT_EQ(stats->loop.channels[0].alarm, "its sums differ");
  EXPECT_FALSE(stats->loop.channels[0].connected);
  EXPECT_EQ(stats->loop.channels[0].unacknowledged, 5u);
  EXPECT_EQ(stats->loop.channels[0].outbox_bytes, 600u);
}

TEST_F(NodeServicesTest, APartialAuditTellsWhoIsMissingAndNoDifference) {
  node_.audit_.missing = {"node3"};
  node_.audit_.nodes.push_back({.node = "node0", .table = 5, .difference = -2});
  grpc::ClientContext context;
  v1::AuditReply reply;
  ASSERT_TRUE(v1::Audit::NewStub(Channel())->Take(&context, v1::AuditRequest(), &reply).ok());
  EXPECT_EQ(reply.difference(), "");
  EXPECT_EQ(reply.in_flight(), "");
  const auto audit = client_->TakeAudit();
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_TRUE(audit->partial());
  EXPECT_EQ(audit->nodes.at(0).node, "node0");
  EXPECT_TRUE(audit->nodes.at(0).difference == -2);
}

TEST_F(NodeServicesTest, ControlReachesTheNode) {
  EXPECT_TRUE(client_->control().Pause(true).ok());
  EXPECT_TRUE(node_.paused_);
  EXPECT_TRUE(client_->control().Pause(false).ok());
  EXPECT_FALSE(node_.paused_);
  EXPECT_TRUE(client_->control().AddSeeds({"http://a/"}).ok());
  EXPECT_EQ(node_.seeds_, std::vector<std::string>{"http://a/"});
  node_.seeds_answer_ = absl::InvalidArgumentError("no seeds");
  EXPECT_TRUE(absl::IsInvalidArgument(client_->control().AddSeeds({})));
  EXPECT_TRUE(client_->control().StopNode().ok());
  EXPECT_TRUE(node_.stopped_);
}

TEST_F(NodeServicesTest, HowPagesAreReadAgainReachesTheNode) {
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

TEST_F(NodeServicesTest, LimitsReachTheNode) {
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

TEST_F(NodeServicesTest, TheLevelOfTheLogReachesTheNode) {
  ASSERT_TRUE(client_->control().SetLogLevel(base::LogLevel::kError).ok());
  EXPECT_EQ(node_.log_level_, base::LogLevel::kError);
  grpc::ClientContext context;
  v1::SetLogLevelRequest request;
  request.set_level("loud");
  v1::SetLogLevelReply reply;
  const grpc::Status refused =
      v1::Control::NewStub(Channel())->SetLogLevel(&context, request, &reply);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(node_.log_level_, base::LogLevel::kError);
}

TEST_F(NodeServicesTest, PublicationsComeAndGo) {
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

TEST_F(NodeServicesTest, AnUnknownTreatmentIsRefused) {
  v1::PublishRequest request;
  request.mutable_publication()->set_treatment("praise");
  grpc::ClientContext context;
  v1::PublishReply reply;
  const grpc::Status status = v1::Control::NewStub(Channel())->Publish(&context, request, &reply);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
}

TEST_F(NodeServicesTest, RulesForHostsArriveAndComeBackAsTheyAre) {
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

TEST_F(NodeServicesTest, WhatIsInForceComesBackAsItIs) {
  node::InForce& now = node_.in_force_;
  now.limits = {.pages = 12, .in_flight = 34};
  now.limits_set.pages = 12;
  now.log = base::LogLevel::kWarning;
  now.node = "node3";
  now.paused_since = absl::FromUnixSeconds(1'700'000'000);
  now.crawl.scope = "seeds";
  now.crawl.depth = 4;
  now.seeds = 7;
  now.reads_again = true;
  now.refresh.share = 0.25;
  now.hosts = {{{.name = "a.test", .blocked = true}, absl::FromUnixSeconds(5), "anna"}};
  now.acts = {{"Pause", absl::FromUnixSeconds(6), "bert"}};
  now.hosts_file = node::HostsFile{.path = "/etc/hosts.opic", .read = absl::FromUnixSeconds(7)};
  now.hosts_file->rules = {{.name = "b.test", .domain = true, .pages = 9}};
  now.hosts_file->groups = {{"empty", {std::nullopt, 0}}, {"farm", {5, std::nullopt}}};
  now.hosts_file->members = {{{false, "a.test"}, "farm"}, {{true, "a.test"}, "farm"}};
  const auto told = client_->control().WhatIsInForce();
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_EQ(told->limits.pages, 12u);
  EXPECT_EQ(told->limits.in_flight, 34u);
  EXPECT_EQ(told->limits_set.pages, 12u);
  EXPECT_EQ(told->limits_set.in_flight, std::nullopt);
  EXPECT_EQ(told->log, base::LogLevel::kWarning);
  EXPECT_EQ(told->node, "node3");
  EXPECT_EQ(told->paused_since, now.paused_since);
  EXPECT_EQ(told->crawl.scope, "seeds");
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
  now.hosts_file.reset();
  EXPECT_FALSE(client_->control().WhatIsInForce()->hosts_file);
  ASSERT_EQ(told->acts.size(), 1u);
  EXPECT_EQ(told->acts[0].name, "Pause");
  EXPECT_EQ(told->acts[0].by, "bert");
}

// Each call that steers the node has its line, with what it was answered; questions have none.
TEST(AuditedServicesTest, WhatSteersTheNodeIsWrittenDown) {
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
  EXPECT_TRUE(client->control().Pause(true).ok());
  node.seeds_answer_ = absl::InvalidArgumentError("no seeds");
  EXPECT_FALSE(client->control().AddSeeds({"http://a/"}).ok());
  EXPECT_TRUE(client->control().TuneHosts({{.host = "a.test", .blocked = true}}, "").ok());
  EXPECT_TRUE(absl::IsNotFound(client->control().Withdraw(5)));
  services.Stop();
  (*server)->Shutdown();
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 4u);
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"\"act\":\"Pause\"", "\"result\":\"OK\""},
      {"\"act\":\"AddSeeds\"", "\"message\":\"no seeds\""},
      {"\"act\":\"TuneHosts\"", "\"blocked\":true"},
      {"\"act\":\"WithdrawPublication\"", "\"result\":\"NOT_FOUND\""}};
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_NE(lines[i].find(expected[i].first), std::string::npos) << lines[i];
    EXPECT_NE(lines[i].find(expected[i].second), std::string::npos) << lines[i];
    EXPECT_NE(lines[i].find("\"role\":\"operator\""), std::string::npos) << lines[i];
    EXPECT_NE(lines[i].find("\"user\":\""), std::string::npos) << lines[i];
  }
}

TEST_F(NodeServicesTest, TheCalendarComesBackAsItIs) {
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

// One question is being answered and 64 wait: the next ones are refused at once. A command took that
// for a full disk.
TEST_F(NodeServicesTest, TooManyQuestionsAreRefused) {
  absl::Notification hold;
  node_.hold = &hold;
  constexpr int kAsked = 100;
  const auto stub = v1::Control::NewStub(Channel());
  std::vector<grpc::ClientContext> contexts(kAsked);
  std::vector<v1::StatusReply> replies(kAsked);
  const v1::StatusRequest request;
  std::atomic<int> refused = 0, answered = 0;
  absl::Notification some_refused;
  absl::BlockingCounter all(kAsked);
  for (size_t i = 0; i < kAsked; ++i) {
    stub->async()->Status(&contexts[i], &request, &replies[i], [&](const grpc::Status& status) {
      if (status.ok()) ++answered;
      if (status.error_code() == grpc::StatusCode::UNAVAILABLE && ++refused == kAsked - 65) {
        some_refused.Notify();
      }
      all.DecrementCount();
    });
  }
  EXPECT_TRUE(some_refused.WaitForNotificationWithTimeout(absl::Seconds(20))) << refused;
  hold.Notify();
  all.Wait();
  EXPECT_EQ(refused + answered, kAsked);
  EXPECT_GE(answered, 64);
}

// The server listens while the node is being started, and while it stops.
TEST_F(NodeServicesTest, NothingIsAskedOfANodeThatIsNotThere) {
  NodeServices early(node_, {});
  const auto server = Server::Start("127.0.0.1:0", early.services());
  ASSERT_TRUE(server.ok()) << server.status();
  const auto client = NodeClient::To((*server)->address(), absl::Seconds(20));
  EXPECT_TRUE(absl::IsUnavailable(client->Stats().status()));
  EXPECT_TRUE(absl::IsUnavailable(client->TakeCut(1).status()));
  EXPECT_TRUE(absl::IsUnavailable(client->control().Pause(true)));
  EXPECT_FALSE(node_.paused_);
  early.Open();
  early.Stop();
  EXPECT_TRUE(absl::IsUnavailable(client->Stats().status()));
}

TEST_F(NodeServicesTest, NobodyThereIsUnavailable) {
  const std::string address = server_->address();
  services_.Stop();
  server_->Shutdown();
  const auto client = NodeClient::To(address, absl::Seconds(20));
  EXPECT_TRUE(absl::IsUnavailable(client->Stats().status()));
}

TEST(ServerTest, AnAddressInUseIsRefused) {
  const auto first = Server::Start("127.0.0.1:0", {});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(absl::IsUnavailable(Server::Start((*first)->address(), {}).status()));
}

grpc::ByteBuffer BufferOf(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

std::string BytesOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  buffer.Dump(&slices).ok();
  std::string bytes;
  for (const grpc::Slice& slice : slices) bytes.append(slice.begin(), slice.end());
  return bytes;
}

std::string NodeServicesTest::RawCall(const std::string& name,
                                      grpc::internal::RpcMethod::RpcType type,
                                      const std::string& request_bytes) {
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(20)));
  const auto channel = Channel();
  const grpc::internal::RpcMethod method(name.c_str(), type);
  const grpc::ByteBuffer request = BufferOf(request_bytes);
  grpc::ByteBuffer reply;
  if (type == grpc::internal::RpcMethod::NORMAL_RPC) {
    const grpc::Status status =
        grpc::internal::BlockingUnaryCall(channel.get(), method, &context, request, &reply);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return BytesOf(reply);
  }
  const std::unique_ptr<grpc::ClientReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>> stream(
      grpc::internal::ClientReaderWriterFactory<grpc::ByteBuffer, grpc::ByteBuffer>::Create(
          channel.get(), method, &context));
  EXPECT_TRUE(stream->Write(request));
  EXPECT_TRUE(stream->Read(&reply));
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  return BytesOf(reply);
}

// Both services' messages are written by hand: their protos are not installed.
TEST_F(NodeServicesTest, HealthIsServing) {
  const std::string reply =
      RawCall("/grpc.health.v1.Health/Check", grpc::internal::RpcMethod::NORMAL_RPC, "");
  EXPECT_EQ(reply, "\x08\x01");  // status = SERVING
}

TEST_F(NodeServicesTest, ReflectionNamesTheServices) {
  const std::string reply =
      RawCall("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
              grpc::internal::RpcMethod::BIDI_STREAMING, "\x3a\x01*");  // list_services = "*"
  for (const std::string service : {"opic.v1.Importance", "opic.v1.Control", "opic.v1.Audit"}) {
    EXPECT_NE(reply.find(service), std::string::npos) << service;
  }
}

}  // namespace
}  // namespace opic::rpc
