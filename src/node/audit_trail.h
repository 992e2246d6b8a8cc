// Who has changed what and when: a JSON line for each call that steers the node, synced, in
// audit.jsonl of the data folder (docs/formats/audit_trail.md); and the last of each kind, by which
// `opic control show` tells since when and by whom something holds.
//
// A full file is moved to audit.jsonl.1 and begun anew. A line that cannot be written is told in
// the log: nobody is kept from pausing a crawl by a full disk.
//
// Thread safety: synchronised inside.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "store/store.h"

namespace opic::node {

// A call that was allowed.
struct Act {
  absl::Time at;
  std::string name;                         // of the call: "Pause", "TuneHosts", ...
  std::string what;                         // its request, a JSON object
  std::string role, holder, user, address;  // of the caller (rpc::Caller)
  absl::Status result;
  std::string request = "";  // of the caller, too; empty: it has no name
  bool in_passing = false;   // beside another call, which tells since when and by whom
};

// The last successful one of its name.
struct LastAct {
  std::string name;
  absl::Time at;
  std::string by;  // for people
};

class AuditTrail {
 public:
  struct Limits {
    uint64_t bytes_max = 10 << 20;  // of the file
    int older_files = 9;            // audit.jsonl.1, ... of which the last is dropped
  };
  static constexpr size_t kWhatBytesMax = 8192;  // a longer request is cut

  // `store` keeps the last acts; null: only the file is written. It must outlive the trail.
  // DataLoss: an act cannot be read.
  static absl::StatusOr<std::unique_ptr<AuditTrail>> Open(std::string path, const Limits& limits,
                                                          store::Store* store);
  ~AuditTrail();
  // `by`: the caller, for people.
  void Append(const Act& act, const std::string& by);
  std::vector<LastAct> last() const;  // by name

 private:
  AuditTrail(std::string path, const Limits& limits, store::Store* store)
      : path_(std::move(path)), limits_(limits), store_(store) {}
  absl::Status Recall();
  absl::Status Write(const std::string& line) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status OpenFile() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status EndLastLine() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void TakeBack(size_t written) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status Rotate() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void CloseFile() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status Remember(const LastAct& act) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const std::string path_;
  const Limits limits_;
  store::Store* const store_;
  mutable absl::Mutex mu_;
  int file_ ABSL_GUARDED_BY(mu_) = -1;
  uint64_t bytes_ ABSL_GUARDED_BY(mu_) = 0;
  std::map<std::string, LastAct> last_ ABSL_GUARDED_BY(mu_);
};

// The line of an act, with its end.
std::string LineOf(const Act& act);

}  // namespace opic::node
