// The publications of a running node that reads no page again. Boosts hold for the pages to be
// discovered (attention.h); all others wait for a start with --continuous.
//
// Thread safety: confined to the ledger's thread.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "node/publications.h"
#include "refresh/publication_book.h"
#include "store/store.h"

namespace opic::node {

class IdlePublications final : public Publications {
 public:
  // What `store` remembers; it must outlive this. DataLoss: it cannot be read.
  static absl::StatusOr<std::unique_ptr<IdlePublications>> Open(store::Store& store);

  absl::StatusOr<bool> Publish(const refresh::Publication& publication, absl::Time now) override;
  absl::StatusOr<bool> Adopt(const std::vector<refresh::Publication>& told,
                             absl::Time now) override;
  absl::StatusOr<refresh::Publication> Withdraw(uint64_t id, absl::Time now) override;
  const refresh::PublicationBook& publications() const override { return book_; }

  // Once a turn: those whose time is over hold no more.
  absl::Status Step(absl::Time now);

 private:
  explicit IdlePublications(store::Store& store) : store_(store) {}
  absl::Status Keep(refresh::PublicationBook book);

  store::Store& store_;
  refresh::PublicationBook book_;
  int64_t next_expiry_ = 0;  // of book_
};

}  // namespace opic::node
