// A path in the temporary folder that is the running test's own: tests run side by side.
//
// Nothing is made there, and what an earlier run has left is there still.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace opic::support {

// `what` tells several of one test apart.
inline std::string OwnPath(std::string_view what) {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  std::string name =
      std::string("opic-") + std::string(what) + "-" + test->test_suite_name() + "-" + test->name();
  std::replace(name.begin(), name.end(), '/', '-');  // of a test with parameters
  return testing::TempDir() + "/" + name;
}

}  // namespace opic::support
