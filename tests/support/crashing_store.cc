#include "tests/support/crashing_store.h"

#include "base/check.h"
#include "tests/support/memory_store.h"

namespace opic {
namespace {

absl::Status Down() { return absl::UnavailableError("the machine is down"); }

class FailedCursor final : public store::Cursor {
 public:
  bool Valid() const override { return false; }
  void Next() override {}
  std::string_view key() const override { return {}; }
  std::string_view value() const override { return {}; }
  absl::Status status() const override { return Down(); }
};

// Rows of these tables have checksums of their own; the store's are for the others.
bool HasChecksums(store::Table table) {
  return table == store::Table::kJournal || table == store::Table::kPeer ||
         table == store::Table::kOutbox;
}

absl::Status DamagedBlock() { return absl::DataLossError("a block's checksum is wrong"); }

void FlipABit(std::string& bytes) { bytes[bytes.size() / 2] ^= 0x10; }

// Its row number `row`, from 0, is damaged.
class DamagedCursor final : public store::Cursor {
 public:
  DamagedCursor(std::unique_ptr<store::Cursor> rows, store::Table table, uint64_t row,
                uint64_t& damaged)
      : rows_(std::move(rows)), table_(table), left_(row), damaged_(damaged) {
    Read();
  }
  bool Valid() const override { return status_.ok() && rows_->Valid(); }
  void Next() override {
    rows_->Next();
    Read();
  }
  std::string_view key() const override { return rows_->key(); }
  std::string_view value() const override { return value_ ? *value_ : rows_->value(); }
  absl::Status status() const override { return status_.ok() ? rows_->status() : status_; }

 private:
  void Read() {
    value_.reset();
    if (done_ || !rows_->Valid() || left_-- > 0) return;
    done_ = true;
    ++damaged_;
    if (HasChecksums(table_)) {
      value_.emplace(rows_->value());
      FlipABit(*value_);
    } else {
      status_ = DamagedBlock();
    }
  }
  const std::unique_ptr<store::Cursor> rows_;
  const store::Table table_;
  uint64_t left_;
  uint64_t& damaged_;
  bool done_ = false;
  std::optional<std::string> value_;
  absl::Status status_;
};

}  // namespace

store::Batch EverythingIn(store::Store& store) {
  store::Batch everything;
  for (int table = 0; table < store::kTableCount; ++table) {
    const auto at = store.Scan(static_cast<store::Table>(table), "");
    for (; at->Valid(); at->Next()) {
      everything.Put(static_cast<store::Table>(table), std::string(at->key()),
                     std::string(at->value()));
    }
  }
  return everything;
}

CrashingStore::CrashingStore() : seen_(NewMemoryStore()), durable_(NewMemoryStore()) {}

bool CrashingStore::Falls() {
  ++calls_;
  if (crash_in_ == 0 || --crash_in_ > 0) return false;
  crashed_ = true;
  return true;
}

void CrashingStore::Reboot(base::Rng& rng) {
  const uint64_t kept = rng.Below(unsynced_.size() + 1);
  for (uint64_t i = 0; i < kept; ++i) {
    OPIC_CHECK(durable_->Write(unsynced_[i], store::Sync::kYes).ok());
  }
  unsynced_.clear();
  seen_ = NewMemoryStore();
  OPIC_CHECK(seen_->Write(EverythingIn(*durable_), store::Sync::kYes).ok());
  crashed_ = false;
}

absl::Status CrashingStore::Write(const store::Batch& batch, store::Sync sync) {
  if (crashed_) return Down();
  if (full_) return absl::ResourceExhaustedError("no space left on device");
  ++writes_;
  const bool falls = Falls();
  unsynced_.push_back(batch);
  if (falls && when_ == When::kBefore) return Down();
  OPIC_CHECK(seen_->Write(batch, sync).ok());
  if (sync == store::Sync::kYes) {
    ++synced_writes_;
    for (const store::Batch& written : unsynced_) {
      OPIC_CHECK(durable_->Write(written, sync).ok());
    }
    unsynced_.clear();
  }
  return falls ? Down() : absl::OkStatus();
}

absl::StatusOr<std::optional<std::string>> CrashingStore::Get(store::Table table,
                                                              std::string_view key) {
  if (crashed_ || Falls()) return Down();
  absl::StatusOr<std::optional<std::string>> found = seen_->Get(table, key);
  if (!IsDamaged() || !found.ok() || !found->has_value()) return found;
  if (absl::Status damaged = Damage(table, **found); !damaged.ok()) return damaged;
  return found;
}

absl::Status CrashingStore::MultiGet(store::Table table, absl::Span<const std::string> keys,
                                     std::vector<std::optional<std::string>>* values) {
  if (crashed_ || Falls()) return Down();
  if (IsDamaged() && !keys.empty()) {
    ++damaged_reads_;
    return DamagedBlock();
  }
  return seen_->MultiGet(table, keys, values);
}

std::unique_ptr<store::Cursor> CrashingStore::Scan(store::Table table, std::string_view from) {
  if (crashed_ || Falls()) return std::make_unique<FailedCursor>();
  std::unique_ptr<store::Cursor> rows = seen_->Scan(table, from);
  if (!IsDamaged()) return rows;
  return std::make_unique<DamagedCursor>(std::move(rows), table, calls_ % 4, damaged_reads_);
}

absl::Status CrashingStore::Damage(store::Table table, std::string& value) {
  ++damaged_reads_;
  if (!HasChecksums(table) || value.empty()) return DamagedBlock();
  FlipABit(value);
  return absl::OkStatus();
}

}  // namespace opic
