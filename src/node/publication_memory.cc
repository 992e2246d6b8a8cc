#include "node/publication_memory.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/damaged_folder.h"
#include "base/quoted.h"
#include "base/status_macros.h"
#include "url/host.h"
#include "url/url.h"

namespace opic::node {
namespace {

// Of "now", where nobody says when it ends: nobody counts whether all pages of a prefix or host
// were read, and a page may wait for long.
constexpr absl::Duration kErrandLasts = absl::Hours(24 * 30);
constexpr char kPublicationsKey[] = "publications";  // docs/formats/publications.md

}  // namespace

absl::StatusOr<refresh::PublicationBook> RecallPublications(store::Store& store) {
  ASSIGN_OR_RETURN(const std::optional<std::string> row,
                   store.Get(store::Table::kMeta, kPublicationsKey));
  if (!row) return refresh::PublicationBook();
  absl::StatusOr<refresh::PublicationBook> book = refresh::PublicationBook::Decode(*row);
  if (book.ok()) return book;
  return base::DamagedFolder("what `opic publish` has set cannot be read");
}

absl::Status RememberPublications(store::Store& store, const refresh::PublicationBook& book) {
  store::Batch batch;
  batch.Put(store::Table::kMeta, kPublicationsKey, book.Encode());
  return store.Write(batch, store::Sync::kYes);
}

absl::Status NoSuchPublication(uint64_t id) {
  return absl::NotFoundError("there is no publication " + refresh::IdText(id) +
                             ": `opic publish list` shows the ids");
}

absl::Status GiveTimes(refresh::Publication& publication, const refresh::PublicationBook& book,
                       absl::Time now) {
  const int64_t second = absl::ToUnixSeconds(now);
  publication.given = std::max(second, book.LastGivenFor(publication) + 1);
  if (publication.until > 0 && publication.until <= second)
    return absl::InvalidArgumentError(absl::StrCat(
        "--until ", absl::FormatTime(absl::FromUnixSeconds(publication.until), absl::UTCTimeZone()),
        ": that time is over; the node's clock says ",
        absl::FormatTime(absl::FromUnixSeconds(second), absl::UTCTimeZone())));
  if (publication.treatment == refresh::Treatment::kNow && publication.until == 0)
    publication.until = absl::ToUnixSeconds(now + kErrandLasts);
  return absl::OkStatus();
}

absl::StatusOr<refresh::Publication> Normalised(const refresh::Publication& publication) {
  refresh::Publication normal = publication;
  const bool whole =
      publication.target == refresh::Target::kUrl || publication.target == refresh::Target::kPrefix;
  url::Rejected why = url::Rejected::kNone;
  const std::optional<url::Url> url = url::Parse(
      whole ? publication.of : absl::StrCat("http://", url::Bracketed(publication.of), "/"),
      nullptr, &why);
  if (!url) {
    return absl::InvalidArgumentError(absl::StrCat(base::Quoted(publication.of), " is not a ",
                                                   whole ? "URL" : "host", ": ",
                                                   std::string(url::Name(why))));
  }
  if (!whole && (url->path_and_query() != "/" || url->authority() != url->host())) {
    return absl::InvalidArgumentError(absl::StrCat(
        base::Quoted(publication.of),
        " is not a host: it has a port, a path or a user; give it as a URL with --prefix"));
  }
  normal.of = whole ? url->text() : std::string(refresh::WithoutFinalDots(url->host()));
  RETURN_IF_ERROR(refresh::CheckPublication(normal));
  return normal;
}

absl::StatusOr<std::vector<refresh::Publication>> AdoptInto(
    refresh::PublicationBook& book, const std::vector<refresh::Publication>& told, absl::Time now) {
  const int64_t second = absl::ToUnixSeconds(now);
  std::vector<refresh::Publication> holding;
  for (const refresh::Publication& publication : told) {
    const absl::StatusOr<refresh::Publication> normal = Normalised(publication);
    if (!normal.ok() || *normal != publication) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the publication for ", base::Quoted(publication.of), " is not as a node keeps it"));
    }
    if (publication.until == 0 || publication.until > second) holding.push_back(publication);
  }
  ASSIGN_OR_RETURN(std::vector<refresh::Publication> changed, book.Adopt(holding));
  for (refresh::Publication& early : book.BringBack(second)) changed.push_back(std::move(early));
  return changed;
}

}  // namespace opic::node
