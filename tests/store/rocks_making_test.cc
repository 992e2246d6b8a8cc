#include "store/rocks_making.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "store/rocks_check.h"
#include "tests/store/opened_store.h"

namespace opic::store {
namespace {

// RocksDB numbers all files of a store together, those that it has removed again too.
int LastFileNumber(const std::string& folder) {
  int last = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const size_t digits = name.find_first_of("0123456789");
    if (digits != std::string::npos) last = std::max(last, std::stoi(name.substr(digits)));
  }
  return last;
}

// RocksDB wrote the options of all tables once more for each of them, under two numbers: more than
// half of the time that a new store took.
TEST(RocksMakingTest, TheOptionsAreNotWrittenForEachTable) {
  const std::string folder = FreshFolder();
  ASSERT_FALSE(*HoldsStore(folder));
  ASSERT_TRUE(MakeStore(folder, SmallRocks()).ok());
  EXPECT_TRUE(*HoldsStore(folder));
  EXPECT_TRUE(CheckFamilies(folder, SmallRocks()).ok());
  EXPECT_GT(LastFileNumber(folder), 0);
  EXPECT_LT(LastFileNumber(folder), 2 * kTableCount);
}

}  // namespace
}  // namespace opic::store
