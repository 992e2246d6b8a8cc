// What the sample web answers to a request: HTTP without the network (RFC 9110).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sample/page_state.h"
#include "sample/web.h"

namespace opic::sample {

struct Request {
  std::string method = "GET";
  std::string host;    // as in the Host header, perhaps with a port
  std::string target;  // as in the request line: path and query, or an absolute URL as to a proxy
  std::string if_none_match, if_modified_since;  // empty: not sent
};

struct Answer {
  int status;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;  // also for HEAD, which is for the server not to send
};

// A total function of the request: an unknown host, path or method is a 404 or 405; a page that is
// gone 404 or, one in four, 410. Forms of the web's pages at one moment come from `states`.
Answer AnswerTo(const Web& web, StateAt states, const Request& request);
// At the beginning.
Answer AnswerTo(const Web& web, const Request& request);

// The host that the request is for, lower case, without port: of the absolute URL if there is one
// (RFC 9112 section 3.2.2), else of the Host header.
std::string HostOf(const Request& request);

}  // namespace opic::sample
