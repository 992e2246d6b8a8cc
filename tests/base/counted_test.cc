#include "base/counted.h"

#include <gtest/gtest.h>

namespace opic::base {
namespace {

TEST(CountedTest, OneIsNotMany) {
  EXPECT_EQ(Counted(0, "page"), "0 pages");
  EXPECT_EQ(Counted(1, "page"), "1 page");
  EXPECT_EQ(Counted(2, "page"), "2 pages");
  EXPECT_EQ(Counted(1, "try", "tries"), "1 try");
  EXPECT_EQ(Counted(3, "try", "tries"), "3 tries");
}

}  // namespace
}  // namespace opic::base
