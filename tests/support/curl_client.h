// One request over HTTP, by libcurl: as curl would make it.
//
// Thread safety: compatible.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace opic::support {

struct CurlRequest {
  std::string url;
  std::string method = "POST";
  std::optional<std::string> body = {};
  std::vector<std::string> headers = {"Content-Type: application/json"};  // "Name: value"
  std::string authority = {};  // file of the certificates that it believes; empty: none
  absl::Duration patience = absl::Seconds(100);
  std::function<void()> on_body = [] {};  // whenever more of the body has come
};

struct CurlResponse {
  int status = 0;                              // 0: no answer, and `error` says why
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body, error;
};

CurlResponse Curl(const CurlRequest& request);
// "a b" as "a%20b".
std::string PercentEncoded(const std::string& text);

}  // namespace opic::support
