// In which order a worker does what has gathered for it.
#include <utility>

#include "absl/synchronization/notification.h"
#include "tests/desk/order_desk_fixture.h"

namespace opic::desk {
namespace {

class GatheredWorkTest : public OrderDeskTest {
 protected:
  // The one worker stands in its first report until it may go on.
  void Begin() {
    auto desk = OrderDesk::Start(options_, window_, hash_, *store_, base::RealClock::Get(), log_,
                                 heard_, [this](Report report) {
                                   const bool first = !std::exchange(reported_, true);
                                   heard_.Report(std::move(report));
                                   if (first) may_go_on_.WaitForNotification();
                                 });
    ASSERT_TRUE(desk.ok()) << desk.status();
    desk_ = *std::move(desk);
  }
  // What the next report is of.
  PageId TakeReported() {
    const Report report = heard_.TakeReport();
    return report.visit ? report.visit->page : PageId();
  }

  bool reported_ = false;  // the worker's
  absl::Notification may_go_on_;
};

TEST_F(GatheredWorkTest, HostsAreAskedBeforePagesAreRead) {
  KnowRobots("User-agent: *\nDisallow: /private");
  Serve("/page", support::Ok("text"));
  const schedule::Order page = OrderOf(kPage);
  // Orders that end without a request.
  const schedule::Order first = OrderOf("http://a.test/private/1");
  const schedule::Order later = OrderOf("http://a.test/private/2");
  Begin();
  {
    absl::MutexLock no_answer(&mu_);
    desk().Take({page});
    desk().Take({first});
    EXPECT_EQ(heard_.TakeOutcome().page, first.page);
    EXPECT_EQ(TakeReported(), first.page);
  }
  EXPECT_EQ(heard_.TakeOutcome().page, page.page) << "its host is free, and it waits to be read";
  desk().Take({later});
  may_go_on_.Notify();
  EXPECT_EQ(TakeReported(), later.page);
  EXPECT_EQ(TakeReported(), page.page);
  EXPECT_EQ(heard_.TakeOutcome().page, later.page);
}

}  // namespace
}  // namespace opic::desk
