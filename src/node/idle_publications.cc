#include "node/idle_publications.h"

#include <utility>

#include "base/status_macros.h"
#include "node/publication_memory.h"

namespace opic::node {

using refresh::Publication;
using refresh::PublicationBook;

absl::StatusOr<std::unique_ptr<IdlePublications>> IdlePublications::Open(store::Store& store) {
  std::unique_ptr<IdlePublications> idle(new IdlePublications(store));
  ASSIGN_OR_RETURN(idle->book_, RecallPublications(store));
  idle->next_expiry_ = idle->book_.next_expiry();
  return idle;
}

absl::StatusOr<bool> IdlePublications::Publish(const Publication& publication, absl::Time now) {
  PublicationBook book = book_;
  ASSIGN_OR_RETURN(const bool added, book.Add(publication));
  if (!added) return false;
  book.BringBack(absl::ToUnixSeconds(now));
  RETURN_IF_ERROR(Keep(std::move(book)));
  return true;
}

absl::StatusOr<bool> IdlePublications::Adopt(const std::vector<Publication>& told, absl::Time now) {
  PublicationBook book = book_;
  ASSIGN_OR_RETURN(const std::vector<Publication> changed, AdoptInto(book, told, now));
  if (changed.empty()) return false;
  RETURN_IF_ERROR(Keep(std::move(book)));
  return true;
}

absl::StatusOr<Publication> IdlePublications::Withdraw(uint64_t id, absl::Time /*now*/) {
  PublicationBook book = book_;
  std::optional<Publication> withdrawn = book.Remove(id);
  if (!withdrawn) return NoSuchPublication(id);
  RETURN_IF_ERROR(Keep(std::move(book)));
  return *std::move(withdrawn);
}

absl::Status IdlePublications::Step(absl::Time now) {
  if (next_expiry_ == 0 || absl::ToUnixSeconds(now) < next_expiry_) return absl::OkStatus();
  PublicationBook book = book_;
  book.RemoveExpired(absl::ToUnixSeconds(now));
  return Keep(std::move(book));
}

absl::Status IdlePublications::Keep(PublicationBook book) {
  RETURN_IF_ERROR(RememberPublications(store_, book));
  book_ = std::move(book);
  next_expiry_ = book_.next_expiry();
  return absl::OkStatus();
}

}  // namespace opic::node
