// What became of seeds, on the wire and back.
//
// Thread safety: pure.
#pragma once

#include "node/seed_result.h"

namespace google::protobuf {
template <typename Element>
class RepeatedPtrField;
}
namespace opic::v1 {
class SeedResult;
}

namespace opic::rpc {

using SeedResultsWire = google::protobuf::RepeatedPtrField<v1::SeedResult>;

void ToWire(const node::SeedResults& results, SeedResultsWire* wire);
node::SeedResults FromWire(const SeedResultsWire& wire);

}  // namespace opic::rpc
