// Whether a host can be reached at all: its name is resolved and a connection made and closed.
// Nothing is asked for, and nothing is sent.
//
// For a machine that may have lost its network: any word from anywhere says that it has not. So the
// word of a name server that there is no such name counts, and a refused connection.
//
// Thread safety: pure, but for the network.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "fetch/options.h"

namespace opic::fetch {

enum class Knocked : uint8_t {
  kHeard,       // somebody has answered
  kSilent,      // nobody has
  kNoRoute,     // the system knows of no way there: nothing was sent
  kNoResolver,  // no name server has answered
};
std::string_view Name(Knocked knocked);  // "heard", "silent", "no route", "no name server"

// Knocks at `port` of `host` (as url::Url::host()) with the addresses and routes of `options`.
// Blocks for `patience`, or a little longer while names are resolved; ends soon, as silent, when
// `stop` is set. REQUIRES: no proxy.
Knocked Knock(const Options& options, const std::string& host, uint16_t port,
              absl::Duration patience, const std::atomic<bool>& stop);

}  // namespace opic::fetch
