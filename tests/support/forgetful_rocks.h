// The production store on files that forget: RocksDB as it is, power cuts at any change of a file,
// in its own recoveries and background work too. It must always open again.
//
// A call to crash at is a change of a file: an append, a sync, a name made, changed or removed.
// RocksDB's background threads make some of them, so a seed does not repeat a run to the letter.
// Thread safety: confined to one thread.
#pragma once

#include <rocksdb/env.h>

#include <memory>
#include <string>

#include "tests/support/forgetful_files.h"
#include "tests/support/unreliable_store.h"

namespace opic {

class ForgetfulRocks final : public UnreliableStore {
 public:
  // Makes an empty store in `folder`.
  explicit ForgetfulRocks(const std::string& folder);

  void CrashAt(uint64_t call, When when) override;
  void CancelCrash() override { files_->StopAt(0, ForgetfulFiles::Stop::kBefore); }
  bool crashed() const override { return files_->stopped(); }
  void Reboot(base::Rng& rng) override;
  // The process dies at this moment; the machine keeps what it wrote, and it starts again.
  void KillAndRestart();
  // What becomes of a reboot: only the process has died and the machine kept what it wrote; and the
  // power fails again while the store opens.
  struct Chances {
    double killed = 0, again = 0;
  };
  void set_chances(const Chances& chances) { chances_ = chances; }

  void FillDisk(bool full) override { full_ = full; }
  store::Store& rows() override { return *store_; }

  uint64_t reboots() const { return reboots_; }
  const ForgetfulFiles& files() const { return *files_; }

  absl::Status Write(const store::Batch& batch, store::Sync sync) override;
  absl::StatusOr<std::optional<std::string>> Get(store::Table table, std::string_view key) override;
  absl::Status MultiGet(store::Table table, absl::Span<const std::string> keys,
                        std::vector<std::optional<std::string>>* values) override;
  std::unique_ptr<store::Cursor> Scan(store::Table table, std::string_view from) override;

 private:
  // The database is dropped as it is: what it does to end well is taken back.
  void Drop();
  void Open();

  const std::string folder_;
  const std::shared_ptr<ForgetfulFiles> files_;
  const std::unique_ptr<rocksdb::Env> env_;
  std::unique_ptr<store::Store> store_;
  Chances chances_;
  bool full_ = false;
  uint64_t reboots_ = 0;
};

}  // namespace opic
