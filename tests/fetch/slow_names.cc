#include "tests/fetch/slow_names.h"

#include <dlfcn.h>
#include <netdb.h>

#include <string_view>

#include "absl/synchronization/mutex.h"

namespace opic::fetch {
namespace {

struct State {
  absl::Mutex mu;
  bool hold = false;
  int stuck = 0;
  int looked_up = 0;  // kCountedName
};

State& Names() {
  static State& state = *new State;  // resolver threads may outlive main
  return state;
}

int LookUpStuckName() {
  State& names = Names();
  absl::MutexLock lock(&names.mu);
  ++names.stuck;
  auto released = [&] { return !names.hold; };
  // Bounded, so that a fetcher that waits for it fails its test and does not hang it.
  names.mu.AwaitWithTimeout(absl::Condition(&released), absl::Seconds(8));
  --names.stuck;
  return EAI_AGAIN;
}

void CountLookUp() {
  absl::MutexLock lock(&Names().mu);
  ++Names().looked_up;
}

}  // namespace

int TimesLookedUp() {
  absl::MutexLock lock(&Names().mu);
  return Names().looked_up;
}

StuckNames::StuckNames() {
  absl::MutexLock lock(&Names().mu);
  Names().hold = true;
}

StuckNames::~StuckNames() {
  State& names = Names();
  absl::MutexLock lock(&names.mu);
  names.hold = false;
  auto none = [&] { return names.stuck == 0; };
  names.mu.Await(absl::Condition(&none));
}

void StuckNames::AwaitOne() {
  State& names = Names();
  absl::MutexLock lock(&names.mu);
  auto one = [&] { return names.stuck > 0; };
  names.mu.Await(absl::Condition(&one));
}

}  // namespace opic::fetch

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  const std::string_view name = node == nullptr ? "" : node;
  if (name == opic::fetch::kUnknownName) return EAI_NONAME;
  if (name == opic::fetch::kStuckName) return opic::fetch::LookUpStuckName();
  static const auto real =
      reinterpret_cast<decltype(&getaddrinfo)>(dlsym(RTLD_NEXT, "getaddrinfo"));
  if (name == opic::fetch::kCountedName) {
    opic::fetch::CountLookUp();
    return real("127.0.0.1", service, hints, result);
  }
  return real(node, service, hints, result);
}
