// What is said of restating, and of what is crawled, on the wire (proto/opic/v1/control.proto).
//
// Thread safety: pure.
#pragma once

#include "absl/status/statusor.h"
#include "node/crawl_order.h"
#include "node/running_restatement.h"

namespace opic::v1 {
class BeginCrawlRequest;
class CrawlOrderResponse;
class EndRestatingResponse;
}  // namespace opic::v1

namespace opic::rpc {

void ToWire(const node::CrawlOrder& order, v1::BeginCrawlRequest* wire);
// Without `again`: that was said once.
void ToWire(const node::CrawlOrder& order, v1::CrawlOrderResponse* wire);
// InvalidArgument: a rule for hosts without a name, or with a negative delay; a publication with a
// treatment or target that this release does not know.
absl::StatusOr<node::CrawlOrder> FromWire(const v1::BeginCrawlRequest& wire);
absl::StatusOr<node::CrawlOrder> FromWire(const v1::CrawlOrderResponse& wire);
void ToWire(const node::RestatedPart& part, v1::EndRestatingResponse* wire);
node::RestatedPart FromWire(const v1::EndRestatingResponse& wire);

}  // namespace opic::rpc
