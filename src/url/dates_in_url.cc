#include "url/dates_in_url.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "url/character_class.h"

namespace opic::url {
namespace {

constexpr int kYearMin = 1000;
constexpr size_t kYearDigits = 4, kMonthDigits = 2, kDateDigits = 8, kYearMonthDigits = 6;

// REQUIRES: digits, at most eight of them.
int Value(std::string_view digits) {
  int value = 0;
  for (const char digit : digits) value = value * 10 + (digit - '0');
  return value;
}

class Months {
 public:
  explicit Months(int year_max) : year_max_(year_max) {}

  // Whether both are numbers that can be meant so.
  bool Add(std::string_view year, std::string_view month) {
    if (year.size() != kYearDigits || !IsNumber(year) || month.size() > kMonthDigits ||
        !IsNumber(month)) {
      return false;
    }
    const Month added{Value(year), Value(month)};
    if (added.year < kYearMin || added.year > year_max_ || added.month < 1 || added.month > 12)
      return false;
    if (std::find(found_.begin(), found_.end(), added) == found_.end()) found_.push_back(added);
    return true;
  }
  size_t size() const { return found_.size(); }
  std::vector<Month> Found() && { return std::move(found_); }

 private:
  const int year_max_;
  std::vector<Month> found_;
};

// "2026-11" and "2026_11" wherever they stand by themselves in `text`.
void FindDashed(std::string_view text, Months& months) {
  for (size_t at = 0; at < text.size();) {
    if (!IsDigit(text[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < text.size() && IsDigit(text[end])) ++end;
    const std::string_view year = text.substr(at, end - at);
    const bool alone = at == 0 || !internal::IsAlphanumeric(text[at - 1]);
    at = end;
    if (!alone || year.size() != kYearDigits || end >= text.size()) continue;
    if (text[end] != '-' && text[end] != '_') continue;
    size_t month_end = end + 1;
    while (month_end < text.size() && IsDigit(text[month_end])) ++month_end;
    const std::string_view month = text.substr(end + 1, month_end - end - 1);
    const bool apart = month_end == text.size() || !internal::IsAlphanumeric(text[month_end]);
    if (apart && month.size() == kMonthDigits && months.Add(year, month)) at = month_end;
  }
}

std::string Lowered(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  return lower;
}

// "calendar", "events", "cal.php".
bool IsOfCalendar(std::string_view segment) {
  static constexpr std::string_view kWords[] = {"agenda",     "cal",        "calendar",
                                                "calendario", "calendrier", "event",
                                                "events",     "kalender",   "termine"};
  const std::string name = Lowered(segment.substr(0, segment.find('.')));
  return std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

// "/2026/11" and "/2026/3/14": a month of one digit needs a day, or section 3 of RFC 2119 is one.
void FindInPath(std::string_view path, Months& months, Dates& dates) {
  std::array<std::string_view, 3> last;  // segments, the latest one last
  size_t known = 0;
  const auto count = [&] { dates.nested += std::exchange(known, months.size()) < months.size(); };
  const auto look = [&] {
    if (last[1].size() == kMonthDigits || (IsNumber(last[2]) && last[2].size() <= 2))
      months.Add(last[0], last[1]);
    count();
  };
  for (size_t at = 1; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    last = {last[1], last[2], path.substr(at, end - at)};
    look();
    FindDashed(last[2], months);
    count();
    if (IsOfCalendar(last[2])) dates.of_calendar = true;
    at = end + 1;
  }
  last = {last[1], last[2], ""};
  look();
}

bool IsYearName(std::string_view name) {
  return name.ends_with("year") || name == "yr" || name == "y";
}
bool IsMonthName(std::string_view name) {
  return name.ends_with("month") || name == "mon" || name == "mo" || name == "m";
}
bool IsDateName(std::string_view name) {
  return name.ends_with("date") || name.ends_with("day") || name.ends_with("month");
}
// WordPress has ?m=202611.
bool IsNameOfRun(std::string_view name) { return IsDateName(name) || name == "m" || name == "ym"; }

void FindInQuery(std::string_view query, Months& months, Dates& dates) {
  std::string_view year, month;
  bool named = false;  // "year", not "y", which may be a height
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view parameter = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const size_t equals = std::min(parameter.find('='), parameter.size());
    const std::string name = Lowered(parameter.substr(0, equals));
    const std::string_view value = parameter.substr(std::min(equals + 1, parameter.size()));
    const size_t before = months.size();
    if (IsYearName(name)) year = value, named = name.ends_with("year");
    if (IsMonthName(name)) month = value;
    const bool run = value.size() == kDateDigits || value.size() == kYearMonthDigits;
    if (IsNameOfRun(name) && run && IsNumber(value))
      months.Add(value.substr(0, kYearDigits), value.substr(kYearDigits, kMonthDigits));
    FindDashed(value, months);
    if (IsNameOfRun(name) && months.size() > before) dates.of_calendar = true;
  }
  if (months.Add(year, month) && named) dates.of_calendar = true;
}

}  // namespace

Dates DatesIn(const Url& url, int year_max) {
  Dates dates;
  Months months(year_max);
  const std::string_view path = url.path();
  std::string_view query = url.path_and_query().substr(path.size());
  if (!query.empty()) query.remove_prefix(1);  // its '?'
  FindInPath(path, months, dates);
  FindInQuery(query, months, dates);
  dates.months = std::move(months).Found();
  return dates;
}

}  // namespace opic::url
