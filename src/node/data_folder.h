// The data folder of a node: who may use it, and where things lie in it.
//
//   opic.lock        held by the process that uses the folder
//   store/           RocksDB: pages, history, journal, robots verdicts
//   store.mark       how far it was synced
//   checkpoints/     of the page table, by shards
//   scheduler/       RocksDB of the Page Scheduler, and scheduler.mark
//   fetches.jsonl    one JSON line a fetch
//   audit.jsonl      one JSON line a call that steers (audit_trail.h)
//   node.address     "HOST:PORT" of the running node's RPC services; absent at rest
//   control          socket for operators, where the RPC services are not on loopback
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace opic::node {

// Thread safety: confined to one thread; the lock lives as long as the object.
class DataFolder {
 public:
  // Locks `path` for this process, making the folder when `create`. FailedPrecondition: another
  // process has it (its node.address tells where it answers), or it may not be used; NotFound:
  // absent and not `create`; InvalidArgument: there can be no such folder. For those that only look
  // at it (Look) it waits, at most `patience`.
  static absl::StatusOr<std::unique_ptr<DataFolder>> Lock(
      const std::string& path, bool create, absl::Duration patience = absl::Minutes(1));
  // For a look at a folder at rest, beside others that look; nothing in it is changed. Errors are
  // those of Lock.
  static absl::StatusOr<std::unique_ptr<DataFolder>> Look(const std::string& path);
  ~DataFolder();
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  std::string store() const { return path_ + "/store"; }
  std::string checkpoints() const { return path_ + "/checkpoints"; }
  std::string scheduler() const { return path_ + "/scheduler"; }
  std::string fetch_log() const { return path_ + "/fetches.jsonl"; }
  std::string audit_trail() const { return path_ + "/audit.jsonl"; }
  std::string control() const;
  const std::string& path() const { return path_; }

  // Tells other processes where this one answers, until the folder is released. REQUIRES: Lock.
  absl::Status Announce(const std::string& address);

 private:
  DataFolder(std::string path, int fd, bool alone)
      : path_(std::move(path)), fd_(fd), alone_(alone) {}
  std::string path_;
  int fd_;
  const bool alone_;  // nobody else uses it
  bool announced_ = false;
};

// Whether a crawl was begun in the folder, or anything is left of one; nothing is made by asking.
bool HoldsCrawl(const std::string& path);

// Where the process that uses the folder answers. NotFound: nobody uses it; Unavailable: somebody
// does, but it does not answer (it may be starting).
absl::StatusOr<std::string> AddressOfRunningNode(const std::string& path);
// Where operators are heard by the process that answers at `address`: there, or at the folder's
// socket.
std::string ControlAddress(const std::string& path, const std::string& address);

}  // namespace opic::node
