#include "url/trap.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "url/character_class.h"
#include "url/dates_in_url.h"

namespace opic::url {
namespace {

using Parts = std::vector<std::string_view>;

// `text` between its separators; nothing of an empty one.
Parts PartsOf(std::string_view text, char separator) {
  Parts parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// Whether `size` segments, wherever they begin, are there more than `repeats` times in a row.
bool RepeatsRun(const Parts& segments, size_t size, size_t repeats) {
  size_t alike = 0;
  for (size_t i = size; i < segments.size(); ++i) {
    // One number again and again is a folder named after a hash (/00/00/00/), or a tile.
    const bool counts = size > 1 || !IsNumber(segments[i]);
    alike = counts && segments[i] == segments[i - size] ? alike + 1 : 0;
    if (alike == size * repeats) return true;
  }
  return false;
}

bool RepeatsSegments(const Parts& segments, const TrapLimits& limits) {
  if (RepeatsRun(segments, 1, limits.repeats)) return true;
  for (size_t size = 2; size * (limits.run_repeats + 1) <= segments.size(); ++size) {
    if (RepeatsRun(segments, size, limits.run_repeats)) return true;
  }
  return false;
}

// Numbers and single letters return in tiles, dates, and folders named after a hash.
bool IsWord(std::string_view segment) { return segment.size() > 1 && !IsNumber(segment); }

size_t Returning(const Parts& segments) {
  size_t returning = 0;
  for (auto at = segments.begin(); at != segments.end(); ++at) {
    if (IsWord(*at) && std::find(segments.begin(), at, *at) != at) ++returning;
  }
  return returning;
}

Trap PathTrap(const Url& url, const TrapLimits& limits) {
  const std::string_view path = url.path().substr(1);
  if (static_cast<size_t>(std::count(path.begin(), path.end(), '/')) > limits.segments)
    return Trap::kDeepPath;
  const Parts segments = PartsOf(path, '/');
  if (segments.size() > limits.segments) return Trap::kDeepPath;
  if (RepeatsSegments(segments, limits)) return Trap::kRepeatedSegments;
  return Returning(segments) > limits.returning ? Trap::kReturningSegments : Trap::kNone;
}

bool RepeatsParameter(const Parts& parameters, const TrapLimits& limits) {
  const auto name = [](std::string_view parameter) {
    return parameter.substr(0, parameter.find('='));
  };
  for (size_t i = 0; i < parameters.size(); ++i) {
    size_t same_name = 1, same_value = 1;
    for (size_t j = i + 1; j < parameters.size(); ++j) {
      if (name(parameters[j]) == name(parameters[i])) ++same_name;
      if (parameters[j] == parameters[i]) ++same_value;
    }
    // Forms have empty fields, and lists of numbers: ?bit=1&bit=0&bit=1&bit=1&bit=1.
    const std::string_view value =
        parameters[i].substr(std::min(name(parameters[i]).size() + 1, parameters[i].size()));
    const bool says_nothing = value.empty() || IsNumber(value);
    if (same_name > limits.same_name || (!says_nothing && same_value > limits.same_value))
      return true;
  }
  return false;
}

Trap QueryTrap(std::string_view query, const TrapLimits& limits) {
  Parts parameters = PartsOf(query, '&');
  std::erase(parameters, "");
  if (parameters.size() > limits.parameters) return Trap::kManyParameters;
  return RepeatsParameter(parameters, limits) ? Trap::kRepeatedParameter : Trap::kNone;
}

bool NestsEscapes(std::string_view text, size_t most) {
  std::string nested = "%";
  for (size_t level = 0; level <= most; ++level) nested += "25";
  return text.find(nested) != std::string_view::npos;
}

Trap DateTrap(const Dates& dates, int year, const TrapLimits& limits) {
  for (const Month& month : dates.months) {
    if (dates.of_calendar && month.year > year + limits.years_ahead) return Trap::kFutureDate;
  }
  if (dates.nested > limits.dates) return Trap::kManyDates;
  for (const Month& month : dates.months) {
    if (month.year < year - limits.years_back) return Trap::kPastDate;
  }
  return Trap::kNone;
}

struct Words {
  std::string_view name;
  bool certain;
};
// In the order of the rules.
constexpr std::array<Words, kTraps> kWords = {{{"", false},
                                               {"deep_path", true},
                                               {"repeated_segments", true},
                                               {"returning_segments", true},
                                               {"many_parameters", true},
                                               {"repeated_parameter", true},
                                               {"nested_escapes", true},
                                               {"future_date", true},
                                               {"many_dates", true},
                                               {"past_date", false},
                                               {"long_query", false}}};

constexpr std::array<std::string_view, 3> kUses = {"off", "show", "skip"};

}  // namespace

Trap TrapOf(const Url& url, int year, const TrapLimits& limits) {
  const std::string_view asked = url.path_and_query();
  std::string_view query = asked.substr(url.path().size());
  if (!query.empty()) query.remove_prefix(1);  // its '?'
  if (const Trap trap = PathTrap(url, limits); trap != Trap::kNone) return trap;
  if (const Trap trap = QueryTrap(query, limits); trap != Trap::kNone) return trap;
  if (NestsEscapes(asked, limits.escapes)) return Trap::kNestedEscapes;
  const Trap of_dates = DateTrap(DatesIn(url, year + kYearsKnown), year, limits);
  if (of_dates != Trap::kNone) return of_dates;
  return query.size() > limits.query_bytes ? Trap::kLongQuery : Trap::kNone;
}

bool IsCertain(Trap trap) { return kWords.at(static_cast<size_t>(trap)).certain; }

std::string_view Name(Trap trap) { return kWords.at(static_cast<size_t>(trap)).name; }

std::string Describe(Trap trap, const TrapLimits& limits) {
  switch (trap) {
    case Trap::kNone:
      return "";
    case Trap::kDeepPath:
      return absl::StrCat("its path has more than ", limits.segments, " segments");
    case Trap::kRepeatedSegments:
      return absl::StrCat("a segment of its path is there more than ", limits.repeats,
                          " times in a row, or a run of segments more than ", limits.run_repeats,
                          " times");
    case Trap::kReturningSegments:
      return absl::StrCat("more than ", limits.returning,
                          " segments of its path stood in it before");
    case Trap::kManyParameters:
      return absl::StrCat("its query has more than ", limits.parameters, " parameters");
    case Trap::kRepeatedParameter:
      return absl::StrCat("a parameter of its query is there more than ", limits.same_value,
                          " times with one value, or more than ", limits.same_name,
                          " times in all");
    case Trap::kNestedEscapes:
      return absl::StrCat("it is escaped more than ", limits.escapes,
                          " times over, as a URL in a URL in a URL");
    case Trap::kFutureDate:
      return absl::StrCat("it names a month of a calendar more than ", limits.years_ahead,
                          " years from now");
    case Trap::kManyDates:
      return absl::StrCat("its path names more than ", limits.dates, " months");
    case Trap::kPastDate:
      return absl::StrCat("it names a month more than ", limits.years_back, " years ago");
    case Trap::kLongQuery:
      return absl::StrCat("its query has more than ", limits.query_bytes, " bytes");
  }
  return "";
}

std::string_view Name(TrapUse use) { return kUses.at(static_cast<size_t>(use)); }

std::optional<TrapUse> TrapUseFromName(std::string_view name) {
  for (const TrapUse use : {TrapUse::kOff, TrapUse::kShow, TrapUse::kSkip}) {
    if (name == Name(use)) return use;
  }
  return std::nullopt;
}

}  // namespace opic::url
