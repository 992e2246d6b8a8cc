// The cookies that a data folder at rest has (desk/cookie_keeper.h): whose they are, and how to be
// rid of them. What they say is shown to nobody.
//
// Thread safety: as the store.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "store/store.h"

namespace opic::desk {

struct CookieHost {
  std::string host;
  size_t bytes = 0;  // of its row
};

// By host. A row that cannot be read counts as well: it can be forgotten.
absl::StatusOr<std::vector<CookieHost>> HostsWithCookies(store::Store& store);
// Deletes the rows of these hosts; synced. One that has none is passed over.
absl::Status ForgetCookies(absl::Span<const std::string> hosts, store::Store& store);

}  // namespace opic::desk
