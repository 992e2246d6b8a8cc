// Too few open files are this process's trouble, never the host's.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/fetch/client.h"
#include "tests/support/http_server.h"

namespace opic::fetch {
namespace {

// All descriptors there may be, below a limit that is lowered for as long.
// UndefinedBehaviorSanitizer looks at an object's type through a pipe, once: a client has to be
// used before there is none.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = 256;
    setrlimit(RLIMIT_NOFILE, &few);
    for (int fd = dup(0); fd >= 0; fd = dup(0)) taken_.push_back(fd);
  }
  ~NoDescriptors() {
    for (const int fd : taken_) close(fd);
    setrlimit(RLIMIT_NOFILE, &before_);
  }

 private:
  rlimit before_ = {};
  std::vector<int> taken_;
};

TEST(NoDescriptorTest, NoSocketIsNotTheHostsFailure) {
  support::HttpServer server([](const support::HttpRequest&) { return support::Ok("text"); });
  Client client;
  EXPECT_NE(client.Get("http://name.invalid/").error, Error::kNone);  // see NoDescriptors
  {
    NoDescriptors none;
    EXPECT_EQ(client.Get(server.Url("/")).error, Error::kNoDescriptor);
  }
  EXPECT_EQ(client.Get(server.Url("/")).error, Error::kNone);
}

TEST(NoDescriptorTest, ANameThatCannotBeLookedUpForWantOfASocketIsNotUnknown) {
  Client client;
  EXPECT_NE(client.Get("http://name.invalid/").error, Error::kNone);  // see NoDescriptors
  NoDescriptors none;
  EXPECT_EQ(client.Get("http://name.invalid/").error, Error::kNoDescriptor);
}

TEST(NoDescriptorTest, ARefusedConnectionStaysOne) {
  int port = 0;
  {
    support::HttpServer server([](const support::HttpRequest&) { return support::Ok("text"); });
    port = server.port();
  }
  Client client;
  EXPECT_EQ(client.Get("http://127.0.0.1:" + std::to_string(port) + "/").error, Error::kConnect);
}

}  // namespace
}  // namespace opic::fetch
