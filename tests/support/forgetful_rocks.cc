#include "tests/support/forgetful_rocks.h"

#include "base/check.h"

namespace opic {
namespace {

absl::Status Down() { return absl::UnavailableError("the machine is down"); }

}  // namespace

ForgetfulRocks::ForgetfulRocks(const std::string& folder)
    : folder_(folder),
      files_(std::make_shared<ForgetfulFiles>(folder + ".attic")),
      env_(rocksdb::NewCompositeEnv(files_)) {
  Open();
}

void ForgetfulRocks::Open() {
  // Small, so that it flushes and compacts in short runs.
  auto opened = store::OpenRocksStore(
      folder_, {.cache_bytes = 1 << 20, .write_buffer_bytes = 256 << 10, .env = env_.get()});
  OPIC_CHECK(opened.ok()) << opened.status();
  store_ = *std::move(opened);
}

void ForgetfulRocks::Drop() {
  files_->StopNow();
  store_.reset();
}

void ForgetfulRocks::CrashAt(uint64_t call, When when) {
  files_->StopAt(
      call, when == When::kBefore ? ForgetfulFiles::Stop::kBefore : ForgetfulFiles::Stop::kAfter);
}

void ForgetfulRocks::Reboot(base::Rng& rng) {
  do {
    ++reboots_;
    Drop();
    rng.Uniform() < chances_.killed ? files_->Restart() : files_->Forget(rng);
    if (rng.Uniform() < chances_.again) CrashAt(1 + rng.Below(40), When::kBefore);
    Open();
  } while (files_->stopped());
}

void ForgetfulRocks::KillAndRestart() {
  Drop();
  files_->Restart();
  Open();
}

absl::Status ForgetfulRocks::Write(const store::Batch& batch, store::Sync sync) {
  if (full_) return absl::ResourceExhaustedError("no space left on device");
  if (crashed()) return Down();
  const absl::Status written = store_->Write(batch, sync);
  return crashed() ? Down() : written;
}

absl::StatusOr<std::optional<std::string>> ForgetfulRocks::Get(store::Table table,
                                                               std::string_view key) {
  if (crashed()) return Down();
  return store_->Get(table, key);
}

absl::Status ForgetfulRocks::MultiGet(store::Table table, absl::Span<const std::string> keys,
                                      std::vector<std::optional<std::string>>* values) {
  if (crashed()) return Down();
  return store_->MultiGet(table, keys, values);
}

std::unique_ptr<store::Cursor> ForgetfulRocks::Scan(store::Table table, std::string_view from) {
  return store_->Scan(table, from);
}

}  // namespace opic
