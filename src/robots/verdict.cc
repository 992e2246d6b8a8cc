// The stored form of a Robots (robots/robots.h):
//
//   version (1 byte) | crawl delay + 1 in microseconds, 0 for none (varint)
//   number of rules (varint) | each: allow (1 byte), pattern (length, bytes)
//   number of sitemaps (varint) | each: length, bytes
//   Hash64 of all before (8 bytes, little-endian)
#include "base/encoding.h"
#include "robots/robots.h"

namespace opic::robots {
namespace {

constexpr uint8_t kVersion = 1;
constexpr size_t kHashBytes = 8;

std::optional<absl::Duration> ReadCrawlDelay(base::Decoder& in) {
  if (in.Byte() != kVersion) in.Fail();
  const uint64_t delay = in.Varint();
  if (delay > static_cast<uint64_t>(absl::ToInt64Microseconds(kCrawlDelayMax)) + 1) in.Fail();
  if (!in.ok() || delay == 0) return std::nullopt;
  return absl::Microseconds(static_cast<int64_t>(delay - 1));
}

}  // namespace

std::string Robots::Encode() const {
  std::string out(1, static_cast<char>(kVersion));
  base::AppendVarint(out, crawl_delay_ ? absl::ToInt64Microseconds(*crawl_delay_) + 1 : 0);
  base::AppendVarint(out, rules_.size());
  for (const Rule& rule : rules_) {
    out.push_back(rule.allow ? 1 : 0);
    base::AppendBytes(out, rule.pattern);
  }
  base::AppendVarint(out, sitemaps_.size());
  for (const std::string& sitemap : sitemaps_) base::AppendBytes(out, sitemap);
  base::AppendFixed64(out, base::Hash64(out));
  return out;
}

std::optional<Robots> Robots::Decode(std::string_view bytes) {
  if (bytes.size() < kHashBytes) return std::nullopt;
  const std::string_view payload = bytes.substr(0, bytes.size() - kHashBytes);
  if (base::Decoder(bytes.substr(payload.size())).Fixed64() != base::Hash64(payload)) {
    return std::nullopt;
  }
  base::Decoder in(payload);
  Robots robots;
  robots.crawl_delay_ = ReadCrawlDelay(in);
  for (uint64_t left = in.Varint(); left > 0 && in.ok(); --left) {
    const uint8_t allow = in.Byte();
    if (allow > 1) in.Fail();
    robots.rules_.push_back({allow == 1, std::string(in.Bytes())});
  }
  for (uint64_t left = in.Varint(); left > 0 && in.ok(); --left) {
    robots.sitemaps_.emplace_back(in.Bytes());
  }
  if (!in.done()) return std::nullopt;
  robots.MakeIndex();
  return robots;
}

std::optional<absl::Duration> Robots::CrawlDelayIn(std::string_view bytes) {
  base::Decoder in(bytes);
  return ReadCrawlDelay(in);
}

}  // namespace opic::robots
