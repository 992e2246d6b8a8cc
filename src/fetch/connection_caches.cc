#include "fetch/connection_caches.h"

#include <algorithm>

#include "base/check.h"
#include "base/encoding.h"
#include "fetch/curl_handles.h"

namespace opic::fetch {
namespace {

constexpr int kPartMin = 64, kCachesMax = 16;

void Keep(curl_lock_data what, CURLSH* cache) {
  const CURLSHcode code = curl_share_setopt(cache, CURLSHOPT_SHARE, static_cast<int>(what));
  OPIC_CHECK(code == CURLSHE_OK) << curl_share_strerror(code);
}

}  // namespace

ConnectionCaches::ConnectionCaches(int connections, const Options& options, const Routes& routes) {
  const bool together = !options.proxy.empty();  // all connections go there
  const int caches = together ? 1 : std::clamp(connections / kPartMin, 1, kCachesMax);
  for (int i = 0; i < caches; ++i) {
    CURLSH* const cache = curl_share_init();
    OPIC_CHECK(cache != nullptr) << "out of memory";
    caches_.emplace_back(cache);
    Keep(CURL_LOCK_DATA_CONNECT, cache);
    if (!routes.give_addresses()) Keep(CURL_LOCK_DATA_DNS, cache);
  }
}

void ConnectionCaches::Apply(CURL* easy, std::string_view origin) const {
  Set(easy, CURLOPT_SHARE, caches_[base::Hash64(origin) % caches_.size()].get());
}

int ConnectionCaches::PartOf(int connections) const {
  const int caches = static_cast<int>(caches_.size());
  return (connections + caches - 1) / caches;
}

}  // namespace opic::fetch
