// What an operator has published of pages (thesis 5.1): how they are to be visited, whatever the
// plan of refreshes finds best.
//
// A publication is for one URL, for all URLs that begin with a text (a prefix), for a host, or for
// a host and its subdomains. The most specific one that fits a page holds: URL before the
// longest prefix before host before the longest domain; of two with the same target the one given
// last. "Now" is an errand and no treatment: it is carried out once, and hides no other; a "never"
// of a more specific target keeps a page from it.
//
// Thread safety: pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "refresh/page_plan.h"

namespace opic::refresh {

// The numbers of both stand on disk (docs/formats/publications.md).
enum class Treatment : uint8_t {
  kNow = 0,    // once, at once, before all others
  kNever = 1,  // not read again
  kEvery = 2,  // at a fixed period, whose bandwidth is set aside
  kRate = 3,   // planned with a given change rate, not the estimated one
  kBoost = 4,  // planned with a multiple of its importance
};
inline constexpr size_t kTreatments = 5;
// "now", "never", "every", "rate", "boost".
std::string_view NameOf(Treatment treatment);
std::optional<Treatment> TreatmentNamed(std::string_view name);

enum class Target : uint8_t {
  kUrl = 0,
  kPrefix = 1,  // of the whole normalised URL, byte by byte
  kHost = 2,
  kDomain = 3,  // a host and its subdomains
};
inline constexpr size_t kTargets = 4;
// "url", "prefix", "host", "domain".
std::string_view NameOf(Target target);
std::optional<Target> TargetNamed(std::string_view name);

struct Publication {
  static constexpr uint64_t kIdMax = (uint64_t{1} << 40) - 1;
  static constexpr size_t kTextMax = 2048;  // bytes of `of`
  static constexpr size_t kWordsMax = 256;  // bytes of `by` and of `note`, each
  static constexpr double kPeriodMax = 10 * 366 * 86'400.0;
  static constexpr double kChangeRateMax = 1;  // changes a second; at least one in kPeriodMax
  static constexpr double kBoostMin = 1e-3, kBoostMax = 1e6;

  uint64_t id = 0;  // 1 to kIdMax, drawn by whoever publishes
  Treatment treatment = Treatment::kNow;
  double amount = 0;  // kEvery: whole seconds; kRate: changes a second; kBoost: the factor; else 0
  Target target = Target::kUrl;
  std::string of;     // normalised URL, prefix, or host
  std::string by;     // who gave it
  int64_t given = 0;  // Unix seconds
  int64_t until = 0;  // Unix seconds from which on it does not hold; 0: it holds until withdrawn
  std::string note;

  // A page is to be read now, and not those of a prefix or host.
  bool IsErrandOfOne() const { return treatment == Treatment::kNow && target == Target::kUrl; }
  bool HasTargetOf(const Publication& other) const {
    return target == other.target && of == other.of;
  }
  // It asks for the same, whoever gave it, when, and until when.
  bool AsksTheSame(const Publication& other) const;
  friend bool operator==(const Publication&, const Publication&) = default;
};

// InvalidArgument: a number or a text is out of the bounds above, or a text is not UTF-8; says
// which.
absl::Status CheckPublication(const Publication& publication);

// "every 1h", "now", "boost 10", …
std::string DescribeTreatment(const Publication& publication);
// "http://a.test/b", "all of http://a.test/b*", "host a.test", "host a.test and its subdomains".
std::string DescribeTarget(const Publication& publication);
// The id as people and programs write it: ten hexadecimal digits.
std::string IdText(uint64_t id);
std::optional<uint64_t> IdOf(std::string_view text);

// What all publications together ask for a page. Nothing is published for a page of a default Rule.
struct Rule {
  bool never = false;
  int64_t period = 0;     // seconds; 0: none
  int64_t period_at = 0;  // Unix seconds: since when the period holds
  double rate = 0;        // changes a second; 0: as estimated
  double boost = 1;       // on the importance
  // A page that was read before that (Unix seconds) is to be read now; 0: none is.
  int64_t read_since = 0;
  bool errand = false;  // this very page is, also when it was not read, or was not there
  uint64_t treated_by = 0, sent_by = 0;  // ids of the treatment, of the errand; 0: none

  // What a page's weight (RefreshWeight) and its frequency are multiplied by. A rate has no effect
  // on a plan that does not know with what rate it was made.
  double Scale(const PagePlan& plan) const;
  bool fixed() const { return period > 0; }
};

// When a page of a fixed period is due again: on a grid of its own, so that lateness does not add
// up and the pages of a prefix or host are spread over the period; at least half a period after its
// last reading.
int64_t FixedDue(int64_t fetched_at, const Rule& rule, uint64_t page_word);

}  // namespace opic::refresh
