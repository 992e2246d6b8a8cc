// When the ledger's loop writes what is reported to it: a group at a time while there is enough to
// fetch, at once when the crawl waits for it.
#include "node/ledger_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "node/error_goal.h"
#include "tests/support/http_server.h"
#include "tests/support/memory_store.h"
#include "tests/support/own_path.h"
#include "tests/support/process.h"
#include "tests/support/sleeping_thread.h"

namespace opic::node {
namespace {

constexpr int kPages = 400;

// A scheduler that is offered pages and orders none.
class Offered final : public desk::SchedulerLink {
 public:
  void Send(schedule::ToScheduler message) override {
    if (const auto* offers = std::get_if<schedule::Offers>(&message)) {
      on_answer_();
      absl::MutexLock lock(&mu_);
      answer_ = offers->offers.size();
    } else if (const auto* capacity = std::get_if<schedule::Capacity>(&message)) {
      absl::MutexLock lock(&mu_);
      fetches_max_ = capacity->fetches_max;
    }
  }
  // Waits until new pages are wanted, or are not.
  void AwaitWanted(bool wanted) {
    absl::MutexLock lock(&mu_);
    const auto there = [&]() ABSL_SHARED_LOCKS_REQUIRED(mu_) {
      return fetches_max_.has_value() && (*fetches_max_ > 0) == wanted;
    };
    mu_.Await(absl::Condition(&there));
  }
  // Runs before each answer is given.
  void OnAnswer(std::function<void()> work) { on_answer_ = std::move(work); }
  // How many pages the next answer has.
  size_t TakeAnswer() {
    absl::MutexLock lock(&mu_);
    const auto there = [this]() ABSL_SHARED_LOCKS_REQUIRED(mu_) { return answer_.has_value(); };
    mu_.Await(absl::Condition(&there));
    return *std::exchange(answer_, std::nullopt);
  }

 private:
  std::function<void()> on_answer_ = [] {};
  absl::Mutex mu_;
  std::optional<size_t> answer_ ABSL_GUARDED_BY(mu_);
  std::optional<uint32_t> fetches_max_ ABSL_GUARDED_BY(mu_);
};

class LedgerLoopTest : public testing::Test {
 protected:
  void Start() {
    ledger::Charter charter =
        pushes_ ? ledger::Charter::ForNewCrawl() : ledger::Charter();  // windows
    charter.cluster_id = 7;
    auto opened = ledger::Ledger::Open({}, store_, &charter);
    ASSERT_TRUE(opened.ok()) << opened.status();
    ledger_ = *std::move(opened);
    std::vector<ledger::Link> pages;
    for (int i = 0; i < kPages; ++i) pages.push_back({PageOf(i), UrlOf(i)});
    ledger_->Seed(pages);
    options_.settle = settles_;
    CrawlMemory crawl;
    crawl.scope.kind = url::ScopeKind::kAny;
    loop_ = std::make_unique<LedgerLoop>(options_, crawl, *ledger_, store_, clock_);
    auto desk =
        desk::OrderDesk::Start(options_, ledger_->window(), hash_, store_, clock_,
                               support::OwnPath("fetches.jsonl"), scheduler_, [](desk::Report) {});
    ASSERT_TRUE(desk.ok()) << desk.status();
    desk_ = *std::move(desk);
    loop_->Start(*desk_, scheduler_, nullptr);
  }
  void TearDown() override {
    if (desk_) desk_->Stop();
    EXPECT_TRUE(loop_->Stop().ok());
  }
  // The scheduler has all pages to order.
  void OfferAll() {
    loop_->BeginSession();
    size_t offered = 0;
    for (uint64_t id = 1; offered < kPages; ++id) {
      Tell(schedule::Directive{.id = id, .want = kPages});
      offered += scheduler_.TakeAnswer();
    }
  }

  // Out of line: inlined, GCC 12 warns that other kinds of the message are not initialised.
  [[gnu::noinline]] void Tell(schedule::ToNode message) { loop_->TakeMessage(std::move(message)); }

  static std::string UrlOf(int page) { return "http://a.test/" + std::to_string(page); }
  PageId PageOf(int page) const { return hash_.PageOf(*url::Parse(UrlOf(page))); }
  void Report(int page, const std::vector<int>& links = {0}) {
    ledger::Visit visit;
    visit.page = PageOf(page);
    visit.kind = ledger::VisitKind::kFetched;
    for (int link : links) visit.links.push_back({PageOf(link), UrlOf(link)});
    loop_->TakeReport({std::move(visit)});
  }
  // Waits until all reports are durable, at most `patience`; how long it took.
  absl::Duration AwaitWritten(absl::Duration patience) {
    const absl::Time begun = absl::Now();
    while (loop_->reports().held() > 0 && absl::Now() < begun + patience) {
    }
    return absl::Now() - begun;
  }
  // Until a question is answered, so that the statistics are of now.
  void AwaitTurn() {
    absl::Notification answered;
    loop_->Run([&] { answered.Notify(); });
    answered.WaitForNotification();
  }
  // The shortest time from a report until it is written; each is reported right after the last one
  // was, when the loop has just begun to wait.
  absl::Duration FastestWrite() {
    absl::Duration fastest = absl::InfiniteDuration();
    for (int page = 0; page < 20; ++page) {
      Report(page);
      fastest = std::min(fastest, AwaitWritten(absl::Seconds(20)));
    }
    return fastest;
  }
  // How many settled visits it takes, by ledger push, until all pages are read and the bound is
  // met.
  uint64_t VisitsToRest() {
    pushes_ = settles_ = true;
    options_.settles_per_fetch = options_.settles_per_s = 0;
    const double goal = ErrorGoal(options_, /*fetching_over=*/true);
    Start();
    OfferAll();
    for (int page = 0; page < kPages; ++page)
      Report(page, {page / 2, (page * 7 + 1) % kPages, (page + 1) % kPages});
    EXPECT_TRUE(support::Eventually(absl::Seconds(20),
                                    [&] { return loop_->stats().phase == Phase::kFinished; }));
    EXPECT_LE(loop_->stats().error_bound, goal);
    return loop_->counters()[desk::Counter::kSettled];
  }
  uint64_t commits() const { return loop_->counters()[desk::Counter::kCommits]; }

  bool pushes_ = false, settles_ = false;
  CrawlOptions options_;
  MemoryStore store_;
  base::Clock& clock_ = base::RealClock::Get();
  const url::UrlHash hash_{url::ShardBy::kHost, ledger::Charter().shards};
  Offered scheduler_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<LedgerLoop> loop_;
  std::unique_ptr<desk::OrderDesk> desk_;
};

// As long as it writes each report alone a write is over before the next report comes.
TEST_F(LedgerLoopTest, ReportsOfABusyCrawlShareAWrite) {
  Start();
  OfferAll();
  const uint64_t before = commits();
  constexpr uint64_t kReports = 64;
  for (uint64_t page = 0; page < kReports; ++page) {
    Report(static_cast<int>(page));
    AwaitWritten(absl::Milliseconds(1));
  }
  AwaitWritten(absl::Seconds(20));
  ASSERT_EQ(loop_->reports().held(), 0u);
  desk_->Stop();
  ASSERT_TRUE(loop_->Stop().ok());
  EXPECT_LE(commits() - before, kReports * 3 / 4);
  EXPECT_EQ(loop_->stats().unread, kPages - kReports);
}

TEST_F(LedgerLoopTest, AReportThatTheCrawlWaitsForIsWrittenAtOnce) {
  Start();  // nothing is left to order
  EXPECT_LT(FastestWrite(), absl::Milliseconds(5));
}

TEST_F(LedgerLoopTest, ReportsThatFillAGroupAreWrittenAtOnce) {
  options_.memory.whole = 64;  // a group takes in one report
  Start();
  OfferAll();
  EXPECT_LT(FastestWrite(), absl::Milliseconds(5));
}

TEST_F(LedgerLoopTest, AQuestionIsNotKeptWaitingWithTheReports) {
  Start();
  OfferAll();
  absl::Duration fastest = absl::InfiniteDuration();
  for (int page = 0; page < 20; ++page) {
    Report(page);
    absl::Notification answered;
    const absl::Time begun = absl::Now();
    ASSERT_TRUE(loop_->Run([&] { answered.Notify(); }));
    answered.WaitForNotification();
    fastest = std::min(fastest, absl::Now() - begun);
    AwaitWritten(absl::Seconds(20));
  }
  EXPECT_LT(fastest, absl::Milliseconds(5));
}

void AskAgainAndAgain(LedgerLoop& loop, const std::shared_ptr<int>& kept) {
  loop.Run([&loop, kept] { AskAgainAndAgain(loop, kept); });
}

// Whoever waits for it would do so for half a minute.
TEST_F(LedgerLoopTest, WhatIsAskedBehindTheLastTurnIsDropped) {
  Start();
  const auto kept = std::make_shared<int>();
  AskAgainAndAgain(*loop_, kept);
  EXPECT_TRUE(loop_->Stop().ok());
  EXPECT_FALSE(loop_->Run([kept] {}));
  EXPECT_EQ(kept.use_count(), 1) << "a question is still there";
}

// A turn had left a part of what it gathered, and what came behind that was read once more after a
// restart.
TEST_F(LedgerLoopTest, WhatWaitsWhenItIsStoppedIsRecorded) {
  options_.memory.whole = 1 << 20;
  Start();
  OfferAll();
  absl::Notification in_first, first, in_second, second;
  ASSERT_TRUE(loop_->Run([&] { in_first.Notify(), first.WaitForNotification(); }));
  in_first.WaitForNotification();
  const std::vector<int> links(130, 1);  // of such reports a group takes in two
  for (int page = 0; page < 4; ++page) Report(page, links);
  ASSERT_TRUE(loop_->Run([&] { in_second.Notify(), second.WaitForNotification(); }));
  first.Notify();
  in_second.WaitForNotification();  // the four were gathered
  for (int page = 4; page < 6; ++page) Report(page);
  desk_->Stop();
  support::SleepingThread stop([this] { EXPECT_TRUE(loop_->Stop().ok()); });
  EXPECT_TRUE(stop.AwaitSleep()) << "it is told to stop, and waited for";
  second.Notify();
  stop.Join();
  EXPECT_EQ(loop_->stats().unread, kPages - 6u);
}

TEST_F(LedgerLoopTest, AQuestionGoesBeforeTheReportsThatWait) {
  Start();
  OfferAll();
  absl::Notification go_on, answered;
  uint64_t held_then = 0;
  ASSERT_TRUE(loop_->Run([&] { go_on.WaitForNotification(); }));
  for (int page = 0; page < kPages; ++page) Report(page);
  const uint64_t held = loop_->reports().held();
  ASSERT_TRUE(loop_->Run([&] {
    held_then = loop_->reports().held();
    answered.Notify();
  }));
  go_on.Notify();
  answered.WaitForNotification();
  EXPECT_GT(held_then, held / 2);
}

// Otherwise the scheduler would run out of pages whenever the ledger is behind.
TEST_F(LedgerLoopTest, ADirectiveIsNotKeptWaitingByTheReports) {
  Start();
  OfferAll();
  uint64_t held_at_answer = 0;
  scheduler_.OnAnswer([&] { held_at_answer = loop_->reports().held(); });
  absl::Notification go_on;
  ASSERT_TRUE(loop_->Run([&] { go_on.WaitForNotification(); }));
  for (int page = 0; page < kPages; ++page) Report(page);
  const uint64_t held = loop_->reports().held();
  Tell(schedule::Directive{.id = 1'000, .want = kPages});
  go_on.Notify();
  scheduler_.TakeAnswer();
  EXPECT_GT(held_at_answer, held / 2);
}

// A disk that fills up: nothing new is wanted, what was fetched is recorded, and questions are
// answered; when there is room it goes on.
TEST_F(LedgerLoopTest, WaitsForRoomOnTheDisk) {
  std::atomic<uint64_t> free = 1000;
  options_.disk = {.free_min = 400,
                   .read = [&] { return DiskRoom{.free = free, .whole = 2000}; },
                   .look_every = absl::ZeroDuration()};
  Start();
  loop_->BeginSession();
  scheduler_.AwaitWanted(true);
  free = 399;
  scheduler_.AwaitWanted(false);
  Report(1);
  AwaitWritten(absl::Seconds(20));
  AwaitTurn();
  EXPECT_EQ(loop_->stats().unread, kPages - 1u);
  EXPECT_TRUE(loop_->stats().disk.low);
  free = 500;
  scheduler_.AwaitWanted(true);
  AwaitTurn();
  EXPECT_FALSE(loop_->stats().disk.low);
}

// The first question after a start walked over all rows.
TEST_F(LedgerLoopTest, TheBestPagesAreFollowedBeforeAnybodyAsks) {
  pushes_ = true;
  Start();
  const auto whole = [&] {
    bool is = false;
    absl::Notification asked;
    loop_->Run([&] { is = loop_->great().whole(), asked.Notify(); });
    asked.WaitForNotification();
    return is;
  };
  EXPECT_TRUE(support::Eventually(absl::Seconds(20), whole));
}

TEST_F(LedgerLoopTest, PagesAtRestAreSettledByAPlan) {
  const uint64_t settled = VisitsToRest();
  EXPECT_GE(settled, kPages / 2u);
  EXPECT_LE(settled, 2u * kPages);
}

// Its fetches would break off one plan after the other.
TEST_F(LedgerLoopTest, ACrawlThatGoesOnForEverSettlesPageByPage) {
  options_.refresh.pages_per_s = 1;
  options_.error_max /= 4;  // which another crawl does at its end
  EXPECT_GT(VisitsToRest(), 3u * kPages);
}

TEST_F(LedgerLoopTest, WithoutMemoryForAPlanPagesAreSettledPageByPage) {
  options_.memory.whole = 100'000;
  EXPECT_GT(VisitsToRest(), 3u * kPages);
}

// It has a number in a shard that this crawl has not.
// As with new seeds. What is settled between fetches is what was asked for, and here that is
// nothing.
TEST_F(LedgerLoopTest, WhatWasSettledAtTheEndIsNoneOfTheFetchesThatFollow) {
  constexpr int kMore = 20;
  options_.memory.whole = 1 << 14;  // no plan
  const uint64_t at_rest = VisitsToRest();
  ASSERT_GT(at_rest, 0u);
  std::vector<ledger::Link> more;
  for (int page = kPages; page < kPages + kMore; ++page)
    more.push_back({PageOf(page), UrlOf(page)});
  loop_->Run([&] { ledger_->Seed(more); });
  AwaitTurn();
  for (int page = kPages; page < kPages + kMore / 2; ++page) Report(page);
  AwaitWritten(absl::Seconds(20));
  for (int turn = 0; turn < 20; ++turn) AwaitTurn();
  EXPECT_EQ(loop_->stats().phase, Phase::kCrawling);
  EXPECT_EQ(loop_->counters()[desk::Counter::kSettled], at_rest);
}

TEST_F(LedgerLoopTest, ASessionBeginsWhileTheRobotsTxtOfAnotherHostIsFetched) {
  absl::Notification asked, answer;
  const support::HttpServer server([&](const support::HttpRequest& request) {
    if (request.target != "/rules")
      return support::Answer("301 Moved", "Location: http://b.test/rules\r\n", "");
    asked.Notify();
    answer.WaitForNotification();
    return support::Ok("");
  });
  options_.fetch.allow_private = true;
  options_.fetch.connect_to = {"::127.0.0.1:" + std::to_string(server.port())};
  Start();
  OfferAll();
  const auto take = [this](PageId page) { desk_->Take({schedule::Order{page}}); };
  take(PageOf(0));
  ASSERT_TRUE(support::Eventually(absl::Seconds(20), [&] { return desk_->in_progress() == 0; }));
  take(PageOf(0));  // its robots.txt has led elsewhere
  ASSERT_EQ(scheduler_.TakeAnswer(), 1u);
  take(desk::RobotsRedirects::IdOf(*url::Parse("http://b.test/rules")));
  asked.WaitForNotification();
  loop_->BeginSession();
  AwaitTurn();
  EXPECT_EQ(desk_->in_progress(), 1u);
  answer.Notify();
}

TEST_F(LedgerLoopTest, AnOrderOfAShardThatThereIsNotIsDropped) {
  Start();
  OfferAll();
  loop_->TakeReport({.visit = std::nullopt, .rowless = PageId(ShardId{0xfffe}, 1)});
  AwaitTurn();
  EXPECT_EQ(loop_->stats().unread, kPages);
}

}  // namespace
}  // namespace opic::node
