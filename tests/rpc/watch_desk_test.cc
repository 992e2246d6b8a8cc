// Watching the ranking of a served node, through the client that `opic watch` uses.
#include "rpc/watch_desk.h"

#include <gmock/gmock.h>

#include <thread>

#include "absl/synchronization/mutex.h"
#include "base/reason.h"
#include "opic/v1/importance.grpc.pb.h"
#include "rpc/time_wire.h"
#include "tests/rpc/served_node.h"

namespace opic::rpc {
namespace {

// Its ranking is what the test says.
class RankedNode final : public ScriptedNode {
 public:
  absl::StatusOr<TopPages> Top(const node::TopQuery& query) override {
    ++tops_;
    if (walks_ && !walks_(query.given_up)) return absl::CancelledError("given up");
    const absl::MutexLock lock(&mu_);
    TopPages top;
    for (const std::string& url : ranking_) {
      if (top.pages.size() == query.count) break;
      node::PageImportance page = page_;
      page.url = url;
      top.pages.push_back(page);
    }
    top.known = ranking_.size();
    return top;
  }
  void Rank(std::vector<std::string> urls) {
    const absl::MutexLock lock(&mu_);
    ranking_ = std::move(urls);
  }

 private:
  absl::Mutex mu_;
  std::vector<std::string> ranking_ ABSL_GUARDED_BY(mu_);
};

class WatchDeskTest : public testing::Test {
 protected:
  explicit WatchDeskTest(QuestionOptions options = {}) : services_(node_, std::move(options)) {}
  void SetUp() override {
    auto server = Server::Start("127.0.0.1:0", services_.services());
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    services_.Open();
    client_ = NodeClient::To(server_->address(), absl::Seconds(20));
    node_.Rank({"http://a/", "http://b/", "http://c/"});
  }
  void TearDown() override {
    services_.Stop();
    server_->Shutdown();
  }

  std::shared_ptr<grpc::Channel> Channel() { return ChannelTo(server_->address()); }

  RankedNode node_;
  NodeServices services_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<NodeClient> client_;
  const WatchQuery query_{.count = 2, .urls = {"http://z/"}, .period = absl::Milliseconds(100)};
};

TEST_F(WatchDeskTest, ChangesComeAsTheyHappen) {
  std::vector<WatchChanges> heard;
  const absl::Status ended = client_->Watch(query_, [&](const WatchChanges& changes) {
    heard.push_back(changes);
    if (heard.size() == 1) node_.Rank({"http://c/", "http://a/", "http://b/"});
    return heard.size() < 2;
  });
  EXPECT_TRUE(ended.ok()) << ended;
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_TRUE(heard[0].complete);
  EXPECT_EQ(heard[0].known, 3u);
  ASSERT_EQ(heard[0].top.size(), 2u);
  EXPECT_EQ(heard[0].top[1].page.url, "http://b/");
  EXPECT_EQ(heard[0].top[1].page.importance, node_.page_.importance);
  ASSERT_EQ(heard[0].pages.size(), 1u);
  EXPECT_EQ(heard[0].pages[0].url, "http://z/");
  EXPECT_FALSE(heard[1].complete);
  ASSERT_EQ(heard[1].top.size(), 3u);
  EXPECT_EQ(heard[1].top[0].page.url, "http://c/");
  EXPECT_EQ(heard[1].top[0].rank, 1u);
  EXPECT_EQ(heard[1].top[2].page.url, "http://b/");
  EXPECT_EQ(heard[1].top[2].rank, 0u);
  EXPECT_EQ(heard[1].top[2].before, 2u);
  EXPECT_TRUE(heard[1].pages.empty());
}

TEST_F(WatchDeskTest, WrongQuestionsAreRefused) {
  const auto refused = [&](const WatchQuery& query) {
    return client_->Watch(query, [](const WatchChanges&) { return false; });
  };
  EXPECT_EQ(base::ReasonOf(refused({.urls = {"nonsense"}}))->word, "NO_URL");
  EXPECT_EQ(base::ReasonOf(refused({.count = 501}))->word, "TOO_MANY_URLS");
  EXPECT_TRUE(absl::IsInvalidArgument(refused({.period = absl::Milliseconds(1)})));
  EXPECT_TRUE(absl::IsInvalidArgument(refused({.period = absl::Hours(2)})));
  EXPECT_TRUE(absl::IsInvalidArgument(refused({.least_change = 1.5})));
  EXPECT_EQ(node_.tops_, 0);
}

// The seventeenth is refused, and taken when one of them goes.
TEST_F(WatchDeskTest, SoManyWatchAndNoMore) {
  const auto stub = v1::Importance::NewStub(Channel());
  v1::WatchRequest request;
  *request.mutable_period() = WireDuration(absl::Milliseconds(100));
  struct Watch {
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReader<v1::WatchResponse>> stream;
  };
  v1::WatchResponse reply;
  std::vector<std::unique_ptr<Watch>> all;
  for (int i = 0; i < WatchDesk::kWatchersMax; ++i) {
    all.push_back(std::make_unique<Watch>());
    all.back()->stream = stub->Watch(&all.back()->context, request);
    ASSERT_TRUE(all.back()->stream->Read(&reply)) << i;
    EXPECT_TRUE(reply.complete());
  }
  const auto one_more = [&] {
    return client_->Watch(query_, [](const WatchChanges&) { return false; });
  };
  const absl::Status refused = one_more();
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  EXPECT_EQ(base::ReasonOf(refused)->word, "TOO_MANY_WATCHERS");
  all.front()->context.TryCancel();
  EXPECT_EQ(all.front()->stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  absl::Status taken = refused;
  for (const absl::Time end = absl::Now() + absl::Seconds(20); !taken.ok() && absl::Now() < end;)
    taken = one_more();
  EXPECT_TRUE(taken.ok()) << taken;
  for (const auto& watch : all) {
    watch->context.TryCancel();
    if (watch != all.front()) watch->stream->Finish();
  }
}

class FrozenWatchersTest : public WatchDeskTest {
 protected:
  FrozenWatchersTest() : WatchDeskTest({.reply_untaken_max = absl::Milliseconds(300)}) {}
};

// Clients that read nothing, and stay: what they are to be told is more than is on its way.
TEST_F(FrozenWatchersTest, KeepNoPlaces) {
  const std::string path(2'000, 'x');
  std::vector<std::string> ranking;
  for (int i = 0; i < 490; ++i) ranking.push_back("http://a/" + std::to_string(i) + path);
  node_.Rank(ranking);
  grpc::ChannelArguments arguments;  // what is on its way does not grow with the rate
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  const auto stub = v1::Importance::NewStub(
      grpc::CreateCustomChannel(server_->address(), grpc::InsecureChannelCredentials(), arguments));
  v1::WatchRequest request;
  request.set_count(490);
  std::vector<std::unique_ptr<grpc::ClientContext>> contexts;
  std::vector<std::unique_ptr<grpc::ClientReader<v1::WatchResponse>>> frozen;
  for (int i = 0; i < WatchDesk::kWatchersMax; ++i) {
    contexts.push_back(std::make_unique<grpc::ClientContext>());
    frozen.push_back(stub->Watch(contexts.back().get(), request));
  }
  int heard = 0;
  absl::Status watched = absl::UnavailableError("");
  for (const absl::Time end = absl::Now() + absl::Seconds(60); !watched.ok() && absl::Now() < end;)
    watched = client_->Watch(query_, [&](const WatchChanges&) {
      node_.Rank({"http://" + std::to_string(heard) + "/"});
      return ++heard < 10;  // for a second, which is longer than a reply may wait
    });
  EXPECT_TRUE(watched.ok()) << watched;
  EXPECT_EQ(heard, 10);
  for (size_t i = 0; i < frozen.size(); ++i) contexts[i]->TryCancel();
  for (const auto& stream : frozen) stream->Finish();
}

// Those that are due share one look, and a long look is followed by a rest.
TEST_F(WatchDeskTest, LooksAreFew) {
  constexpr absl::Duration kLook = absl::Milliseconds(50);
  node_.walks_ = [&](const node::GivenUp&) {
    absl::SleepFor(kLook);
    return true;
  };
  const absl::Time begin = absl::Now();
  std::vector<std::thread> watchers;
  for (int i = 0; i < 4; ++i) {
    watchers.emplace_back([&] {
      int heard = 0;
      const absl::Status ended = client_->Watch(query_, [&](const WatchChanges&) {
        node_.Rank({"http://" + std::to_string(heard) + "/"});
        return ++heard < 4;
      });
      EXPECT_TRUE(ended.ok()) << ended;
    });
  }
  for (std::thread& watcher : watchers) watcher.join();
  EXPECT_LE((node_.tops_ - 1) * 10 * kLook, absl::Now() - begin);
}

TEST_F(WatchDeskTest, AWatchEndsWithTheNode) {
  absl::Notification begun;
  absl::Status ended;
  std::thread watcher([&] {
    ended = client_->Watch(query_, [&](const WatchChanges& changes) {
      if (changes.complete) begun.Notify();
      return true;
    });
  });
  begun.WaitForNotification();
  services_.Stop();
  watcher.join();
  EXPECT_EQ(base::ReasonOf(ended)->word, "NODE_STOPPING") << ended;
  EXPECT_TRUE(absl::IsUnavailable(client_->Watch(query_, [](const auto&) { return true; })));
}

// A walk of all pages that nobody waits for any more ends.
TEST_F(WatchDeskTest, WhoGoesIsNotLookedFor) {
  absl::Notification walking, given_up;
  node_.walks_ = [&](const node::GivenUp& gone) {
    walking.Notify();
    while (!gone()) std::this_thread::yield();
    given_up.Notify();
    return false;
  };
  grpc::ClientContext context;
  const auto stream = v1::Importance::NewStub(Channel())->Watch(&context, v1::WatchRequest());
  walking.WaitForNotification();
  context.TryCancel();
  given_up.WaitForNotification();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

}  // namespace
}  // namespace opic::rpc
