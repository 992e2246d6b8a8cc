// A ranking on the wire and back, in parts that a client can take: a reply has the first pages that
// fit into it, and a token for the pages after them. The token is their number; nothing is kept of
// the ranking between two questions.
//
// Thread safety: pure.
#pragma once

#include <cstddef>

#include "absl/status/statusor.h"
#include "node/answers.h"

namespace opic::v1 {
class PageFilter;
class TopRequest;
class TopResponse;
}  // namespace opic::v1

namespace opic::rpc {

// Of a ranking, as asked for.
struct TopPart {
  size_t begin = 0, end = 10;  // places, the best page's is 0
  size_t bytes_max = 0;        // of the reply's pages

  static constexpr size_t kPlacesMax = 100'000;
  static constexpr size_t kBytesUnlessTold = 3'000'000;  // gRPC's clients take 4 MB
  static constexpr size_t kBytesMax = 60'000'000;        // ours take 64 MiB

  // InvalidArgument names the field.
  static absl::StatusOr<TopPart> Of(const v1::TopRequest& request);
};

// REQUIRES: `top` is of part.end pages.
void ToWire(const node::Answers::TopPages& top, const TopPart& part, v1::TopResponse* wire);
// Where the reply says nothing of pages that match, all are meant.
node::Answers::TopPages FromWire(const v1::TopResponse& wire);

// REQUIRES: `filter` was checked.
void ToWire(const node::PageFilter& filter, v1::PageFilter* wire);
// As typed: to be checked. InvalidArgument: no state is known by that number.
absl::StatusOr<node::PageFilter> FromWire(const v1::PageFilter& wire);

}  // namespace opic::rpc
