// opic-modules: robots
// The first line is a path, the rest a robots.txt; the whole is also read as a stored verdict, as
// it is and with the checksum that it should have had.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/encoding.h"
#include "robots/pattern.h"
#include "robots/robots.h"

namespace opic::robots {
namespace {

void CheckNormalised(std::string_view path) {
  const std::string once = NormalisedPath(path);
  OPIC_CHECK(NormalisedPath(once) == once) << once;
  OPIC_CHECK(Matches(NormalisedPattern(once), once)) << once;
  OPIC_CHECK(Matches(NormalisedPattern(once + "$"), once)) << once;
  OPIC_CHECK(Matches("*" + once + "*$", once)) << once;
}

void CheckVerdict(const Robots& robots, std::string_view path) {
  OPIC_CHECK(robots.Allows("/robots.txt"));
  if (robots.crawl_delay()) {
    OPIC_CHECK(*robots.crawl_delay() >= absl::ZeroDuration());
    OPIC_CHECK(*robots.crawl_delay() <= kCrawlDelayMax);
  }
  const std::string stored = robots.Encode();
  const auto back = Robots::Decode(stored);
  OPIC_CHECK(back.has_value() && back->Encode() == stored);
  OPIC_CHECK(back->Allows(path) == robots.Allows(path)) << path;
}

void CheckStored(std::string_view bytes) {
  if (const auto robots = Robots::Decode(bytes)) robots->Allows("/a/b?c");
}

}  // namespace
}  // namespace opic::robots

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opic::robots;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view path = input.substr(0, input.find('\n'));
  const std::string_view body = input.substr(path.size());
  CheckNormalised(path);
  CheckVerdict(Robots::Parse(body, "opic"), path);
  CheckVerdict(Robots::Parse(input, "a"), path);
  CheckStored(input);
  std::string sealed(input);
  opic::base::AppendFixed64(sealed, opic::base::Hash64(input));
  CheckStored(sealed);
  return 0;
}
