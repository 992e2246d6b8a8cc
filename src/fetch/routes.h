// Where connections go instead of to the host that a URL names (Options::connect_to).
//
// libcurl keeps all connections that CURLOPT_CONNECT_TO leads to one address in one list, and asks
// the system about each idle one of them at every request: with connections to a thousand hosts a
// request made a thousand calls. So the usual route, all hosts to one address, is given to libcurl
// as another port (CURLOPT_CONNECT_TO without a host) and an address for every name
// (CURLOPT_RESOLVE). Then each host has a list of its own.
#pragma once

#include <curl/curl.h>

#include <string>
#include <vector>

#include "fetch/curl_handles.h"

namespace opic::fetch {

class Routes {
 public:
  // Each as CURLOPT_CONNECT_TO has it.
  explicit Routes(const std::vector<std::string>& connect_to);

  // Not copied: must outlive `easy`.
  void Apply(CURL* easy) const;

 private:
  StringList connect_to_, resolve_;
};

}  // namespace opic::fetch
