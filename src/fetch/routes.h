// Where connections go instead of to the host that a URL names (Options::connect_to). A proxy is
// told so.
//
// libcurl keeps all connections that CURLOPT_CONNECT_TO leads to one address in one list, and asks
// the system about each idle one of them at every request: with connections to a thousand hosts a
// request made a thousand calls. So the usual route, all hosts to one address, is given to libcurl
// as another port (CURLOPT_CONNECT_TO without a host) and an address for every name
// (CURLOPT_RESOLVE). Then each host has a list of its own. Not so with a proxy, which would have to
// hear of the address.
//
// Thread safety: immutable.
#pragma once

#include <curl/curl.h>

#include "fetch/curl_handles.h"
#include "fetch/options.h"

namespace opic::fetch {

class Routes {
 public:
  explicit Routes(const Options& options);

  // Not copied: must outlive `easy`.
  void Apply(CURL* easy) const;
  // Whether it gives libcurl the address of each host. That puts it into the cache of addresses
  // that the handle has at its next request, and into no other one that it has later.
  bool give_addresses() const { return resolve_ != nullptr; }

 private:
  StringList connect_to_, resolve_;
};

}  // namespace opic::fetch
