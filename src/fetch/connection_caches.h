// Where libcurl keeps the connections that are open, in use or for the next request, and the
// addresses of hosts: each origin's in one of several caches. When a cache is full libcurl looks at
// each connection in it for the one that has waited longest, at every request that has opened
// another; and at every request it looks at each address for those that are too old. With a
// thousand of both in one cache that was more than a tenth of what a crawl of thousands of hosts
// cost.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <string_view>
#include <vector>

#include "fetch/options.h"
#include "fetch/routes.h"

namespace opic::fetch {

class ConnectionCaches {
 public:
  // For so many connections in all. One cache where all go to a proxy.
  ConnectionCaches(int connections, const Options& options, const Routes& routes);

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
