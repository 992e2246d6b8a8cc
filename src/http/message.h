// A request to a small HTTP server, and its answer (RFC 9110).
//
// Thread safety: compatible.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace opic::http {

class Flow;

// Why a body was not kept.
enum class Unread : uint8_t {
  kNo,       // it was kept, if there is one
  kTooLong,  // it is too long for this server
  kNoRoom,   // other connections hold too much memory at this moment
};

struct Request {
  using Fields = std::vector<std::pair<std::string, std::string>>;  // name, value

  std::string method, path;  // the path is decoded, and without its arguments
  Fields arguments;          // behind the '?', decoded
  Fields headers;
  std::string body;
  Unread unread = Unread::kNo;

  // The first one of that name; null: there is none. Header names are case-insensitive.
  const std::string* Argument(const std::string& name) const;
  const std::string* Header(const std::string& name) const;
};

struct Answer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::string allow;           // methods, with 405
  std::shared_ptr<Flow> flow;  // the body, instead of `body`; null: that is all
};

}  // namespace opic::http
