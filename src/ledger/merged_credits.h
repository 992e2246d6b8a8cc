// The credits of a commit group, as its record has them.
#pragma once

#include <vector>

#include "page_table/page_table.h"

namespace opic::ledger {

// By ascending page, so that their encoding is short; each page once, with the sum of what it gets.
std::vector<page_table::Credit> MergedCredits(const std::vector<page_table::Credit>& credits);

}  // namespace opic::ledger
