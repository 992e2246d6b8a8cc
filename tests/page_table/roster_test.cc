#include "page_table/roster.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/rng.h"

namespace opic::page_table {
namespace {

// Every id of `ids` is found where it lies, and none of its neighbours that are not in the roster.
void ExpectFound(std::vector<uint64_t> ids) {
  Roster roster;
  for (const uint64_t id : ids) {
    EXPECT_FALSE(roster.Find(id));
    State state;
    state.cash = cash::Cell::TowardsZero(cash::Amount(static_cast<int64_t>(id % 1024)));
    EXPECT_EQ(roster.Add(id, state).Get(), state);
  }
  EXPECT_TRUE(std::is_sorted(roster.words().begin(), roster.words().end()));
  std::sort(ids.begin(), ids.end());
  for (const uint64_t id : ids) {
    const Place place = roster.Find(id);
    ASSERT_TRUE(place) << id;
    EXPECT_EQ(place.Get().cash.value().units(), static_cast<int64_t>(id % 1024));
    for (const uint64_t beside : {id - 1, id + 1}) {
      if (beside >= kPageIdCount) continue;
      EXPECT_EQ(static_cast<bool>(roster.Find(beside)),
                std::binary_search(ids.begin(), ids.end(), beside));
    }
  }
}

TEST(RosterTest, FindsIdsThatAreSpreadEvenly) {
  base::Rng rng(1);
  for (const int pages : {1, 2, 3, 50, 1000, 4000}) {
    std::vector<uint64_t> ids(static_cast<size_t>(pages));
    for (uint64_t& id : ids) id = rng.Below(kPageIdCount);
    ExpectFound(ids);
  }
}

// Nobody promises that ids are spread evenly: whoever chooses URLs chooses hashes.
TEST(RosterTest, FindsIdsThatLieElsewhereThanTheirShare) {
  std::vector<uint64_t> low, high, both;
  for (uint64_t i = 0; i < 1500; ++i) {
    low.push_back(i);
    high.push_back(kPageIdCount - 1 - 2 * i);
    both.push_back(i % 2 == 0 ? 3 * i : kPageIdCount / 2 + i);
  }
  ExpectFound(low);
  ExpectFound(high);
  ExpectFound(both);
}

}  // namespace
}  // namespace opic::page_table
