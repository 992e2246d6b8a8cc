#include "desk/kept_cookies.h"

#include <memory>

#include "desk/cookie_keeper.h"

namespace opic::desk {

absl::StatusOr<std::vector<CookieHost>> HostsWithCookies(store::Store& store) {
  std::vector<CookieHost> hosts;
  const std::unique_ptr<store::Cursor> row =
      store.Scan(store::Table::kMeta, CookieKeeper::KeyOf(""));
  for (; row->Valid() && CookieKeeper::IsKey(row->key()); row->Next())
    hosts.push_back({CookieKeeper::HostOf(row->key()), row->value().size()});
  if (absl::Status status = row->status(); !status.ok()) return status;
  return hosts;
}

absl::Status ForgetCookies(absl::Span<const std::string> hosts, store::Store& store) {
  store::Batch batch;
  for (const std::string& host : hosts)
    batch.Delete(store::Table::kMeta, CookieKeeper::KeyOf(host));
  return store.Write(batch, store::Sync::kYes);
}

}  // namespace opic::desk
