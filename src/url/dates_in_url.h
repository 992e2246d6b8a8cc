// Months that a URL names, as those of calendars and archives do: /2026/11/, ?date=2026-11-23,
// ?year=2026&month=11.
//
// Thread safety: pure.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "url/url.h"

namespace opic::url {

struct Month {
  int year = 0, month = 0;
  friend bool operator==(const Month&, const Month&) = default;
};

struct Dates {
  std::vector<Month> months;  // distinct, in the order of the text
  size_t nested = 0;          // parts of the path that name a month which stood in none before
  // The URL says that the months are a calendar's: a segment of the path is called so
  // (/calendar/, /events/, cal.php), or a parameter is (?date=, ?year=2026&month=11, ?m=202611).
  // Otherwise they may be two numbers beside each other: topic 2045, page 10.
  bool of_calendar = false;
};

// Only years from 1000 to `year_max` count: other numbers of four digits are no years.
Dates DatesIn(const Url& url, int year_max);

}  // namespace opic::url
