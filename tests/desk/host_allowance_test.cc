// Orders for a host whose budget is used up, or comes to be.
#include "desk/host_allowance.h"

#include <set>

#include "tests/desk/order_desk_fixture.h"

namespace opic::desk {
namespace {

// So many pages of each host.
class Allowance final : public HostAllowance {
 public:
  explicit Allowance(size_t pages) : pages_(pages) {}
  absl::StatusOr<std::string> OverBudget(std::string_view) override {
    absl::MutexLock lock(&mu_);
    return Why();
  }
  absl::StatusOr<std::string> Begin(PageId page, std::string_view) override {
    absl::MutexLock lock(&mu_);
    if (!Why().empty()) return Why();
    begun_.insert(page);
    return "";
  }
  void ToldOverBudget(std::string_view host) override {
    absl::MutexLock lock(&mu_);
    told_ = host;
  }
  void GiveBack(PageId page) override {
    absl::MutexLock lock(&mu_);
    begun_.erase(page);
  }
  void Received(PageId page, uint64_t bytes) override {
    absl::MutexLock lock(&mu_);
    if (begun_.contains(page)) bytes_ += bytes;
  }
  size_t begun() {
    absl::MutexLock lock(&mu_);
    return begun_.size();
  }
  uint64_t bytes() {
    absl::MutexLock lock(&mu_);
    return bytes_;
  }
  bool AwaitTold(const std::string& host) {
    absl::MutexLock lock(&mu_);
    const auto is_told = [&] { return told_ == host; };
    return mu_.AwaitWithTimeout(absl::Condition(&is_told), absl::Seconds(20));
  }

 private:
  std::string Why() const { return begun_.size() < pages_ ? "" : "no more"; }

  const size_t pages_;
  absl::Mutex mu_;
  std::set<PageId> begun_;
  uint64_t bytes_ = 0;
  std::string told_;
};

class HostAllowanceTest : public OrderDeskTest {};

TEST_F(HostAllowanceTest, PastTheBudgetNothingIsAskedAndTheSchedulerHearsWhy) {
  Allowance allowance(1);
  KnowRobots();
  Serve("/page", support::Ok("text"));
  desk().AskAllowance(allowance);
  EXPECT_EQ(VisitOf(OrderOf(kPage)).kind, VisitKind::kFetched);
  EXPECT_GT(allowance.bytes(), 4u) << "headers and body";
  const schedule::Outcome outcome = OutcomeOf(OrderOf("http://a.test/other"));
  EXPECT_EQ(outcome.result, Result::kPostponed);
  EXPECT_EQ(outcome.over_budget, "no more");
  EXPECT_FALSE(outcome.requested);
  EXPECT_TRUE(allowance.AwaitTold("a.test"));
  EXPECT_EQ(server_.requests().size(), 1u);
}

TEST_F(HostAllowanceTest, NorIsItsRobotsTxt) {
  Allowance allowance(0);
  desk().AskAllowance(allowance);
  EXPECT_EQ(OutcomeOf(OrderOf(kPage)).over_budget, "no more");
  EXPECT_TRUE(allowance.AwaitTold("a.test"));
  EXPECT_EQ(server_.requests().size(), 0u);
}

TEST_F(HostAllowanceTest, APageThatIsAskedForOnceMoreIsGivenBack) {
  Allowance allowance(1);
  desk().AskAllowance(allowance);
  TransientAnswered(Answer("503 Busy", "", "sorry"));
  EXPECT_EQ(allowance.begun(), 0u);
  EXPECT_EQ(allowance.bytes(), 0u);
  Serve("/page", support::Ok("text"));
  EXPECT_EQ(VisitOf(OrderOf(kPage)).kind, VisitKind::kFetched);
  EXPECT_EQ(allowance.begun(), 1u);
}

TEST_F(HostAllowanceTest, APageThatWasReadBeforeCostsNothing) {
  Allowance allowance(1);
  desk().AskAllowance(allowance);
  KnowRobots();
  Serve("/page", support::Ok("text"));
  const schedule::Order order = OrderOf(kPage);
  ledger::HistoryRow read;
  read.fetches = 1;
  store::Batch batch;
  batch.Put(store::Table::kHistory, ledger::KeyOf(order.page), ledger::Encode(read, window_));
  ASSERT_TRUE(store_->Write(batch, store::Sync::kNo).ok());
  EXPECT_EQ(VisitOf(order).kind, VisitKind::kFetched);
  EXPECT_EQ(allowance.begun(), 0u);
  EXPECT_EQ(allowance.bytes(), 0u);
}

// Its page would wait for ever.
TEST_F(HostAllowanceTest, ARobotsTxtThatLeadsToAHostPastItsBudgetCannotBeHad) {
  class OfB final : public HostAllowance {
   public:
    absl::StatusOr<std::string> OverBudget(std::string_view host) override {
      return host == "b.test" ? "no more" : "";
    }
    absl::StatusOr<std::string> Begin(PageId, std::string_view) override { return ""; }
    void ToldOverBudget(std::string_view) override {}
    void GiveBack(PageId) override {}
    void Received(PageId, uint64_t) override {}
  } allowance;
  desk().AskAllowance(allowance);
  Serve("/robots.txt", Answer("301 Moved", "Location: http://b.test/robots.txt\r\n", ""));
  const schedule::Order order = OrderOf(kPage);
  EXPECT_EQ(OutcomeOf(order).result, Result::kPostponed) << "that of a.test was read";
  const ledger::Visit visit = VisitOf(order);
  EXPECT_EQ(visit.kind, VisitKind::kFailed);
  EXPECT_EQ(visit.http_status, RowStatusOf({Failure::kBlocked, /*of_robots=*/true}));
  EXPECT_EQ(server_.requests().size(), 1u);
}

}  // namespace
}  // namespace opic::desk
