// Sites and what their pages add up to, on the wire and back.
//
// Thread safety: pure.
#pragma once

#include "absl/status/statusor.h"
#include "node/answers.h"

namespace opic::v1 {
class SitesResponse;
class SitesRequest;
}  // namespace opic::v1

namespace opic::rpc {

inline constexpr size_t kSitesMax = 5'000;  // in an answer

void ToWire(const node::SitesQuery& query, v1::SitesRequest* wire);
// InvalidArgument names the field.
absl::StatusOr<node::SitesQuery> FromWire(const v1::SitesRequest& wire);

// As many of the sites as gRPC's clients take.
void ToWire(const node::TopSites& top, v1::SitesResponse* wire);
node::TopSites FromWire(const v1::SitesResponse& wire);

}  // namespace opic::rpc
