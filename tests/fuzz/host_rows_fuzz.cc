// opic-modules: scheduler schedule store base
// The input as what a scheduler has stored of a host and of itself, and as what another one tells
// of its hosts.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.h"
#include "scheduler/host_record.h"
#include "scheduler/host_state.h"
#include "scheduler/store_check.h"
#include "store/store.h"
#include "tests/support/memory_store.h"

namespace opic::scheduler {
namespace {

void CheckStored(std::string_view bytes) {
  const std::unique_ptr<store::Store> store = NewMemoryStore();
  store::Batch batch;
  batch.Put(store::Table::kMeta, kFormatKey, kFormat);
  batch.Put(store::Table::kMeta, kLenderKey, std::string(bytes));
  batch.Put(store::Table::kHost, "h.example", std::string(bytes));
  OPIC_CHECK(store->Write(batch, store::Sync::kNo).ok());
  OPIC_CHECK(CheckStore(*store).ok() == (bytes.size() == 8));
  uint64_t hosts = 0;
  OPIC_CHECK(CheckHosts(*store, &hosts).empty() == DecodePace(bytes).has_value() && hosts == 1);
}

void Check(std::string_view bytes) {
  CheckStored(bytes);
  if (const auto pace = DecodePace(bytes)) OPIC_CHECK(DecodePace(EncodePace(*pace)) == *pace);
  const absl::Time now = absl::FromUnixSeconds(1'700'000'000);
  if (const auto pace = DecodePaceToGo(bytes, now))
    OPIC_CHECK(DecodePaceToGo(EncodePaceToGo(*pace, now), now).has_value());
  const auto hosts = DecodeHosts(bytes, now);
  if (!hosts) return;
  OPIC_CHECK(hosts->size() <= bytes.size());
  const std::string again = EncodeHosts(*hosts, now, 2 * bytes.size() + 64 * hosts->size());
  const auto read = DecodeHosts(again, now);
  OPIC_CHECK(read && read->size() == hosts->size());
}

}  // namespace
}  // namespace opic::scheduler

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  opic::scheduler::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
