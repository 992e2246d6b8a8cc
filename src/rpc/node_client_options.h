// How a client asks a node.
//
// Thread safety: a plain value.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "rpc/tls.h"
#include "rpc/wait_notice.h"

namespace opic::rpc {

struct NodeClientOptions {
  absl::Duration patience = absl::Seconds(60);  // deadline of every call
  // For Top, which looks at every page; zero: as `patience`.
  absl::Duration scan_patience;
  bool local_only = false;         // asks for the node's own part, not for the whole cluster's
  std::optional<TlsIdentity> tls;  // the node must show a certificate for `name`,
  std::string name;                // or, when that is empty, for the host of its address
  std::string token;               // to be shown (rpc/gate.h); empty: none
  std::string kind = "node";       // what messages call it that has no `name`
  // Told, by another thread, of each call that lasts for longer than `told_after`: the node's name,
  // or else its address, and what is known of why. May be empty.
  std::function<void(const std::string& node, const std::string& why)> waiting;
  absl::Duration told_after = kWaitToldAfter;
};

}  // namespace opic::rpc
