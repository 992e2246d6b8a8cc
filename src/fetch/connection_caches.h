// Where libcurl keeps the connections that are open, in use or for the next request: each origin's
// in one of several caches. When a cache is full libcurl looks at each connection in it for the one
// that has waited longest, at every request that has opened another: with a thousand in one cache
// that was a tenth of what a crawl of thousands of hosts cost.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <string_view>
#include <vector>

namespace opic::fetch {

class ConnectionCaches {
 public:
  // For so many connections in all; `together` keeps all in one cache, as where all go to a proxy.
  ConnectionCaches(int connections, bool together);

  // The next request of `easy` is to this origin. Must outlive `easy`.
  void Apply(CURL* easy, std::string_view origin) const;
  // How many each may hold when all together hold `connections`.
  int PartOf(int connections) const;

 private:
  struct Deleter {
    void operator()(CURLSH* cache) const { curl_share_cleanup(cache); }
  };
  std::vector<std::unique_ptr<CURLSH, Deleter>> caches_;
};

}  // namespace opic::fetch
