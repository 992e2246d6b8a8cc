// The release: what CMakeLists.txt says, MAJOR.MINOR.
#pragma once

namespace opic::base {

const char* Version();

}  // namespace opic::base
