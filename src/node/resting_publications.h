// The publications of a folder that no process uses: they hold from its next start on.
//
// Thread safety: confined to one thread. The folder must outlive it.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "node/data_folder.h"
#include "node/resting_ledger.h"
#include "refresh/publication_book.h"

namespace opic::node {

class RestingPublications {
 public:
  // What is over is left out. With `writing` false, nothing is written and only `book` may be asked
  // for.
  static absl::StatusOr<RestingPublications> Open(const DataFolder& folder, bool writing,
                                                  absl::Time now);

  const refresh::PublicationBook& book() const { return book_; }
  // As Control::Publish, but `by` is the caller's to set; a URL that is to be read now must be
  // known.
  absl::Status Publish(const refresh::Publication& publication, absl::Time now);
  // NotFound: there is none of this id.
  absl::Status Withdraw(uint64_t id);

 private:
  explicit RestingPublications(RestingLedger resting) : resting_(std::move(resting)) {}

  RestingLedger resting_;
  refresh::PublicationBook book_;
};

}  // namespace opic::node
