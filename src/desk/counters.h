// What a node counts from the start of its process. This is the one list: the wire, the sum over a
// cluster, `opic status --json` and `opic metrics` walk it. A new counter is a line here, and
// whoever counts it.
//
// Thread safety: Counters is a value; SharedCounters is synchronised inside, each number by itself.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

namespace opic::desk {

// COUNTER(name, key, meaning): in the order of JSON, where a dot in the key begins an object of its
// own. The meaning is a sentence without its stop.
#define OPIC_COUNTERS(COUNTER)                                                                 \
  COUNTER(kSettled, "settled", "Visits of pages without a fetch")                              \
  COUNTER(kCommits, "commits", "Commit groups, one synced write each")                         \
  COUNTER(kCollisions, "collisions", "URLs that share the page number of another URL")         \
  COUNTER(kUnnamed, "unnamed", "Pages that a peer paid and whose URL has not arrived")         \
  COUNTER(kForwarded, "forwarded", "Transfers passed on because their shard has left")         \
  COUNTER(kReadings, "refresh.readings", "Pages read that were read before")                   \
  COUNTER(kChanges, "refresh.changes", "Pages read that had changed since")                    \
  COUNTER(kLinksOwn, "links_paid.own", "Links paid whose page is of the same node")            \
  COUNTER(kLinksAway, "links_paid.away", "Links paid whose page is of a peer")                 \
  COUNTER(kTransfers, "links_paid.transfers", "Transfers to peers, one a page and group")      \
  COUNTER(kNamed, "links_paid.named", "Transfers to peers that carry a URL")                   \
  COUNTER(kNameBytes, "links_paid.name_bytes", "Bytes of the URLs in transfers")               \
  COUNTER(kBatchBytes, "links_paid.batch_bytes", "Bytes of sealed batches")                    \
  COUNTER(kRequests, "requests", "Requests for pages")                                         \
  COUNTER(kRobotsRequests, "robots_requests", "Requests for robots.txt")                       \
  COUNTER(kRobotsRules, "robots_answers.rules", "Answers to robots.txt with rules")            \
  COUNTER(kRobotsNone, "robots_answers.none", "Answers to robots.txt: all is allowed")         \
  COUNTER(kRobotsRedirects, "robots_answers.redirects", "Redirects of robots.txt")             \
  COUNTER(kRobotsFailed, "robots_answers.failed", "No answer to robots.txt, or 5xx")           \
  COUNTER(kRobotsCut, "robots_answers.cut", "Robots.txt above its limit: cut")                 \
  COUNTER(kWireBytes, "wire_bytes", "Bytes received")                                          \
  COUNTER(kBodyBytes, "body_bytes", "Bytes of bodies after decoding")                          \
  COUNTER(kTransient, "transient", "Fetches that failed and are tried again")                  \
  COUNTER(kNetworkErrors, "network_errors", "Fetches that ended without an HTTP response")     \
  COUNTER(kHttpErrors, "http_errors", "Responses with a status of 400 or more")                \
  COUNTER(kUnauthorized, "unauthorized", "Responses of pages with HTTP 401")                   \
  COUNTER(kForbidden, "forbidden", "Orders that robots.txt refused")                           \
  COUNTER(kPagesRead, "pages_read", "Pages answered with their content, or 304")               \
  COUNTER(kPagesEnded, "pages_ended", "Pages read, or given up for good")                      \
  COUNTER(kFailedDns, "failures.dns", "Pages failed: no address")                              \
  COUNTER(kFailedConnect, "failures.connect", "Pages failed: connection refused")              \
  COUNTER(kFailedTls, "failures.tls", "Pages failed: TLS")                                     \
  COUNTER(kFailedTimeout, "failures.timeout", "Pages failed: too late or too slow")            \
  COUNTER(kFailedBadAnswer, "failures.bad_answer", "Pages failed: an answer that is no HTTP")  \
  COUNTER(kFailedAddress, "failures.refused_address", "Pages failed: address not allowed")     \
  COUNTER(kFailedServer, "failures.server_error", "Pages failed: HTTP 429 or 5xx")             \
  COUNTER(kFailedGivenUp, "failures.host_given_up", "Pages failed: their host given up")       \
  COUNTER(kFailedOther, "failures.other", "Pages failed for another reason")                   \
  COUNTER(kFailedBlocked, "failures.robots_blocked", "Pages failed: robots.txt host blocked")  \
  COUNTER(kFailedNoAnswer, "failures.no_answer", "Pages failed: closed without an answer")     \
  COUNTER(kFailedCut, "failures.cut", "Pages failed: an answer that was cut")                  \
  COUNTER(kFailedReset, "failures.reset", "Pages failed: connection reset")                    \
  COUNTER(kFailedBadHeader, "failures.bad_header", "Pages failed: a broken header")            \
  COUNTER(kFailedHeaderTooLarge, "failures.header_too_large", "Pages failed: a large header")  \
  COUNTER(kFailedBadChunks, "failures.bad_chunks", "Pages failed: a body of broken chunks")    \
  COUNTER(kFailedBadEncoding, "failures.bad_encoding", "Pages failed: a body wrongly packed")  \
  COUNTER(kNoDescriptor, "no_descriptor", "Fetches put off: too few open files")               \
  COUNTER(kProxyFailed, "proxy_failed", "Fetches put off: the proxy failed")                   \
  COUNTER(kNoNetwork, "no_network", "Fetches put off: this node had no network")               \
  COUNTER(kNoRoom, "no_room", "Fetches put off: the memory for answers was full")              \
  COUNTER(kLinksFound, "links_found", "Links found in pages")                                  \
  COUNTER(kOtherScheme, "links_left_out.other_scheme", "Links left out: not http(s)")          \
  COUNTER(kLinksTooLong, "links_left_out.too_long", "Links left out: above 2,048 bytes")       \
  COUNTER(kLinksMalformed, "links_left_out.malformed", "Links left out: no URL")               \
  COUNTER(kLinksNofollow, "links_left_out.nofollow", "Links left out: rel=nofollow")           \
  COUNTER(kManyLinks, "links_left_out.pages_above_max", "Pages with more links than are kept") \
  COUNTER(kSitemapsWait, "links_left_out.sitemaps", "Sitemaps left to later readings")         \
  COUNTER(kCanonical, "canonical.pages", "Pages that paid their canonical page alone")         \
  COUNTER(kCanonicalAway, "canonical.elsewhere", "Canonicals off the site or out of scope")    \
  COUNTER(kCanonicalUnclear, "canonical.unclear", "Pages whose canonicals differ or loop")     \
  COUNTER(kDuplicates, "duplicates.pages", "Pages read with the content of another page")      \
  COUNTER(kDuplicatesTaken, "duplicates.taken_over", "Pages that took a first page's place")   \
  COUNTER(kNearDuplicates, "duplicates.near", "Pages read that are near duplicates")           \
  COUNTER(kSimilar, "duplicates.similar", "Pages read that differ by few words from another")  \
  COUNTER(kTrapsSkipped, "traps.skipped", "Pages not fetched: their URLs are of traps")        \
  COUNTER(kTrapDeepPath, "traps.deep_path", "Pages offered: too many segments")                \
  COUNTER(kTrapRepeated, "traps.repeated_segments", "Pages offered: a run of segments")        \
  COUNTER(kTrapReturning, "traps.returning_segments", "Pages offered: segments return")        \
  COUNTER(kTrapParameters, "traps.many_parameters", "Pages offered: many parameters")          \
  COUNTER(kTrapSame, "traps.repeated_parameter", "Pages offered: one parameter often")         \
  COUNTER(kTrapEscapes, "traps.nested_escapes", "Pages offered: escaped escapes")              \
  COUNTER(kTrapFuture, "traps.future_date", "Pages offered: a month far in the future")        \
  COUNTER(kTrapDates, "traps.many_dates", "Pages offered: many months")                        \
  COUNTER(kTrapPast, "traps.past_date", "Pages offered: a month far in the past")              \
  COUNTER(kTrapLongQuery, "traps.long_query", "Pages offered: a long query")                   \
  COUNTER(kLinksRejected, "links_rejected", "Links left out by their URL, and sitemaps")       \
  COUNTER(kScannerPages, "scanner_pages", "Pages read by the linear scanner")                  \
  COUNTER(kUnwantedPages, "unwanted_types.pages", "Answers of a type not accepted")            \
  COUNTER(kUnwantedStopped, "unwanted_types.stopped", "Bodies not downloaded")                 \
  COUNTER(kUnwantedBytes, "unwanted_types.bytes", "Bytes that those declared")                 \
  COUNTER(kNowhere, "redirects_nowhere", "Redirects to no http(s) URL: gone")                  \
  COUNTER(kTooLarge, "too_large", "Bodies cut at the limit")                                   \
  COUNTER(kStoreBytesWritten, "store_bytes_written", "Bytes that the store has written to disk")

enum class Counter : uint8_t {
#define OPIC_COUNTER_NAME(name, key, meaning) name,
  OPIC_COUNTERS(OPIC_COUNTER_NAME)
#undef OPIC_COUNTER_NAME
};

inline constexpr std::string_view kCounterKeys[] = {
#define OPIC_COUNTER_KEY(name, key, meaning) key,
    OPIC_COUNTERS(OPIC_COUNTER_KEY)
#undef OPIC_COUNTER_KEY
};
inline constexpr size_t kCounters = std::size(kCounterKeys);
inline constexpr std::string_view kCounterMeanings[] = {
#define OPIC_COUNTER_MEANING(name, key, meaning) meaning,
    OPIC_COUNTERS(OPIC_COUNTER_MEANING)
#undef OPIC_COUNTER_MEANING
};

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
