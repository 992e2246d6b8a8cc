#include "cli/status_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace opic::cli {
namespace {

using Json = nlohmann::ordered_json;

// Names of all values, those in objects as "object.name".
std::vector<std::string> KeysOf(const Json& json, const std::string& prefix = "") {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) {
    if (!value.is_object()) keys.push_back(prefix + key);
    const std::vector<std::string> inner =
        value.is_object() ? KeysOf(value, prefix + key + ".") : std::vector<std::string>();
    keys.insert(keys.end(), inner.begin(), inner.end());
  }
  return keys;
}

TEST(StatusJsonTest, KeysAreOnlyEverAdded) {
  node::NodeStats stats;
  stats.loop.channels.emplace_back();
  stats.loop.disk.free_min = 1;
  stats.loop.requests_per_s = 1;
  stats.calls_bytes_max = 1;
  stats.memory.limit = 1;
  stats.loop.refresh.on = true;
  std::vector<std::string> keys = {"phase",
                                   "pages",
                                   "unread",
                                   "ordered",
                                   "withheld",
                                   "in_flight",
                                   "in_progress",
                                   "by_state.fetched",
                                   "by_state.not_modified",
                                   "by_state.redirect",
                                   "by_state.gone",
                                   "by_state.failed",
                                   "by_state.forbidden",
                                   "by_state.out_of_scope",
                                   "clock_supplies",
                                   "importance",
                                   "error_bound",
                                   "rounding_error",
                                   "settling",
                                   "restate_due",
                                   "virtual_share",
                                   "log_number",
                                   "settled",
                                   "commits",
                                   "collisions",
                                   "unnamed",
                                   "forwarded",
                                   "refresh.readings",
                                   "refresh.changes",
                                   "refresh.counting",
                                   "refresh.planned",
                                   "refresh.due",
                                   "refresh.pages_per_s",
                                   "refresh.borrowed_per_s",
                                   "refresh.planned_per_s",
                                   "refresh.fixed",
                                   "refresh.fixed_per_s",
                                   "refresh.publications",
                                   "links_paid.own",
                                   "links_paid.away",
                                   "links_paid.transfers",
                                   "links_paid.named",
                                   "links_paid.name_bytes",
                                   "links_paid.batch_bytes",
                                   "requests",
                                   "robots_requests",
                                   "wire_bytes",
                                   "body_bytes",
                                   "transient",
                                   "network_errors",
                                   "http_errors",
                                   "unauthorized",
                                   "forbidden",
                                   "links_found",
                                   "pages_read",
                                   "pages_ended",
                                   "failures.dns",
                                   "failures.connect",
                                   "failures.tls",
                                   "failures.timeout",
                                   "failures.bad_answer",
                                   "failures.refused_address",
                                   "failures.server_error",
                                   "failures.host_given_up",
                                   "failures.other",
                                   "failures.robots_blocked",
                                   "failures.no_answer",
                                   "failures.cut",
                                   "failures.reset",
                                   "failures.bad_header",
                                   "failures.header_too_large",
                                   "failures.bad_chunks",
                                   "failures.bad_encoding",
                                   "no_descriptor",
                                   "proxy_failed",
                                   "no_network",
                                   "no_room",
                                   "memory.limit",
                                   "memory.bodies.bytes",
                                   "memory.bodies.peak",
                                   "memory.bodies.limit",
                                   "memory.reports.bytes",
                                   "memory.reports.peak",
                                   "memory.reports.limit",
                                   "memory.robots.bytes",
                                   "memory.robots.peak",
                                   "memory.robots.limit",
                                   "requests_per_s",
                                   "disk.low",
                                   "disk.free_bytes",
                                   "disk.free_min_bytes",
                                   "disk.free_enough_bytes",
                                   "scheduler_away",
                                   "paused",
                                   "without_network",
                                   "canonical.pages",
                                   "canonical.elsewhere",
                                   "canonical.unclear",
                                   "duplicates.pages",
                                   "duplicates.taken_over",
                                   "duplicates.near",
                                   "duplicates.similar",
                                   "traps.skipped",
                                   "traps.deep_path",
                                   "traps.repeated_segments",
                                   "traps.returning_segments",
                                   "traps.many_parameters",
                                   "traps.repeated_parameter",
                                   "traps.nested_escapes",
                                   "traps.future_date",
                                   "traps.many_dates",
                                   "traps.past_date",
                                   "traps.long_query",
                                   "links_rejected",
                                   "links_left_out.other_scheme",
                                   "links_left_out.too_long",
                                   "links_left_out.malformed",
                                   "links_left_out.nofollow",
                                   "links_left_out.pages_above_max",
                                   "links_left_out.sitemaps",
                                   "robots_answers.rules",
                                   "robots_answers.none",
                                   "robots_answers.redirects",
                                   "robots_answers.failed",
                                   "robots_answers.cut",
                                   "unwanted_types.pages",
                                   "unwanted_types.stopped",
                                   "unwanted_types.bytes",
                                   "redirects_nowhere",
                                   "scanner_pages",
                                   "too_large",
                                   "store_bytes_written",
                                   "threshold",
                                   "limit_reached",
                                   "table_bytes",
                                   "cpu_seconds.fetch",
                                   "cpu_seconds.parse",
                                   "cpu_seconds.ledger",
                                   "channels",
                                   "outbox_full",
                                   "release",
                                   "uptime_seconds",
                                   "memory_bytes_peak",
                                   "calls_bytes_max",
                                   "recovery_seconds",
                                   "records_replayed",
                                   "longest_turn_ms"};
  for (const char* category : {"html", "xml", "feed", "schema", "pdf", "other"}) {
    for (const char* number : {"factor", "planned", "readings"})
      keys.push_back(absl::StrCat("refresh.categories.", category, ".", number));
  }
  EXPECT_THAT(KeysOf(StatusJson(stats)), testing::UnorderedElementsAreArray(keys));
}

TEST(StatusJsonTest, EveryCounterIsThere) {
  node::NodeStats stats;
  uint64_t next = 1'000'000;
  stats.counters.ForEach([&next](std::string_view, uint64_t& count) { count = next++; });
  const Json json = StatusJson(stats);
  EXPECT_EQ(json["settled"], 1'000'000);
  EXPECT_EQ(json["links_paid"]["own"], stats.counters[desk::Counter::kLinksOwn]);
  EXPECT_EQ(json["store_bytes_written"], next - 1);
}

}  // namespace
}  // namespace opic::cli
