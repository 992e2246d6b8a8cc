// opic-modules: node fetch url ledger links base
// The input as the head of a response: as its filter passes it, whole and in pieces; then line by
// line, and what is made of the values kept: the pause that is asked for, the target of a redirect,
// the type of the document, what robots may do with it.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "desk/page_answer.h"
#include "fetch/head_filter.h"
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
  if (const auto target = desk::TargetOf(response, here)) {
    OPIC_CHECK(target->text().size() <= url::kUrlBytesMax);
  }
  const links::ContentType type = links::ParseContentType(response.content_type);
  OPIC_CHECK(type.essence.size() + type.charset.size() <= response.content_type.size());
  links::Result found;
  links::ApplyRobotsHeader(response.x_robots_tag, "opic", found);
  links::ApplyRobotsMeta(response.x_robots_tag, found);
}

std::optional<std::string> Filtered(std::string_view head, size_t piece) {
  fetch::HeadFilter filter(kBytesMax);
  std::string passed;
  for (; !head.empty(); head.remove_prefix(std::min(piece, head.size()))) {
    if (!filter.Pass(head.substr(0, piece), passed)) return std::nullopt;
  }
  filter.End(passed);
  return passed;
}

void CheckFilter(std::string_view head) {
  const std::optional<std::string> passed = Filtered(head, head.size() + 1);
  OPIC_CHECK(passed || head.size() > kBytesMax);
  OPIC_CHECK(!passed || passed->size() <= head.size());
  for (const size_t piece : {1, 2, 3, 7, 64}) OPIC_CHECK(Filtered(head, piece) == passed);
  if (passed) OPIC_CHECK(Filtered(*passed, 1) == passed) << "it drops all at once";
}

void Check(std::string_view head) {
  CheckFilter(head);
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
