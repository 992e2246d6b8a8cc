// libcurl's handles as owned objects, and their settings.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>
#include <vector>

#include "base/check.h"

namespace opic::fetch {

struct CurlDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using EasyHandle = std::unique_ptr<CURL, CurlDeleter>;
using StringList = std::unique_ptr<curl_slist, CurlDeleter>;

struct MultiDeleter {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
using MultiHandle = std::unique_ptr<CURLM, MultiDeleter>;

// libcurl copies each line. Empty for no lines.
inline StringList MakeList(const std::vector<std::string>& lines) {
  StringList list;
  for (const std::string& line : lines) {
    curl_slist* longer = curl_slist_append(list.get(), line.c_str());
    OPIC_CHECK(longer != nullptr) << "out of memory";
    static_cast<void>(list.release());  // what `longer` begins with
    list.reset(longer);
  }
  return list;
}

// A setting that cannot fail but by our own mistake.
template <typename Value>
void Set(CURL* easy, CURLoption option, Value value) {
  const CURLcode code = curl_easy_setopt(easy, option, value);
  OPIC_CHECK(code == CURLE_OK) << "option " << option << ": " << curl_easy_strerror(code);
}

}  // namespace opic::fetch
