// A call whose reply is a stream, over HTTP: a line of JSON for each message, for as long as the
// client stays (application/x-ndjson). An error before the first message is an ordinary one; a
// later one is the last line, {"error":{"code":"...","message":"...","details":[...]}}.
//
// Thread safety: pure.
#pragma once

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "http/server.h"
#include "rpc/json_calls.h"

namespace opic::gateway {

// `count` runs once, on the server's thread, with how the call has begun.
void Follow(rpc::JsonCalls& calls, const rpc::JsonCalls::Method& method,
            const rpc::JsonQuestion& question, std::shared_ptr<http::Waiting> waiting,
            std::function<void(const absl::Status&)> count);

}  // namespace opic::gateway
