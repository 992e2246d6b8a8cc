#include "fetch/filtering_relay.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>

#include "absl/time/clock.h"
#include "tests/support/http_server.h"

namespace opic::fetch {
namespace {

// The descriptor; -1: it was refused.
int ConnectTo(const std::string& name) {
  sockaddr_un there{.sun_family = AF_UNIX, .sun_path = {}};
  name.copy(there.sun_path + 1, sizeof there.sun_path - 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(made, reinterpret_cast<const sockaddr*>(&there), size) == 0) return made;
  close(made);
  return -1;
}

void ConnectInAnotherProcess(const std::string& name) {
  const pid_t child = fork();
  if (child == 0) _exit(ConnectTo(name) >= 0 ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

EasyHandle Connected(MultiLoop& loop, const std::string& url) {
  EasyHandle easy(curl_easy_init());
  curl_easy_setopt(easy.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy.get(), CURLOPT_CONNECT_ONLY, 1L);
  EXPECT_TRUE(loop.Add(easy.get()));
  bool ended = false;
  const auto end = [&](CURL*, CURLcode code) {
    EXPECT_EQ(code, CURLE_OK);
    ended = true;
  };
  while (!ended) loop.RunOnce(end, [] {});
  return easy;
}

// Names of local sockets are no secret.
TEST(FilteringRelayTest, AnotherProcessIsNotTaken) {
  support::HttpServer server([](const support::HttpRequest&) {
    return support::RawThenClose("HTTP/1.0 200 OK\r\ngarbage\r\n\r\npage");
  });
  const auto loop = MultiLoop::Create();
  ASSERT_TRUE(loop.ok());
  FilteringRelay relay(**loop, Connected(**loop, server.Url("/")), 1000);
  ConnectInAnotherProcess(relay.name());
  const int ours = ConnectTo(relay.name());
  ASSERT_GE(ours, 0);
  const std::string request = "GET / HTTP/1.0\r\n\r\n";
  ASSERT_EQ(write(ours, request.data(), request.size()), static_cast<ssize_t>(request.size()));
  std::string answer;
  const absl::Time late = absl::Now() + absl::Seconds(20);
  for (ssize_t got = -1; got != 0 && absl::Now() < late;) {
    char bytes[100];
    got = recv(ours, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got > 0) answer.append(bytes, static_cast<size_t>(got));
    (*loop)->Wake();  // no wait without an end
    if (got < 0) (*loop)->RunOnce([](CURL*, CURLcode) {}, [] {});
  }
  EXPECT_EQ(answer, "HTTP/1.0 200 OK\r\n\r\npage");
  EXPECT_EQ(relay.address(), "127.0.0.1");
  EXPECT_EQ(relay.error(), Error::kNone);
  close(ours);
}

}  // namespace
}  // namespace opic::fetch
