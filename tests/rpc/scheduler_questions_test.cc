// Many questions at once for a Page Scheduler: orders must not wait for all of them.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <deque>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "base/clock.h"
#include "opic/v1/scheduler.grpc.pb.h"
#include "rpc/scheduler_service.h"
#include "rpc/server.h"
#include "tests/support/memory_store.h"

namespace opic::rpc {
namespace {

struct Call {
  grpc::ClientContext context;
  v1::ExplainWaitingResponse reply;
  grpc::Status status;
  absl::Notification ended;
};

TEST(SchedulerQuestionsTest, MoreThanSomeAreRefusedAtOnce) {
  constexpr size_t kCalls = 200, kAnswered = 64;
  MemoryStore store;
  auto core = scheduler::Scheduler::Open({}, store, absl::Now());
  ASSERT_TRUE(core.ok()) << core.status();
  SchedulerService service(*std::move(core), base::RealClock::Get());
  auto server = Server::Start("127.0.0.1:0", {service.service()});
  ASSERT_TRUE(server.ok()) << server.status();
  // The owner thread is busy.
  absl::Notification busy, go_on;
  const auto session = service.Within({.on_session =
                                           [&] {
                                             busy.Notify();
                                             go_on.WaitForNotification();
                                           },
                                       .on_message = [](schedule::ToNode) {}});
  session->Start();
  busy.WaitForNotification();
  const auto stub = v1::PageScheduler::NewStub(
      grpc::CreateChannel((*server)->address(), grpc::InsecureChannelCredentials()));
  std::deque<Call> calls(kCalls);
  const v1::ExplainWaitingRequest request;
  for (Call& call : calls) {
    stub->async()->ExplainWaiting(&call.context, &request, &call.reply, [&call](grpc::Status done) {
      call.status = std::move(done);
      call.ended.Notify();
    });
  }
  // Those that are refused do not wait for the owner.
  size_t refused = 0;
  const absl::Time give_up = absl::Now() + absl::Seconds(20);
  while (refused < kCalls - kAnswered && absl::Now() < give_up) {
    absl::SleepFor(absl::Milliseconds(1));
    refused = 0;
    for (const Call& call : calls) refused += call.ended.HasBeenNotified() ? 1 : 0;
  }
  EXPECT_EQ(refused, kCalls - kAnswered);
  // An operator waits, and is not refused.
  grpc::ClientContext operators;
  v1::SetBudgetRequest budget;
  v1::SetBudgetResponse set;
  absl::Notification was_set;
  grpc::Status budget_is;
  budget.set_pages_per_s(5);
  stub->async()->SetBudget(&operators, &budget, &set, [&](grpc::Status done) {
    budget_is = std::move(done);
    was_set.Notify();
  });
  // One more reader is refused meanwhile, so the operator's call has come.
  Call more;
  stub->async()->ExplainWaiting(&more.context, &request, &more.reply, [&more](grpc::Status done) {
    more.status = std::move(done);
    more.ended.Notify();
  });
  more.ended.WaitForNotification();
  EXPECT_EQ(more.status.error_code(), grpc::StatusCode::UNAVAILABLE);
  go_on.Notify();
  was_set.WaitForNotification();
  EXPECT_TRUE(budget_is.ok()) << budget_is.error_message();
  size_t answered = 0;
  for (Call& call : calls) {
    call.ended.WaitForNotification();
    const bool is_refused = call.status.error_code() == grpc::StatusCode::UNAVAILABLE;
    EXPECT_TRUE(call.status.ok() || is_refused) << call.status.error_message();
    answered += call.status.ok() ? 1 : 0;
  }
  EXPECT_EQ(answered, kAnswered);
  session->Stop();
  EXPECT_TRUE(service.Stop().ok());
  (*server)->Shutdown();
}

}  // namespace
}  // namespace opic::rpc
