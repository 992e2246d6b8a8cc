// Implements a part of desk/robots_cache.h. What the origins of a host have together: a
// Crawl-delay, and rows for another node.
#include <algorithm>
#include <memory>

#include "base/encoding.h"
#include "base/status_macros.h"
#include "desk/robots_cache.h"
#include "desk/robots_row.h"

namespace opic::desk {
namespace {

// Of a host, of each scheme and in all: who serves a large robots.txt at each of its ports costs no
// more.
constexpr int kOriginsLookedAt = 64;
constexpr size_t kBytesLookedAt = 4 << 20;
constexpr const char* kSchemes[] = {"http://", "https://"};

}  // namespace

// A delay is for a host, whichever of its ports asks for it.
absl::StatusOr<std::optional<absl::Duration>> RobotsCache::WithOtherPorts(absl::Duration delay,
                                                                          const std::string& host,
                                                                          absl::Time now) const {
  ASSIGN_OR_RETURN(const bool all, EachRowOf(host, [&](std::string_view, std::string_view row) {
                     if (ExpiryOf(row) <= now) return;
                     const auto asked = robots::Robots::CrawlDelayIn(RulesOf(row));
                     delay = std::max(delay, asked.value_or(absl::ZeroDuration()));
                   }));
  if (!all && delay == absl::ZeroDuration()) return std::nullopt;
  return delay;
}

// "http://example.org", "http://example.org:81": between them are other hosts' rows.
absl::StatusOr<bool> RobotsCache::EachRowOf(
    const std::string& host,
    absl::FunctionRef<void(std::string_view origin, std::string_view row)> take) const {
  bool all = true;
  size_t bytes = 0;
  for (const char* scheme : kSchemes) {
    const std::string origin = scheme + host, ports = origin + ":";
    ASSIGN_OR_RETURN(const std::optional<std::string> own,
                     store_.Get(store::Table::kRobots, origin));
    if (own) take(origin, *own);
    const std::unique_ptr<store::Cursor> cursor = store_.Scan(store::Table::kRobots, ports);
    for (int step = 0; cursor->Valid() && cursor->key().starts_with(ports); ++step) {
      if (step == kOriginsLookedAt || bytes > kBytesLookedAt) {
        all = false;
        break;
      }
      take(cursor->key(), cursor->value());
      bytes += cursor->value().size();
      cursor->Next();
    }
    RETURN_IF_ERROR(cursor->status());
  }
  return all;
}

absl::StatusOr<std::string> RobotsCache::RowsOf(const std::string& host, absl::Time now) {
  std::string rows;
  RETURN_IF_ERROR(EachRowOf(host, [&](std::string_view origin, std::string_view row) {
                    if (ExpiryOf(row) <= now) return;
                    base::AppendBytes(rows, origin);
                    base::AppendBytes(rows, row);
                  }).status());
  absl::MutexLock lock(&mu_);
  for (const char* scheme : kSchemes) {
    const auto append = [&rows](const std::pair<const std::string, int>& failed) {
      base::AppendBytes(rows, failed.first);
      base::AppendBytes(rows, EncodeFailures(failed.second));
    };
    const std::string origin = scheme + host, ports = origin + ":";
    if (const auto own = failures_.find(origin); own != failures_.end()) append(*own);
    auto failed = failures_.lower_bound(ports);
    for (int step = 0; step < kOriginsLookedAt && failed != failures_.end(); ++step, ++failed) {
      if (!failed->first.starts_with(ports)) break;
      append(*failed);
    }
  }
  return rows.size() > kRowsBytesMax ? std::string() : rows;
}

absl::Status RobotsCache::Absorb(const std::string& host, std::string_view rows, absl::Time now) {
  absl::MutexLock lock(&mu_);
  base::Decoder in(rows);
  while (in.ok() && !in.done()) {
    const std::string origin(in.Bytes());
    const std::string_view row = in.Bytes();
    const std::optional<url::Url> named = url::Parse(origin + "/");
    if (!in.ok() || !named || named->host() != host || named->origin() != origin) break;
    if (!robots::Robots::Decode(RulesOf(row))) break;
    RETURN_IF_ERROR(AbsorbOne(origin, row, now));
  }
  return absl::OkStatus();
}

absl::Status RobotsCache::AbsorbOne(const std::string& origin, std::string_view row,
                                    absl::Time now) {
  if (ExpiryOf(row) > now + options_.lifetime) return absl::OkStatus();  // its clock is ahead
  RETURN_IF_ERROR(Load(origin, now));
  const Entry& known = entries_[origin];
  if (const std::optional<int> failed = FailuresIn(row)) {
    const bool known_or_redirected = known.rules || known.hops > 0;
    // The next failure is at most the last one: it is seen here. A peer that counts failures of
    // more origins than there is room for does not push out what others have counted.
    const bool room = failures_.size() < options_.remembered_max || failures_.contains(origin);
    if (!known.rules && *failed > 0 && room) {
      int& failures = failures_[origin];
      failures = std::max(failures, std::min(*failed, options_.attempts_max - 1));
    }
    if (!known_or_redirected) entries_.erase(origin);
    return absl::OkStatus();
  }
  if (known.rules && known.expires >= ExpiryOf(row)) return absl::OkStatus();
  store::Batch batch;
  batch.Put(store::Table::kRobots, origin, std::string(row));
  RETURN_IF_ERROR(store_.Write(batch, store::Sync::kNo));
  DropRules(entries_[origin]);
  entries_.erase(origin);
  failures_.erase(origin);
  return absl::OkStatus();
}

}  // namespace opic::desk
