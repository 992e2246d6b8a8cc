// The cookies of hosts (fetch/cookie_jar.h) on the disk of a node, so that a session outlives the
// process: a row a host in Table::kMeta (docs/formats/store.md).
//
// A thread of its own writes what has changed every kBehindMax; a crash loses that, and so some
// sessions. Not synced: the next commit group's sync covers it.
//
// Thread safety: synchronised inside.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/bell.h"
#include "fetch/cookie_jar.h"
#include "store/store.h"

namespace opic::desk {

class CookieKeeper {
 public:
  static constexpr absl::Duration kBehindMax = absl::Seconds(2);

  // With what the store holds that has not expired at `now`. `store` must outlive it. DataLoss: a
  // row cannot be read.
  static absl::StatusOr<std::unique_ptr<CookieKeeper>> Open(store::Store& store, size_t bytes_max,
                                                            absl::Time now);
  ~CookieKeeper();  // as Stop()
  // The same for all of this keeper's life.
  fetch::CookieJar& jar() { return jar_; }
  // Writes what has changed; nothing is written later.
  void Stop();

  // Of Table::kMeta: whether `key` is that of a host's cookies, and whose.
  static bool IsKey(std::string_view key);
  static std::string KeyOf(std::string_view host);
  static std::string HostOf(std::string_view key);  // REQUIRES: IsKey(key)

 private:
  CookieKeeper(store::Store& store, size_t bytes_max) : store_(store), jar_(bytes_max) {}
  absl::Status Recall(absl::Time now);
  void Run();
  void Write();

  store::Store& store_;
  fetch::CookieJar jar_;
  base::Bell stopping_;
  std::thread thread_;  // last: it uses all the others
};

}  // namespace opic::desk
