// The publications of a running node: durable, and in force as soon as they are given. A plan of
// refreshes keeps them (refresh_plan.h), or, where no page is read again, IdlePublications.
//
// Thread safety: confined to the ledger's thread. Time comes in as an argument, by the wall clock.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "refresh/publication_book.h"

namespace opic::node {

class Publications {
 public:
  virtual ~Publications() = default;

  // What changes them is durable when it returns.
  //
  // False: it is there already. Errors of PublicationBook::Add.
  virtual absl::StatusOr<bool> Publish(const refresh::Publication& publication, absl::Time now) = 0;
  // What other nodes have, or the program was started with (AdoptInto). False: nothing of it is
  // new.
  virtual absl::StatusOr<bool> Adopt(const std::vector<refresh::Publication>& told,
                                     absl::Time now) = 0;
  // NotFound: there is none of this id.
  virtual absl::StatusOr<refresh::Publication> Withdraw(uint64_t id, absl::Time now) = 0;
  virtual const refresh::PublicationBook& publications() const = 0;
};

}  // namespace opic::node
