// opic-modules: node fetch url ledger links base
// The input as the head of a response, line by line, and what is made of the values kept: the pause
// that is asked for, the target of a redirect, the type of the document, what robots may do with
// it.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "desk/page_answer.h"
#include "fetch/header_reader.h"
#include "links/content_type.h"
#include "links/robots_directives.h"
#include "url/url.h"

namespace opic {
namespace {

constexpr size_t kBytesMax = 4096;

void CheckValues(const fetch::Response& response) {
  const absl::Time now = absl::FromUnixSeconds(1'700'000'000);
  const absl::Duration pause = desk::RetryAfter(response.retry_after, now);
  OPIC_CHECK(pause >= absl::ZeroDuration()) << response.retry_after;
  static const url::Url here = *url::Parse("http://h.example/a/b");
  if (const auto target = url::Parse(response.location, &here)) {
    OPIC_CHECK(target->text().size() <= url::kUrlBytesMax);
  }
  const links::ContentType type = links::ParseContentType(response.content_type);
  OPIC_CHECK(type.essence.size() + type.charset.size() <= response.content_type.size());
  links::Result found;
  links::ApplyRobotsHeader(response.x_robots_tag, "opic", found);
  links::ApplyRobotsMeta(response.x_robots_tag, found);
}

void Check(std::string_view head) {
  fetch::Response response;
  fetch::HeaderReader reader(response, kBytesMax);
  size_t bytes = 0;
  while (!head.empty()) {
    const std::string_view line = head.substr(0, std::min(head.find('\n'), head.size() - 1) + 1);
    head.remove_prefix(line.size());
    bytes += line.size();
    OPIC_CHECK(reader.Line(line) == (bytes <= kBytesMax));
  }
  OPIC_CHECK(response.content_type.size() <= kBytesMax);
  OPIC_CHECK(response.x_robots_tag.size() <= 2 * kBytesMax);
  CheckValues(response);
}

}  // namespace
}  // namespace opic

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  opic::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
