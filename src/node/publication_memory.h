// The publications that a data folder remembers: they hold over restarts.
//
// Thread safety: pure.
#pragma once

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

// Sets when it is given, and when it ends if it must. That is later than all of its target in
// `book`, so that the later command holds; RefreshPlan::Publish and RestingPublications bring back
// what lies ahead of the clock thereby. InvalidArgument: it is over already.
absl::Status GiveTimes(refresh::Publication& publication, const refresh::PublicationBook& book,
                       absl::Time now);
// With the target as the crawler writes it: a normalised URL, prefix or host. InvalidArgument says
// what is wrong, in words for whoever typed it.
absl::StatusOr<refresh::Publication> Normalised(const refresh::Publication& publication);

}  // namespace opic::node
