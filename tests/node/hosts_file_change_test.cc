// A running node whose hosts file is read again.
#include "node/hosts_file_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "node/node.h"
#include "tests/support/own_path.h"

namespace opic::node {
namespace {

using schedule::HostRule;
using testing::HasSubstr;
using testing::Not;

// Keeps the rules that it was told, each time.
class ToldScheduler final : public desk::SchedulerLink {
 public:
  void Send(schedule::ToScheduler message) override {
    const absl::MutexLock lock(&mu_);
    if (auto* hello = std::get_if<schedule::NodeHello>(&message)) told_.push_back(hello->rules);
    if (auto* rules = std::get_if<schedule::Rules>(&message)) told_.push_back(rules->rules);
  }
  void AwaitHello() {
    const absl::MutexLock lock(&mu_);
    const auto there = [this]() ABSL_SHARED_LOCKS_REQUIRED(mu_) { return !told_.empty(); };
    mu_.Await(absl::Condition(&there));
  }
  std::vector<std::vector<HostRule>> told() const {
    const absl::MutexLock lock(&mu_);
    return told_;
  }

 private:
  mutable absl::Mutex mu_;
  std::vector<std::vector<HostRule>> told_ ABSL_GUARDED_BY(mu_);
};

class HostsFileChangeTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
    ASSERT_TRUE(base::StartLog(path_ + "/log", base::LogLevel::kInfo));
  }
  void TearDown() override {
    node_.reset();
    base::StartLog("/dev/null", base::LogLevel::kError);
  }
  static HostsFile FileOf(std::vector<HostRule> rules) {
    return {.path = "/etc/hosts.opic", .read = absl::UnixEpoch(), .rules = std::move(rules)};
  }
  void Run(std::optional<HostsFile> file) {
    auto folder = DataFolder::Lock(path_ + "/data", /*create=*/true);
    ASSERT_TRUE(folder.ok()) << folder.status();
    folder_ = *std::move(folder);
    CrawlOptions options;
    options.seeds = {"http://seed.test/"};
    if (file) options.hosts_file = std::make_shared<const HostsFile>(*std::move(file));
    auto node = Node::Open(options, *folder_, base::RealClock::Get());
    ASSERT_TRUE(node.ok()) << node.status();
    node_ = *std::move(node);
    ASSERT_TRUE(node_->Start(scheduler_).ok());
    node_->OnSession();
    scheduler_.AwaitHello();
  }
  Control& control() { return node_->operations().control(); }
  std::string Trail() const { return base::ReadFile(folder_->audit_trail()).value_or(""); }
  std::string Log() const { return base::ReadFile(path_ + "/log").value_or(""); }

  const std::string path_ = support::OwnPath("hosts-file-change");
  ToldScheduler scheduler_;
  std::unique_ptr<DataFolder> folder_;
  std::unique_ptr<Node> node_;
};

TEST_F(HostsFileChangeTest, TheSchedulerIsToldAtOnce) {
  const HostRule a{.name = "a.test", .blocked = true}, b{.name = "b.test", .blocked = true};
  Run(FileOf({a}));
  ASSERT_TRUE(control().TuneHosts({{.host = "c.test", .blocked = true}}, "anna").ok());
  node_->TakeHostsFile(FileOf({b}));
  const auto told = scheduler_.told();
  ASSERT_EQ(told.size(), 3u);
  ASSERT_EQ(told[0].size(), 1u) << "with Hello";
  EXPECT_EQ(told[0][0].name, "a.test");
  ASSERT_EQ(told[2].size(), 2u);
  EXPECT_EQ(told[2][0].name, "b.test");
  EXPECT_EQ(told[2][1].name, "c.test") << "an operator's rule stays";
  EXPECT_THAT(Log(),
              HasSubstr("/etc/hosts.opic: read again, 1 rule; 2 are new, changed or removed"));
  EXPECT_THAT(Trail(), HasSubstr("\"act\":\"ReadHostsFile\",\"what\":{\"file\":\"/etc/hosts.opic\","
                                 "\"rules\":1,\"changed\":2}"));
  EXPECT_THAT(Trail(), HasSubstr("\"address\":\"SIGHUP\",\"result\":\"OK\""));
  const auto now = control().WhatIsInForce();
  ASSERT_TRUE(now.ok()) << now.status();
  const auto act = std::find_if(now->acts.begin(), now->acts.end(), [](const LastAct& last) {
    return last.name == "ReadHostsFile" && last.by == "SIGHUP";
  });
  EXPECT_NE(act, now->acts.end());
}

TEST_F(HostsFileChangeTest, OneThatCannotBeReadLeavesTheOldOneInForce) {
  Run(FileOf({{.name = "a.test", .blocked = true}}));
  node_->TakeHostsFile(absl::InvalidArgumentError("--hosts-file /etc/hosts.opic, line 2: \"x\""));
  ASSERT_TRUE(control().TuneHosts({{.host = "c.test", .blocked = true}}, "anna").ok());
  const auto told = scheduler_.told();
  ASSERT_EQ(told.size(), 2u) << "with Hello and with the command, not with the file";
  EXPECT_EQ(told[1].size(), 2u) << "what is blocked by the file stays so";
  EXPECT_THAT(Log(), HasSubstr("line 2: \"x\"; the settings of hosts stay as they were"));
  EXPECT_THAT(Trail(), HasSubstr("\"act\":\"ReadHostsFile\""));
  EXPECT_THAT(Trail(), HasSubstr("\"result\":\"INVALID_ARGUMENT\""));
}

TEST_F(HostsFileChangeTest, TooManyRulesLeaveTheOldOneInForce) {
  Run(FileOf({{.name = "a.test", .blocked = true}}));
  std::vector<HostRule> many;
  for (size_t i = 0; i <= schedule::kHostRulesMax; ++i)
    many.push_back({.name = "h" + std::to_string(i) + ".test", .blocked = true});
  node_->TakeHostsFile(FileOf(many));
  ASSERT_TRUE(control().TuneHosts({{.host = "c.test", .blocked = true}}, "anna").ok());
  EXPECT_EQ(scheduler_.told().back().size(), 2u);
  EXPECT_THAT(Log(), HasSubstr("10001 rules for hosts"));
}

TEST_F(HostsFileChangeTest, TheSameAgainIsToldToNobody) {
  const HostsFile file = FileOf({{.name = "a.test", .blocked = true}});
  Run(file);
  node_->TakeHostsFile(file);
  EXPECT_EQ(scheduler_.told().size(), 1u);
  EXPECT_THAT(Log(), HasSubstr("nothing has changed"));
  EXPECT_THAT(Trail(), Not(HasSubstr("ReadHostsFile"))) << "logs are rotated every day";
}

TEST_F(HostsFileChangeTest, ANodeThatWasStartedWithoutOneGetsNone) {
  Run(std::nullopt);
  node_->TakeHostsFile(FileOf({{.name = "a.test", .blocked = true}}));
  ASSERT_TRUE(control().TuneHosts({{.host = "c.test", .blocked = true}}, "anna").ok());
  EXPECT_EQ(scheduler_.told().back().size(), 1u);
}

}  // namespace
}  // namespace opic::node
