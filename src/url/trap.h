// URLs that look as if a site made them without end: relative links that pile up in the path,
// queries that grow, calendars. What is told is which rule the text of a URL breaks; nothing is
// known of what the site answers (docs/decisions/2026-11-23-traps.md has the thresholds' reasons).
//
// Thread safety: pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "url/url.h"

namespace opic::url {

// The rule that is broken; of several the first one.
enum class Trap : uint8_t {
  kNone,
  kDeepPath,           // more segments than sites have
  kRepeatedSegments,   // a segment, or a run of them, again and again in a row: /a/b/a/b/a/b
  kReturningSegments,  // many segments that stood in the path before, in any order
  kManyParameters,     // of the query
  kRepeatedParameter,  // one parameter again and again: ?a=1&a=1&a=1&a=1
  kNestedEscapes,      // an escape of an escape of an escape: a URL in a URL in a URL
  kFutureDate,         // a calendar that goes on for ever
  kManyDates,          // dates below dates, in the path
  kPastDate,           // a calendar, or an archive: not certain
  kLongQuery,          // not certain
};
inline constexpr int kTraps = 11;

// Above these a rule is broken.
struct TrapLimits {
  size_t segments = 20;
  size_t repeats = 3;      // of one segment in a row, it itself counted
  size_t run_repeats = 2;  // of a run of two or more
  size_t returning = 6;  // segments that stood in the path before; not numbers, not single letters
  size_t parameters = 50;
  size_t same_name = 20;  // parameters of one name
  size_t same_value = 3;  // with one value, too, which is no number
  size_t escapes = 2;     // "%25" is one, "%2525" two
  int years_ahead = 3;    // of a calendar's month; and no more than kYearsKnown
  size_t dates = 3;       // parts of the path that name different months
  int years_back = 100;
  size_t query_bytes = 1'000;
};
// A greater number is no year: ISO 8601-01.
inline constexpr int kYearsKnown = 200;

// `year` is the present one. Time: linear in the URL for the usual limits.
Trap TrapOf(const Url& url, int year, const TrapLimits& limits = {});

// No site that people read has such URLs; the others (kPastDate, kLongQuery) some do.
bool IsCertain(Trap trap);
// For programs, e.g. "repeated_segments"; empty: kNone.
std::string_view Name(Trap trap);
// For people, e.g. "a part of its path is repeated more than 3 times in a row".
std::string Describe(Trap trap, const TrapLimits& limits = {});

// What a crawl does with such URLs. kShow: they are counted. kSkip: those that are certain are out
// of scope, too.
enum class TrapUse : uint8_t { kOff, kShow, kSkip };
std::string_view Name(TrapUse use);  // "off", "show", "skip"
std::optional<TrapUse> TrapUseFromName(std::string_view name);

}  // namespace opic::url
