// Months that a URL names, as those of calendars and archives do: /2026/11/, ?date=2026-11-23,
// ?year=2026&month=11.
//
// Thread safety: pure.
#pragma once

#include <string_view>
#include <vector>

#include "url/url.h"

namespace opic::url {

struct Month {
  int year = 0, month = 0;
  friend bool operator==(const Month&, const Month&) = default;
};

// Distinct, in the order of the text. Only years from 1000 to `year_max` count: other numbers of
// four digits are no years.
std::vector<Month> MonthsIn(const Url& url, int year_max);

}  // namespace opic::url
