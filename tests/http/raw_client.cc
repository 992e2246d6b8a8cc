#include "tests/http/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>

#include "base/check.h"

namespace opic::http {

namespace {

void BePatient(int socket) {
  const timeval patience = {.tv_sec = 10, .tv_usec = 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

}  // namespace

RawClient::RawClient(uint16_t port, const std::string& from)
    : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
  const int later = 1;  // the port is chosen by connect, which knows more of them
  setsockopt(socket_, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &later, sizeof later);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  OPIC_CHECK(inet_pton(AF_INET, from.c_str(), &address.sin_addr) == 1) << from;
  OPIC_CHECK(bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) << from;
  BePatient(socket_);
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  OPIC_CHECK(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) << port;
}

RawClient RawClient::OverIpv6(uint16_t port) {
  const int connected = socket(AF_INET6, SOCK_STREAM, 0);
  BePatient(connected);
  sockaddr_in6 address = {};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(port);
  address.sin6_addr = in6addr_loopback;
  OPIC_CHECK(connect(connected, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
      << port;
  return RawClient(Connected{connected});
}

RawClient::~RawClient() { close(socket_); }

bool RawClient::Send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

std::string RawClient::ReadToEnd() const {
  std::string all;
  char buffer[16384];
  for (ssize_t got; (got = recv(socket_, buffer, sizeof buffer, 0)) > 0;)
    all.append(buffer, static_cast<size_t>(got));
  return all;
}

bool RawClient::ended() const {
  char byte;
  const ssize_t got = recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
}

std::string Get(uint16_t port, const std::string& target, const std::string& more_lines) {
  const RawClient client(port);
  client.Send("GET " + target + " HTTP/1.1\r\nHost: here\r\n" + more_lines + "\r\n");
  return client.ReadToEnd();
}

}  // namespace opic::http
