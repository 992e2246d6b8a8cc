#include "tests/support/socks_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace opic::support {
namespace {

constexpr uint8_t kVersion = 5, kByName = 3, kByIpv6 = 4;
constexpr uint8_t kOpen = 0, kWithPassword = 2, kNoMethod = 0xff;

sockaddr_in At(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

bool Read(int fd, void* bytes, size_t size) {
  return recv(fd, bytes, size, MSG_WAITALL) == static_cast<ssize_t>(size);
}

bool Write(int fd, std::string_view bytes) {
  return send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

bool Write(int fd, std::initializer_list<uint8_t> bytes) {
  return Write(fd, std::string(bytes.begin(), bytes.end()));
}

// A length in one byte, and so many bytes.
bool ReadShort(int fd, std::string& text) {
  uint8_t size = 0;
  if (!Read(fd, &size, 1)) return false;
  text.resize(size);
  return Read(fd, text.data(), size);
}

// Until the other end closes, or the proxy does.
void AwaitEnd(int fd) {
  char bytes[512];
  while (recv(fd, bytes, sizeof(bytes), 0) > 0) {
  }
}

}  // namespace

SocksProxy::SocksProxy(Options options) : options_(std::move(options)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = At(0);
  socklen_t size = sizeof(address);
  OPIC_CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
  OPIC_CHECK(listen(listener_, 128) == 0);
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  accepting_ = std::thread([this] { Accept(); });
}

SocksProxy::~SocksProxy() {
  {
    const absl::MutexLock lock(&mu_);
    stopping_ = true;
    shutdown(listener_, SHUT_RDWR);  // ends accept()
    for (const int fd : open_) shutdown(fd, SHUT_RDWR);
  }
  accepting_.join();
  for (std::thread& thread : serving_) thread.join();
  for (const int fd : open_) close(fd);
  close(listener_);
}

std::string SocksProxy::Url(std::string_view scheme, std::string_view user) const {
  return absl::StrCat(std::string(scheme), "://", std::string(user), user.empty() ? "" : "@",
                      "127.0.0.1:", port_);
}

std::vector<std::string> SocksProxy::asked() const {
  const absl::MutexLock lock(&mu_);
  return asked_;
}

void SocksProxy::Accept() {
  while (true) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    Keep(fd);
    const absl::MutexLock lock(&mu_);
    if (stopping_) return;
    serving_.emplace_back([this, fd] { Serve(fd); });
  }
}

// Numbers stay taken until the end, so that none is used twice; when stopping, it ends at once.
void SocksProxy::Keep(int fd) {
  const absl::MutexLock lock(&mu_);
  open_.push_back(fd);
  if (stopping_) shutdown(fd, SHUT_RDWR);
}

void SocksProxy::Serve(int fd) {
  if (Greet(fd) && TakeRequest(fd)) Relay(fd);
  shutdown(fd, SHUT_RDWR);
}

bool SocksProxy::Greet(int fd) {
  uint8_t version = 0;
  std::string methods;
  if (!Read(fd, &version, 1) || version != kVersion || !ReadShort(fd, methods)) return false;
  if (options_.fault == Fault::kSilentAtGreeting) AwaitEnd(fd);
  if (options_.fault == Fault::kClosesAtGreeting) return false;
  const uint8_t wanted = options_.user.empty() ? kOpen : kWithPassword;
  if (methods.find(static_cast<char>(wanted)) == std::string::npos) {
    Write(fd, {kVersion, kNoMethod});
    return false;
  }
  if (!Write(fd, {kVersion, wanted})) return false;
  return wanted == kOpen || CheckPassword(fd);
}

bool SocksProxy::CheckPassword(int fd) {
  uint8_t version = 0;
  std::string user, password;
  if (!Read(fd, &version, 1) || !ReadShort(fd, user) || !ReadShort(fd, password)) return false;
  const bool right = user == options_.user && password == options_.password;
  return Write(fd, {1, static_cast<uint8_t>(right ? 0 : 1)}) && right;
}

bool SocksProxy::TakeRequest(int fd) {
  uint8_t head[4] = {};
  if (!Read(fd, head, sizeof(head))) return false;
  std::string host;
  if (head[3] == kByName) {
    if (!ReadShort(fd, host)) return false;
  } else {
    uint8_t bytes[16];
    const bool ipv6 = head[3] == kByIpv6;
    if (!Read(fd, bytes, ipv6 ? 16 : 4)) return false;
    char text[INET6_ADDRSTRLEN] = {};
    inet_ntop(ipv6 ? AF_INET6 : AF_INET, bytes, text, sizeof(text));
    host = text;
  }
  uint16_t port = 0;
  if (!Read(fd, &port, sizeof(port))) return false;
  {
    const absl::MutexLock lock(&mu_);
    asked_.push_back(
        absl::StrCat(head[3] == kByName ? "name " : "address ", host, ":", ntohs(port)));
  }
  if (options_.fault == Fault::kSilentAtRequest) AwaitEnd(fd);
  return Write(fd, {kVersion, options_.reply, 0, 1, 127, 0, 0, 1, 0, 0}) && options_.reply == 0;
}

void SocksProxy::Relay(int fd) {
  const int far = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  Keep(far);
  const sockaddr_in address = At(options_.relay_port);
  if (connect(far, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) return;
  char bytes[16384];
  while (true) {
    pollfd ends[2] = {{fd, POLLIN, 0}, {far, POLLIN, 0}};
    poll(ends, 2, -1);
    for (int i = 0; i < 2; ++i) {
      if (ends[i].revents == 0) continue;
      const ssize_t got = recv(ends[i].fd, bytes, sizeof(bytes), 0);
      if (got <= 0 || !Write(ends[1 - i].fd, {bytes, static_cast<size_t>(got)})) {
        shutdown(far, SHUT_RDWR);
        return;
      }
    }
  }
}

}  // namespace opic::support
