// The Connect protocol, version 1, for unary calls with JSON (connectrpc.com/docs/protocol):
//
//   POST /opic.v1.Importance/Get    Content-Type: application/json    {"url":"http://a/"}
//   GET  /opic.v1.Importance/Get?encoding=json&message=%7B%22url%22%3A%22http%3A%2F%2Fa%2F%22%7D
//
// An answer has the status 200 and the reply; an error the status of its code and
// {"code":"not_found","message":"...","details":[...]}, where the one detail is a
// google.rpc.ErrorInfo (rpc/error_info.h). Bodies are not compressed.
//
// Thread safety: pure.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "http/message.h"

namespace opic::gateway {

// How long a call may take: by default, and at most.
inline constexpr absl::Duration kPatience = absl::Seconds(30), kPatienceMax = absl::Minutes(5);

// "not_found".
std::string CodeOf(absl::StatusCode code);
http::Answer ErrorAnswer(const absl::Status& error);
http::Answer ErrorAnswer(int http_status, const absl::Status& error);

struct Question {
  std::string json;
  absl::Duration patience;
};
// What a call is asked, or the answer if the request is refused. `safe`: GET is allowed, too.
std::variant<Question, http::Answer> Read(http::Request request, bool safe);

}  // namespace opic::gateway
