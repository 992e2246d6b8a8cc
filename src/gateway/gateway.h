// Questions to a node over HTTP, as JSON (gateway/connect.h), for curl and dashboards. The services
// to which the calls are passed on decide what may be asked, and by whom: a token is shown in the
// header Authorization, as gRPC clients do.
//
// Bounded: 64 connections with one question each, 32 of an address; a question of 4 MB; ten seconds
// to send it, and ten to read the answer; 64 MB of questions and answers in memory.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "http/address.h"
#include "http/server.h"

namespace grpc {
class Channel;
}

namespace opic::gateway {

// The services give no longer reply, unless a client asks for one; then it is refused.
inline constexpr int kReplyBytesMax = 8 << 20;

struct GatewayOptions {
  http::Address address;
  std::function<http::Certificate()> tls;  // as of http::ServerOptions; empty: plain text
  // Names of this node, for Host (gateway/foreign_pages.h); nothing: Host is not checked, because
  // callers have to show a token.
  std::optional<std::set<std::string>> names;
  // Whether a caller who shows this in Authorization (it may be empty) may ask anything at all. If
  // not, the question is not even parsed.
  std::function<absl::Status(std::string_view authorization)> admit;
};

// Thread safety: synchronised inside.
class Gateway {
 public:
  // `channel` leads to the services; it and `clock` must outlive the gateway. Unavailable: cannot
  // listen there.
  static absl::StatusOr<std::unique_ptr<Gateway>> Start(const GatewayOptions& options,
                                                        std::shared_ptr<grpc::Channel> channel,
                                                        base::Clock& clock);
  virtual ~Gateway() = default;                      // gives up what is being asked
  virtual const http::Address& address() const = 0;  // with the port that it has
  // The number of answers so far, by code, in the text format of Prometheus.
  virtual std::string Metrics() const = 0;
};

}  // namespace opic::gateway
