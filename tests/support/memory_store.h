// A store in memory, for tests: it keeps what every store promises (store/store.h) but outlives
// nothing.
//
// Thread safety: synchronised inside.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "base/check.h"
#include "store/store.h"
#include "store/value_tail.h"

namespace opic {

// Walks a snapshot: the rows as they were, which the store copies before it changes them. It ends
// before its store.
class MemoryCursor final : public store::Cursor {
 public:
  using Rows = std::map<std::string, std::string, std::less<>>;

  // The caller holds `mu`, the store's own, which counts who shares `rows`.
  MemoryCursor(absl::Mutex& mu, std::shared_ptr<const Rows> rows, std::string_view from)
      : mu_(mu), rows_(std::move(rows)), at_(rows_->lower_bound(from)) {}
  ~MemoryCursor() override {
    absl::MutexLock lock(&mu_);
    rows_.reset();
  }
  bool Valid() const override { return at_ != rows_->end(); }
  void Next() override { ++at_; }
  std::string_view key() const override { return at_->first; }
  std::string_view value() const override { return at_->second; }
  absl::Status status() const override { return absl::OkStatus(); }

 private:
  absl::Mutex& mu_;
  std::shared_ptr<const Rows> rows_;
  Rows::const_iterator at_;
};

class MemoryStore final : public store::Store {
 public:
  MemoryStore() {
    for (std::shared_ptr<Rows>& rows : tables_) rows = std::make_shared<Rows>();
  }

  absl::Status Write(const store::Batch& batch, store::Sync) override {
    absl::MutexLock lock(&mu_);
    for (const store::Batch::Operation& operation : batch.operations()) Apply(operation);
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<std::string>> Get(store::Table table,
                                                 std::string_view key) override {
    absl::MutexLock lock(&mu_);
    return Find(table, key);
  }

  absl::Status MultiGet(store::Table table, absl::Span<const std::string> keys,
                        std::vector<std::optional<std::string>>* values) override {
    absl::MutexLock lock(&mu_);
    values->clear();
    for (const std::string& key : keys) values->push_back(Find(table, key));
    return absl::OkStatus();
  }

  std::unique_ptr<store::Cursor> Scan(store::Table table, std::string_view from) override {
    absl::MutexLock lock(&mu_);
    return std::make_unique<MemoryCursor>(mu_, tables_[static_cast<int>(table)], from);
  }

 private:
  using Rows = MemoryCursor::Rows;

  void Apply(const store::Batch::Operation& operation) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    std::shared_ptr<Rows>& shared = tables_[static_cast<int>(operation.table)];
    if (shared.use_count() > 1) shared = std::make_shared<Rows>(*shared);
    Rows& rows = *shared;
    switch (operation.kind) {
      case store::Batch::Operation::kPut:
        rows.insert_or_assign(operation.key, operation.value);
        break;
      case store::Batch::Operation::kReplaceTail:
        ReplaceTail(rows, operation);
        break;
      case store::Batch::Operation::kDelete:
        rows.erase(operation.key);
        break;
      case store::Batch::Operation::kDeleteRange:
        if (operation.key < operation.value) {
          rows.erase(rows.lower_bound(operation.key), rows.lower_bound(operation.value));
        }
        break;
    }
  }

  static void ReplaceTail(Rows& rows, const store::Batch::Operation& operation) {
    const auto row = rows.find(operation.key);
    OPIC_CHECK(row != rows.end()) << "another tail for a value that is absent";
    const std::optional<store::TailedValue> value = store::SplitTail(row->second);
    OPIC_CHECK(value.has_value()) << "another tail for a value that has none";
    row->second.resize(value->head.size());
    store::AppendTail(row->second, operation.value);
  }

  std::optional<std::string> Find(store::Table table, std::string_view key) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    const Rows& rows = *tables_[static_cast<int>(table)];
    const auto found = rows.find(key);
    if (found == rows.end()) return std::nullopt;
    return found->second;
  }

  mutable absl::Mutex mu_;
  std::array<std::shared_ptr<Rows>, store::kTableCount> tables_ ABSL_GUARDED_BY(mu_);
};

inline std::unique_ptr<store::Store> NewMemoryStore() { return std::make_unique<MemoryStore>(); }

}  // namespace opic
