// The release: what CMakeLists.txt says, MAJOR.MINOR.
#pragma once

#include <string_view>

namespace opic::base {

std::string_view Version();

}  // namespace opic::base
