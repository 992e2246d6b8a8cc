#include "node/resting_publications.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "node/publication_memory.h"
#include "url/page_id.h"
#include "url/url.h"

namespace opic::node {

absl::StatusOr<RestingPublications> RestingPublications::Open(const DataFolder& folder,
                                                              bool writing, absl::Time now) {
  ASSIGN_OR_RETURN(RestingLedger resting, RestingLedger::Open(folder, writing));
  RestingPublications opened(std::move(resting));
  ASSIGN_OR_RETURN(opened.book_, RecallPublications(*opened.resting_.store));
  opened.book_.RemoveExpired(absl::ToUnixSeconds(now));
  return opened;
}

absl::Status RestingPublications::Publish(const refresh::Publication& publication, absl::Time now) {
  ASSIGN_OR_RETURN(refresh::Publication normal, Normalised(publication));
  RETURN_IF_ERROR(GiveTimes(normal, book_, now));
  const ledger::Charter& charter = resting_.ledger->charter();
  const url::UrlHash hash(charter.shard_by, charter.shards);
  if (normal.IsErrandOfOne() &&
      !resting_.ledger->books().table().Find(hash.PageOf(*url::Parse(normal.of)))) {
    return absl::InvalidArgumentError(
        absl::StrCat(normal.of,
                     " is not known in this data folder: give it to `opic crawl` as a seed, or "
                     "publish it while the crawl runs"));
  }
  RETURN_IF_ERROR(book_.Add(normal).status());
  book_.BringBack(absl::ToUnixSeconds(now));
  return RememberPublications(*resting_.store, book_);
}

absl::Status RestingPublications::Withdraw(uint64_t id) {
  if (!book_.Remove(id)) return NoSuchPublication(id);
  return RememberPublications(*resting_.store, book_);
}

}  // namespace opic::node
