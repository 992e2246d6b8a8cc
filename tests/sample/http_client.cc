#include "tests/sample/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/ascii.h"
#include "base/check.h"

namespace opic::sample {

HttpClient::HttpClient(uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval patience = {.tv_sec = 10, .tv_usec = 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  OPIC_CHECK(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
      << port << ": " << std::strerror(errno);
}

HttpClient::~HttpClient() { close(socket_); }

// Reads until `bytes` are there. False: the connection ended before.
bool HttpClient::FillUntil(size_t bytes) {
  while (received_.size() < bytes) {
    char buffer[16384];
    const ssize_t got = recv(socket_, buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    received_.append(buffer, static_cast<size_t>(got));
  }
  return true;
}

// The next line without its end; empty at the end of the connection.
std::string HttpClient::Line() {
  size_t end;
  while ((end = received_.find("\r\n")) == std::string::npos) {
    if (!FillUntil(received_.size() + 1)) return "";
  }
  const std::string line = received_.substr(0, end);
  received_.erase(0, end + 2);
  return line;
}

Response HttpClient::Get(const std::string& host, const std::string& target,
                         const std::string& headers) {
  return Send("GET", host, target, headers);
}

Response HttpClient::Send(const std::string& method, const std::string& host,
                          const std::string& target, const std::string& headers) {
  Ask(method, host, target, headers);
  return Answer(method != "HEAD");
}

void HttpClient::Ask(const std::string& method, const std::string& host, const std::string& target,
                     const std::string& headers) {
  const std::string request =
      method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n" + headers + "\r\n";
  send(socket_, request.data(), request.size(), MSG_NOSIGNAL);
}

Response HttpClient::Answer(bool with_body) {
  Response response;
  const std::string first = Line();
  for (std::string line = Line(); !line.empty(); line = Line()) {
    const size_t colon = line.find(": ");
    response.headers[absl::AsciiStrToLower(line.substr(0, colon))] = line.substr(colon + 2);
  }
  const auto length = response.headers.find("content-length");
  const bool has_body = with_body && length != response.headers.end();
  const size_t bytes = has_body ? std::stoul(length->second) : 0;
  if (first.size() < 12 || !FillUntil(bytes)) return {};
  response.status = std::stoi(first.substr(9, 3));
  response.body = received_.substr(0, bytes);
  received_.erase(0, bytes);
  return response;
}

}  // namespace opic::sample
