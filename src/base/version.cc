#include "base/version.h"

namespace opic::base {

std::string_view Version() { return OPIC_VERSION; }

}  // namespace opic::base
