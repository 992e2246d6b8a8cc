#include "base/version.h"

namespace opic::base {

const char* Version() { return OPIC_VERSION; }

}  // namespace opic::base
