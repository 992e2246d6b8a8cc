// A small HTTP/1.1 client for the tests: one kept connection to a port on loopback.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace opic::sample {

struct Response {
  int status = 0;                              // 0: no whole response came
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

// Gives up after ten seconds without a byte. Thread safety: confined to the owner thread.
class HttpClient {
 public:
  explicit HttpClient(uint16_t port);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // `headers` are further lines, each with its "\r\n".
  Response Get(const std::string& host, const std::string& target, const std::string& headers = "");
  Response Send(const std::string& method, const std::string& host, const std::string& target,
                const std::string& headers = "");
  // Its two halves: the request, and the answer to the one that was sent first.
  void Ask(const std::string& method, const std::string& host, const std::string& target,
           const std::string& headers = "");
  Response Answer(bool with_body = true);

 private:
  bool FillUntil(size_t bytes);
  std::string Line();

  int socket_;
  std::string received_;  // read from the socket and not consumed
};

}  // namespace opic::sample
