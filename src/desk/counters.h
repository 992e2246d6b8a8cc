// What a node counts from the start of its process. This is the one list: the wire, the sum over a
// cluster and `opic status --json` walk it. A new counter is a line here, and whoever counts it.
//
// Thread safety: Counters is a value; SharedCounters is synchronised inside, each number by itself.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace opic::desk {

// COUNTER(name, key): in the order of JSON, where a dot in the key begins an object of its own.
#define OPIC_COUNTERS(COUNTER)                                                        \
  COUNTER(kSettled, "settled")                   /* visits without a fetch */         \
  COUNTER(kCommits, "commits")                   /* groups */                         \
  COUNTER(kCollisions, "collisions")             /* URLs that share a page */         \
  COUNTER(kUnnamed, "unnamed")                   /* pages of peers without a URL */   \
  COUNTER(kForwarded, "forwarded")               /* transfers for shards that left */ \
  COUNTER(kLinksOwn, "links_paid.own")           /* of pages of the same node */      \
  COUNTER(kLinksAway, "links_paid.away")         /* of pages of peers */              \
  COUNTER(kTransfers, "links_paid.transfers")    /* those away, by page and group */  \
  COUNTER(kNamed, "links_paid.named")            /* of these, with the URL */         \
  COUNTER(kNameBytes, "links_paid.name_bytes")   /* of those URLs */                  \
  COUNTER(kBatchBytes, "links_paid.batch_bytes") /* sealed */                         \
  COUNTER(kRequests, "requests")                 /* for pages */                      \
  COUNTER(kRobotsRequests, "robots_requests")                                         \
  COUNTER(kWireBytes, "wire_bytes") /* received */                                    \
  COUNTER(kBodyBytes, "body_bytes") /* decoded */                                     \
  COUNTER(kTransient, "transient")  /* failures that are tried again */               \
  COUNTER(kNetworkErrors, "network_errors")                                           \
  COUNTER(kHttpErrors, "http_errors")                                                 \
  COUNTER(kForbidden, "forbidden") /* orders that robots.txt refused */               \
  COUNTER(kLinksFound, "links_found")                                                 \
  COUNTER(kLinksRejected, "links_rejected") /* not http(s), or too long */            \
  COUNTER(kScannerPages, "scanner_pages")   /* read by the linear scanner */          \
  COUNTER(kTooLarge, "too_large")           /* bodies cut at the limit */             \
  COUNTER(kStoreBytesWritten, "store_bytes_written")

enum class Counter : uint8_t {
#define OPIC_COUNTER_NAME(name, key) name,
  OPIC_COUNTERS(OPIC_COUNTER_NAME)
#undef OPIC_COUNTER_NAME
};

inline constexpr std::string_view kCounterKeys[] = {
#define OPIC_COUNTER_KEY(name, key) key,
    OPIC_COUNTERS(OPIC_COUNTER_KEY)
#undef OPIC_COUNTER_KEY
};
inline constexpr size_t kCounters = std::size(kCounterKeys);

class Counters {
 public:
  uint64_t& operator[](Counter counter) { return counts_[static_cast<size_t>(counter)]; }
  uint64_t operator[](Counter counter) const { return counts_[static_cast<size_t>(counter)]; }
  Counters& operator+=(const Counters& other) {
    for (size_t i = 0; i < kCounters; ++i) counts_[i] += other.counts_[i];
    return *this;
  }
  // Calls `visit(key, count)` for each; the count may be changed when this is not const.
  template <typename Visit>
  void ForEach(const Visit& visit) {
    for (size_t i = 0; i < kCounters; ++i) visit(kCounterKeys[i], counts_[i]);
  }
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (size_t i = 0; i < kCounters; ++i) visit(kCounterKeys[i], counts_[i]);
  }

 private:
  std::array<uint64_t, kCounters> counts_{};
};

// Counted by several threads, read at any time.
class SharedCounters {
 public:
  void Add(Counter counter, uint64_t count = 1) { counts_[static_cast<size_t>(counter)] += count; }
  uint64_t operator[](Counter counter) const { return counts_[static_cast<size_t>(counter)]; }
  Counters Now() const {
    Counters now;
    for (size_t i = 0; i < kCounters; ++i) now[static_cast<Counter>(i)] = counts_[i];
    return now;
  }

 private:
  std::array<std::atomic<uint64_t>, kCounters> counts_{};
};

}  // namespace opic::desk
