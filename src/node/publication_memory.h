// The publications that a data folder remembers: they hold over restarts.
//
// Thread safety: pure.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "refresh/publication_book.h"
#include "store/store.h"

namespace opic::node {

// None is remembered yet: an empty book. DataLoss: they cannot be read.
absl::StatusOr<refresh::PublicationBook> RecallPublications(store::Store& store);
// Durable when it returns.
absl::Status RememberPublications(store::Store& store, const refresh::PublicationBook& book);

// Sets `given`, and `until` of a "now" that has none. `given` is later than that of all others in
// `book` with its target, so that the later command holds; it may lie ahead of the clock by that,
// and RefreshPlan::Publish and RestingPublications bring it back. InvalidArgument: `until` is over.
absl::Status GiveTimes(refresh::Publication& publication, const refresh::PublicationBook& book,
                       absl::Time now);
// PublicationBook::Adopt of what other nodes have and is not over; what a clock that was ahead has
// given is brought back. Returns those that have changed. InvalidArgument: one that no node would
// have.
absl::StatusOr<std::vector<refresh::Publication>> AdoptInto(
    refresh::PublicationBook& book, const std::vector<refresh::Publication>& told, absl::Time now);
// NotFound, in words.
absl::Status NoSuchPublication(uint64_t id);
// With the target as the crawler writes it: a normalised URL, prefix or host. InvalidArgument: the
// message is for whoever typed it.
absl::StatusOr<refresh::Publication> Normalised(const refresh::Publication& publication);

}  // namespace opic::node
