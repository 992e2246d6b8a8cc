// libcurl's multi handle driven by epoll and an eventfd: cost follows the sockets with something to
// do, not the sockets open.
//
// Thread safety: confined to the owner thread, but for Wake().
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "fetch/curl_handles.h"

namespace opic::fetch {

class MultiLoop {
 public:
  using Ended = absl::FunctionRef<void(CURL* easy, CURLcode code)>;

  static absl::StatusOr<std::unique_ptr<MultiLoop>> Create();
  ~MultiLoop();
  MultiLoop(const MultiLoop&) = delete;
  MultiLoop& operator=(const MultiLoop&) = delete;

  // `easy` belongs to the caller and is removed before it ends. False: libcurl refused it.
  bool Add(CURL* easy);
  void Remove(CURL* easy);

  // Connections that stay open between requests, in each cache (connection_caches.h); at first as
  // many as libcurl finds right.
  void KeepAtMost(int connections);

  // Calls `moved` in RunOnce when there is more to read from, or more room to write to, a socket
  // that libcurl does not wait for: once for each such change (EPOLLET). It may call Follow, and
  // not Unfollow.
  void Follow(int socket, std::function<void()> moved);
  // REQUIRES: it is followed, and not closed yet.
  void Unfollow(int socket);

  // Ends the present or next wait. Any thread.
  void Wake();

  // Waits until there is something to do, does it, and calls `ended` for each download that ended,
  // right after its last byte, and `read` whenever something may have been read. Both may call Add
  // and Remove.
  void RunOnce(Ended ended, absl::FunctionRef<void()> read);

 private:
  using Clock = std::chrono::steady_clock;
  MultiLoop(int epoll, int wake);
  static int OnSocket(CURL*, curl_socket_t socket, int what, void* loop, void* known);
  static int OnTimer(CURLM*, long timeout_ms, void* loop);
  void Watch(curl_socket_t socket, int what, bool known);
  void SetTimer(long timeout_ms);
  int MostToWait() const;
  void Act(curl_socket_t socket, int what, Ended ended);

  const int epoll_;
  const int wake_;
  std::optional<Clock::time_point> due_;           // when libcurl wants to look again
  int kept_max_ = 0;                               // 0: libcurl's own
  std::map<int, std::function<void()>> followed_;  // entries stay where they are
  MultiHandle multi_;
};

}  // namespace opic::fetch
