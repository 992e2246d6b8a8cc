// libcurl's codes in our words: the one place that knows them.
#pragma once

#include <curl/curl.h>

#include <string_view>

#include "fetch/response.h"

namespace opic::fetch {

// `message` is libcurl's error buffer: some codes cover two of our errors and only the text
// differs.
Error FromCurl(CURLcode code, std::string_view message);

// The same of a transfer of `easy` through a proxy: kProxy where the proxy itself has failed, and
// not what it was asked for. A proxy that was reached and then says nothing cannot be told from one
// that waits for the host: kTimeout.
Error FromCurlBehindProxy(CURL* easy, CURLcode code, std::string_view message);

}  // namespace opic::fetch
