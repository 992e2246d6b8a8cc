#include "tests/support/curl_client.h"

#include <curl/curl.h>

#include "absl/strings/ascii.h"

namespace opic::support {
namespace {

struct Body {
  std::string& text;
  const std::function<void()>& on_more;
};

size_t OnBody(char* bytes, size_t, size_t count, void* body) {
  static_cast<Body*>(body)->text.append(bytes, count);
  static_cast<Body*>(body)->on_more();
  return count;
}

size_t OnHeader(char* bytes, size_t, size_t count, void* headers) {
  const std::string line(bytes, count);
  const size_t colon = line.find(':');
  if (colon != line.npos) {
    static_cast<std::map<std::string, std::string>*>(headers)->insert_or_assign(
        absl::AsciiStrToLower(line.substr(0, colon)),
        std::string(absl::StripAsciiWhitespace(line.substr(colon + 1))));
  }
  return count;
}

}  // namespace

CurlResponse Curl(const CurlRequest& request) {
  CurlResponse response;
  Body body{response.body, request.on_body};
  CURL* curl = curl_easy_init();
  curl_slist* headers = nullptr;
  for (const std::string& header : request.headers)
    headers = curl_slist_append(headers, header.c_str());
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  if (request.body) {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body->size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body->data());
  }
  if (request.method == "HEAD") curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS,
                   static_cast<long>(absl::ToInt64Milliseconds(request.patience)));
  if (!request.authority.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, request.authority.c_str());
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &OnBody);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &OnHeader);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &response.headers);
  const CURLcode code = curl_easy_perform(curl);
  if (code != CURLE_OK) response.error = curl_easy_strerror(code);
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  if (code == CURLE_OK) response.status = static_cast<int>(status);
  curl_slist_free_all(headers);
  curl_easy_cleanup(curl);
  return response;
}

std::string PercentEncoded(const std::string& text) {
  char* encoded = curl_easy_escape(nullptr, text.data(), static_cast<int>(text.size()));
  const std::string copy = encoded;
  curl_free(encoded);
  return copy;
}

}  // namespace opic::support
