// What is told of a call that lasts, over real sockets.
#include "rpc/wait_notice.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>

#include "absl/strings/str_cat.h"
#include "tests/rpc/served_node.h"

namespace opic::rpc {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(WaitNoticeTest, WhatLastsIsToldOnce) {
  int told = 0;
  absl::Notification first;
  {
    const WaitNotice notice(
        [&] {
          ++told;
          first.Notify();
        },
        absl::ZeroDuration());
    first.WaitForNotification();
  }
  EXPECT_EQ(told, 1);
}

TEST(WaitNoticeTest, WhatIsSoonOverIsNotTold) {
  bool told = false;
  {
    const WaitNotice notice([&] { told = true; }, absl::Hours(1));
  }
  EXPECT_FALSE(told);
}

TEST(WaitNoticeTest, NothingNeedBeTold) { const WaitNotice notice(nullptr, absl::ZeroDuration()); }

class LastingCallTest : public ServedNodeTest {
 protected:
  NodeClientOptions Options(absl::Duration patience) {
    NodeClientOptions options;
    options.patience = patience;
    options.told_after = absl::ZeroDuration();
    options.waiting = [this](const std::string& node, const std::string& why) {
      told_ = node + ": " + why;
      if (node_.hold != nullptr) hold_.Notify();
    };
    return options;
  }

  absl::Notification hold_;
  std::string told_;  // the last time
};

TEST_F(LastingCallTest, ANodeThatIsBusyIsNamed) {
  NodeClientOptions options = Options(absl::Seconds(20));
  options.name = "n1";
  options.local_only = true;
  const auto client = NodeClient::To(server_->address(), options);
  ASSERT_TRUE(client->Stats().ok());  // it is connected
  node_.hold = &hold_;
  EXPECT_TRUE(client->Stats().ok());
  EXPECT_EQ(told_, "n1: it is connected, but has not answered yet");
}

TEST_F(LastingCallTest, ANodeOfAClusterMayItselfBeWaiting) {
  const auto client = NodeClient::To(server_->address(), Options(absl::Seconds(20)));
  ASSERT_TRUE(client->Stats().ok());
  node_.hold = &hold_;
  EXPECT_TRUE(client->Stats().ok());
  EXPECT_THAT(told_, StartsWith(server_->address() + ": it is connected"));
  EXPECT_THAT(told_, HasSubstr("waiting for another"));
}

// A process that is stopped: the kernel accepts connections, and nobody answers.
TEST_F(LastingCallTest, AProcessThatIsStoppedHasNoConnection) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener, 8), 0);
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const auto client = NodeClient::To(absl::StrCat("127.0.0.1:", ntohs(address.sin_port)),
                                     Options(absl::Seconds(1)));
  EXPECT_TRUE(absl::IsDeadlineExceeded(client->Stats().status()));
  EXPECT_THAT(told_, HasSubstr("there is no connection to it yet; it hangs"));
  close(listener);
}

}  // namespace
}  // namespace opic::rpc
