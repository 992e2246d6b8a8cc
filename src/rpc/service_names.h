// The names of the services of proto/opic/v1, for health checks that ask for one.
//
// Thread safety: pure.
#pragma once

#include <string>
#include <vector>

namespace grpc {
class Service;
}

namespace opic::rpc {

// "opic.v1.Importance" and so on, of those among `services` that are of this package.
std::vector<std::string> NamesOf(const std::vector<grpc::Service*>& services);

}  // namespace opic::rpc
