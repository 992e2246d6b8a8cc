#include "tests/fetch/poll_calls.h"

#include <dlfcn.h>
#include <poll.h>

#include <atomic>

namespace opic::fetch {
namespace {

std::atomic<int> calls = 0;

}  // namespace

int PollCalls() { return calls; }

}  // namespace opic::fetch

extern "C" int poll(pollfd* sockets, nfds_t count, int timeout_ms) {
  static const auto real = reinterpret_cast<decltype(&poll)>(dlsym(RTLD_NEXT, "poll"));
  ++opic::fetch::calls;
  return real(sockets, count, timeout_ms);
}
