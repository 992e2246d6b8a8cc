// A store in memory that can crash and whose disk can be full.
//
// Writes are seen at once; they are durable when they, or a later one, were synced. A crash at the
// n-th call makes that call and all later ones fail, until Reboot: what was synced is there again,
// and of the writes since then a prefix of a random length, as after a power cut.
//
// Thread safety: confined to one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "store/store.h"
#include "tests/support/unreliable_store.h"

namespace opic {

class CrashingStore final : public UnreliableStore {
 public:
  CrashingStore();

  void CrashAt(uint64_t call, When when) override { crash_in_ = call, when_ = when; }
  void CancelCrash() override { crash_in_ = 0; }
  bool crashed() const override { return crashed_; }
  void Reboot(base::Rng& rng) override;
  void DamageRead(uint64_t read) override { damage_in_ = read; }
  uint64_t damaged_reads() const override { return damaged_reads_; }
  void FillDisk(bool full) override { full_ = full; }
  store::Store& rows() override { return *seen_; }

  uint64_t calls() const { return calls_; }
  uint64_t writes() const { return writes_; }
  uint64_t synced_writes() const { return synced_writes_; }

  absl::Status Write(const store::Batch& batch, store::Sync sync) override;
  absl::StatusOr<std::optional<std::string>> Get(store::Table table, std::string_view key) override;
  absl::Status MultiGet(store::Table table, absl::Span<const std::string> keys,
                        std::vector<std::optional<std::string>>* values) override;
  std::unique_ptr<store::Cursor> Scan(store::Table table, std::string_view from) override;

 private:
  // Counts a call. True: it crashes now.
  bool Falls();
  // Counts a read. True: it is to be damaged.
  bool IsDamaged() { return damage_in_ > 0 && --damage_in_ == 0; }
  absl::Status Damage(store::Table table, std::string& value);

  std::unique_ptr<store::Store> seen_;     // what reads see
  std::unique_ptr<store::Store> durable_;  // what a crash leaves for certain
  std::vector<store::Batch> unsynced_;     // the difference
  uint64_t crash_in_ = 0;                  // calls; 0: never
  When when_ = When::kBefore;
  bool crashed_ = false;
  bool full_ = false;
  uint64_t damage_in_ = 0;  // reads; 0: never
  uint64_t damaged_reads_ = 0;
  uint64_t calls_ = 0, writes_ = 0, synced_writes_ = 0;
};

// All rows of a store, as batches of one put each, in the order of tables and keys.
store::Batch EverythingIn(store::Store& store);

}  // namespace opic
