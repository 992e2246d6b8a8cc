// A store in memory whose calls a test changes or looks at: it overrides those that it wants.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/memory_store.h"

namespace opic {

class ForwardingStore : public store::Store {
 public:
  absl::Status Write(const store::Batch& batch, store::Sync sync) override {
    return rows_->Write(batch, sync);
  }
  absl::StatusOr<std::optional<std::string>> Get(store::Table table,
                                                 std::string_view key) override {
    return rows_->Get(table, key);
  }
  absl::Status MultiGet(store::Table table, absl::Span<const std::string> keys,
                        std::vector<std::optional<std::string>>* values) override {
    return rows_->MultiGet(table, keys, values);
  }
  std::unique_ptr<store::Cursor> Scan(store::Table table, std::string_view from) override {
    return rows_->Scan(table, from);
  }

 private:
  const std::unique_ptr<store::Store> rows_ = NewMemoryStore();
};

}  // namespace opic
