#include "fetch/multi_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "base/check.h"

namespace opic::fetch {
namespace {

constexpr int kEventsAtOnce = 64;

bool AddToEpoll(int epoll, int fd) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
  return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

// A read takes back its readiness; there is nothing to learn from it.
void Drain(int fd) {
  uint64_t count;
  [[maybe_unused]] const ssize_t got = read(fd, &count, sizeof(count));
}

int SelectBits(uint32_t events) {
  int bits = 0;
  if (events & EPOLLIN) bits |= CURL_CSELECT_IN;
  if (events & EPOLLOUT) bits |= CURL_CSELECT_OUT;
  if (events & (EPOLLERR | EPOLLHUP)) bits |= CURL_CSELECT_ERR;
  return bits;
}

}  // namespace

absl::StatusOr<std::unique_ptr<MultiLoop>> MultiLoop::Create() {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  const int wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (epoll < 0 || wake < 0 || !AddToEpoll(epoll, wake)) {
    const absl::Status status = absl::ErrnoToStatus(errno, "setting up epoll");
    for (int fd : {epoll, wake}) {
      if (fd >= 0) close(fd);
    }
    return status;
  }
  return std::unique_ptr<MultiLoop>(new MultiLoop(epoll, wake));
}

MultiLoop::MultiLoop(int epoll, int wake) : epoll_(epoll), wake_(wake), multi_(curl_multi_init()) {
  OPIC_CHECK(multi_ != nullptr) << "out of memory";
  curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &MultiLoop::OnSocket);
  curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &MultiLoop::OnTimer);
  curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
}

MultiLoop::~MultiLoop() {
  multi_.reset();  // while closing connections it still reports sockets
  for (int fd : {epoll_, wake_}) close(fd);
}

void MultiLoop::KeepAtMost(int connections) {
  if (connections == kept_max_) return;
  kept_max_ = connections;
  curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(connections));
}

bool MultiLoop::Add(CURL* easy) { return curl_multi_add_handle(multi_.get(), easy) == CURLM_OK; }

void MultiLoop::Remove(CURL* easy) {
  const CURLMcode code = curl_multi_remove_handle(multi_.get(), easy);
  OPIC_CHECK(code == CURLM_OK) << curl_multi_strerror(code);
}

void MultiLoop::Follow(int socket, std::function<void()> moved) {
  followed_[socket] = std::move(moved);
  epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLET, .data = {.fd = socket}};
  epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event);  // without it the request times out
}

void MultiLoop::Unfollow(int socket) {
  followed_.erase(socket);
  epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr);
}

void MultiLoop::Wake() {
  const uint64_t one = 1;
  // Can fail only when the counter is full, and then the loop is about to wake anyway.
  [[maybe_unused]] const ssize_t put = write(wake_, &one, sizeof(one));
}

// Milliseconds. Rounded up: else the last one would be spent in asking over and over.
int MultiLoop::MostToWait() const {
  if (!due_) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due_ - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, std::numeric_limits<int>::max()));
}

void MultiLoop::RunOnce(Ended ended, absl::FunctionRef<void()> read) {
  epoll_event events[kEventsAtOnce];
  const int count = epoll_wait(epoll_, events, kEventsAtOnce, MostToWait());
  OPIC_CHECK(count >= 0 || errno == EINTR) << "epoll_wait: " << errno;
  for (int i = 0; i < count; ++i) {
    const int fd = events[i].data.fd;
    if (fd == wake_) {
      Drain(fd);
      continue;
    }
    if (const auto one = followed_.find(fd); one != followed_.end()) {
      one->second();
      continue;
    }
    Act(fd, SelectBits(events[i].events), ended);
    read();
  }
  if (due_ && Clock::now() >= *due_) {
    due_.reset();
    Act(CURL_SOCKET_TIMEOUT, 0, ended);
    read();
  }
}

void MultiLoop::Act(curl_socket_t socket, int what, Ended ended) {
  int running = 0;
  const CURLMcode code = curl_multi_socket_action(multi_.get(), socket, what, &running);
  OPIC_CHECK(code == CURLM_OK) << curl_multi_strerror(code);
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg == CURLMSG_DONE) ended(message->easy_handle, message->data.result);
  }
}

int MultiLoop::OnSocket(CURL*, curl_socket_t socket, int what, void* loop, void* known) {
  static_cast<MultiLoop*>(loop)->Watch(socket, what, known != nullptr);
  return 0;
}

void MultiLoop::Watch(curl_socket_t socket, int what, bool known) {
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr);  // fails where it is closed already: fine
    return;
  }
  epoll_event event{.events = 0, .data = {.fd = socket}};
  if (what & CURL_POLL_IN) event.events |= EPOLLIN;
  if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
  int failed = epoll_ctl(epoll_, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
  // A number closed and given out again between two reports: epoll has forgotten it, libcurl not.
  if (failed && errno == ENOENT) failed = epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event);
  if (failed && errno == EEXIST) failed = epoll_ctl(epoll_, EPOLL_CTL_MOD, socket, &event);
  if (!known) curl_multi_assign(multi_.get(), socket, this);  // any non-null: "known" next time
}

int MultiLoop::OnTimer(CURLM*, long timeout_ms, void* loop) {
  static_cast<MultiLoop*>(loop)->SetTimer(timeout_ms);
  return 0;
}

// Negative: it waits for nothing.
void MultiLoop::SetTimer(long timeout_ms) {
  due_.reset();
  if (timeout_ms >= 0) due_ = Clock::now() + std::chrono::milliseconds(timeout_ms);
}

}  // namespace opic::fetch
