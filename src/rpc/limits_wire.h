// The limits of a crawl on the wire and back.
//
// Thread safety: pure.
#pragma once

#include "node/limits.h"

namespace opic::v1 {
class SetLimitsRequest;
}

namespace opic::rpc {

void ToWire(const node::LimitChanges& changes, v1::SetLimitsRequest* wire);
node::LimitChanges FromWire(const v1::SetLimitsRequest& wire);

}  // namespace opic::rpc
