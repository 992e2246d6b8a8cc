#include "fetch/filtering_relay.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <utility>

#include "fetch/curl_error.h"
#include "fetch/settings.h"

namespace opic::fetch {
namespace {

constexpr size_t kBytesAtOnce = CURL_MAX_WRITE_SIZE;
constexpr int kWaitingMax = 8;
constexpr char kNoSocket[] = "this process has too many files open";

bool IsOfThisProcess(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == getpid();
}

}  // namespace

FilteringRelay::FilteringRelay(MultiLoop& loop, EasyHandle connection, size_t head_bytes_max)
    : loop_(loop), connection_(std::move(connection)), filter_(head_bytes_max) {
  Set(connection_.get(), CURLOPT_ERRORBUFFER, message_);
  curl_easy_getinfo(connection_.get(), CURLINFO_ACTIVESOCKET, &socket_);
  if (socket_ == CURL_SOCKET_BAD) Fail(Error::kCut, "closed before it was used");
  if (ended_) return;
  Listen();
  loop_.Follow(socket_, [this] { Relay(); });
  // The first reading ties the connection to its handle: libcurl closes one that seems idle.
  Relay();
}

FilteringRelay::~FilteringRelay() {
  for (const int socket : {static_cast<int>(socket_), listener_, end_}) {
    if (socket >= 0) loop_.Unfollow(socket);
    if (socket >= 0 && socket != socket_) close(socket);
  }
  loop_.Remove(connection_.get());
}

// At a name that the system chooses (unix(7), autobind).
void FilteringRelay::Listen() {
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_un here{.sun_family = AF_UNIX, .sun_path = {}};
  auto* const address = reinterpret_cast<sockaddr*>(&here);
  socklen_t size = sizeof here;
  if (listener_ < 0 || bind(listener_, address, sizeof here.sun_family) != 0 ||
      listen(listener_, kWaitingMax) != 0 || getsockname(listener_, address, &size) != 0)
    return Fail(Error::kNoDescriptor, kNoSocket);
  name_.assign(here.sun_path + 1, size - offsetof(sockaddr_un, sun_path) - 1);
  loop_.Follow(listener_, [this] { Relay(); });
}

void FilteringRelay::Accept() {
  while (end_ < 0) {
    const int end = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (end < 0 && (errno == EMFILE || errno == ENFILE)) Fail(Error::kNoDescriptor, kNoSocket);
    if (end < 0) return;
    if (!IsOfThisProcess(end)) {
      close(end);
      continue;
    }
    end_ = end;
    if (ended_ && answer_.empty()) shutdown(end_, SHUT_WR);  // the server was faster
    loop_.Follow(end_, [this] { Relay(); });
  }
}

std::string FilteringRelay::address() const {
  const char* address = nullptr;
  curl_easy_getinfo(connection_.get(), CURLINFO_PRIMARY_IP, &address);
  return address == nullptr ? "" : address;
}

// Ends, as what is not read at one end fills its socket.
void FilteringRelay::Relay() {
  Accept();
  while (RelayRequest() || RelayAnswer()) {
  }
}

// Where sending fails, reading says why.
bool FilteringRelay::RelayRequest() {
  if (request_.empty()) {
    char bytes[kBytesAtOnce];
    const ssize_t got = recv(end_, bytes, sizeof bytes, 0);
    if (got <= 0) return false;
    request_.assign(bytes, static_cast<size_t>(got));
  }
  size_t sent = 0;
  if (curl_easy_send(connection_.get(), request_.data(), request_.size(), &sent) != CURLE_OK)
    return false;
  request_.erase(0, sent);
  return true;
}

bool FilteringRelay::RelayAnswer() {
  if (answer_.empty()) {
    if (ended_) return false;
    const uint64_t before = bytes_received_;
    Receive();
    if (ended_ && answer_.empty()) shutdown(end_, SHUT_WR);
    return ended_ || bytes_received_ > before;
  }
  const ssize_t sent = send(end_, answer_.data(), answer_.size(), MSG_NOSIGNAL);
  if (sent <= 0) return false;
  answer_.erase(0, static_cast<size_t>(sent));
  if (ended_ && answer_.empty()) shutdown(end_, SHUT_WR);
  return true;
}

void FilteringRelay::Receive() {
  char bytes[kBytesAtOnce];
  size_t got = 0;
  const CURLcode code = curl_easy_recv(connection_.get(), bytes, sizeof bytes, &got);
  if (code == CURLE_AGAIN) return;
  if (code != CURLE_OK) return Fail(FromCurl(code, message_), message_);
  bytes_received_ += got;
  if (got == 0) {
    ended_ = true;
    filter_.End(answer_);
  } else if (!filter_.Pass({bytes, got}, answer_)) {
    Fail(Error::kHeaderTooLarge, "header lines above the limit");
  }
}

void FilteringRelay::Fail(Error error, std::string_view detail) {
  ended_ = true;
  error_ = error;
  detail_ = detail;
}

}  // namespace opic::fetch
