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

// Response::unheard, of a transfer of `easy` that ended with `code`. A refused connection is an
// answer.
bool IsUnheard(CURL* easy, CURLcode code);

// What libcurl says of an answer that it refuses for a header line without a colon.
bool IsLineWithoutColon(std::string_view message);

// What the system has said of a connection that failed: there is no way to anywhere from here.
bool IsNoRoute(CURL* easy);
bool IsRefused(CURL* easy);

}  // namespace opic::fetch
