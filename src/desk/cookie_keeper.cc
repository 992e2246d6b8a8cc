#include "desk/cookie_keeper.h"

#include <pthread.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/damaged_folder.h"
#include "base/log_part.h"
#include "base/status_macros.h"
#include "desk/store_failure.h"

namespace opic::desk {
namespace {

constexpr std::string_view kCookiePrefix = "cookies/";

}  // namespace

bool CookieKeeper::IsKey(std::string_view key) { return key.starts_with(kCookiePrefix); }

std::string CookieKeeper::KeyOf(std::string_view host) {
  return std::string(kCookiePrefix) + std::string(host);
}

std::string CookieKeeper::HostOf(std::string_view key) {
  return std::string(key.substr(kCookiePrefix.size()));
}

absl::StatusOr<std::unique_ptr<CookieKeeper>> CookieKeeper::Open(store::Store& store,
                                                                 size_t bytes_max, absl::Time now) {
  std::unique_ptr<CookieKeeper> keeper(new CookieKeeper(store, bytes_max));
  RETURN_IF_ERROR(keeper->Recall(now));
  keeper->thread_ = std::thread(base::OfThisPart([raw = keeper.get()] { raw->Run(); }));
  return keeper;
}

CookieKeeper::~CookieKeeper() { Stop(); }

absl::Status CookieKeeper::Recall(absl::Time now) {
  std::vector<fetch::CookieJar::Row> rows;
  const std::unique_ptr<store::Cursor> stored = store_.Scan(store::Table::kMeta, kCookiePrefix);
  for (; stored->Valid() && IsKey(stored->key()); stored->Next()) {
    std::string host = HostOf(stored->key());
    if (!fetch::CookieJar::CanRead(stored->value()))
      return base::DamagedFolder(absl::StrCat("the cookies of ", host, " cannot be read"));
    rows.push_back({std::move(host), std::string(stored->value())});
  }
  RETURN_IF_ERROR(stored->status());
  jar_.Restore(rows, now);
  return absl::OkStatus();
}

void CookieKeeper::Run() {
  pthread_setname_np(pthread_self(), "opic-cookies");
  while (!stopping_.Await(kBehindMax)) Write();
}

void CookieKeeper::Write() {
  store::Batch batch;
  for (fetch::CookieJar::Row& row : jar_.TakeChanged()) {
    std::string key = KeyOf(row.host);
    if (row.value.empty()) {
      batch.Delete(store::Table::kMeta, std::move(key));
    } else {
      batch.Put(store::Table::kMeta, std::move(key), std::move(row.value));
    }
  }
  if (batch.empty()) return;
  EndOnStoreFailure("the memory of cookies", store_.Write(batch, store::Sync::kNo));
}

void CookieKeeper::Stop() {
  if (!thread_.joinable()) return;
  stopping_.Ring();
  thread_.join();
  Write();
}

}  // namespace opic::desk
