#include "tests/support/lost_network.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <optional>

#include "absl/synchronization/mutex.h"

namespace opic::support {
namespace {

struct State {
  absl::Mutex mu;
  std::optional<LostNetwork::What> lost;
  in_addr_t address = 0;  // 0: all
};

State& TheNetwork() {
  static State& state = *new State;  // resolver threads may outlive main
  return state;
}

bool IsRouteLost(const sockaddr* to) {
  if (to->sa_family != AF_INET) return false;
  State& network = TheNetwork();
  absl::MutexLock lock(&network.mu);
  const in_addr_t asked = reinterpret_cast<const sockaddr_in*>(to)->sin_addr.s_addr;
  return network.lost == LostNetwork::What::kRoutes &&
         (network.address == 0 || network.address == asked);
}

bool AreResolversLost() {
  State& network = TheNetwork();
  absl::MutexLock lock(&network.mu);
  return network.lost == LostNetwork::What::kResolvers;
}

}  // namespace

LostNetwork::LostNetwork(What what, const std::string& address) {
  State& network = TheNetwork();
  absl::MutexLock lock(&network.mu);
  network.lost = what;
  network.address = address.empty() ? 0 : inet_addr(address.c_str());
}

LostNetwork::~LostNetwork() {
  State& network = TheNetwork();
  absl::MutexLock lock(&network.mu);
  network.lost.reset();
}

}  // namespace opic::support

extern "C" int connect(int socket, const sockaddr* to, socklen_t size) {
  static const auto real = reinterpret_cast<decltype(&connect)>(dlsym(RTLD_NEXT, "connect"));
  if (!opic::support::IsRouteLost(to)) return real(socket, to, size);
  errno = ENETUNREACH;
  return -1;
}

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  static const auto real =
      reinterpret_cast<decltype(&getaddrinfo)>(dlsym(RTLD_NEXT, "getaddrinfo"));
  const std::string name = node == nullptr ? "" : node;
  if (!name.ends_with(".test")) return real(node, service, hints, result);
  return opic::support::AreResolversLost() ? EAI_AGAIN : real("127.0.0.1", service, hints, result);
}
