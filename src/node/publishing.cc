#include "node/publishing.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/quoted.h"
#include "base/status_macros.h"
#include "node/publication_memory.h"
#include "url/url.h"

namespace opic::node {
namespace {

using refresh::Publication;

PageId PageOf(const NodeParts& parts, const Publication& publication) {
  return parts.hash->PageOf(*url::Parse(publication.of));
}

absl::Status CheckScope(const NodeParts& parts, const ledger::PageRow& row) {
  const PageScope::Verdict verdict = parts.loop->Judge(row);
  if (verdict.url) return absl::OkStatus();
  if (verdict.trap != url::Trap::kNone) {
    return absl::InvalidArgumentError(absl::StrCat(
        row.url, " is out of the crawl's scope as a URL of a trap: ", url::Describe(verdict.trap),
        " (`opic control seed` takes it all the same)"));
  }
  const uint32_t depth_max = parts.loop->crawl().depth_max;
  const bool too_deep = depth_max > 0 && row.depth > depth_max;
  return absl::InvalidArgumentError(absl::StrCat(
      row.url, " is out of the crawl's scope: ",
      too_deep ? absl::StrCat("it is ", row.depth, " links from a seed, and --depth is ", depth_max)
               : "--scope excludes its host (`opic control seed` adds a host), or "
                 "--include or --exclude its URL"));
}

// True: the page was not known, and is a seed of this node now. Crawl first, remember then: a crash
// between the two repeats this, harmlessly.
absl::StatusOr<bool> SeedIfUnknown(NodeParts& parts, const Publication& publication) {
  const PageId page = PageOf(parts, publication);
  ledger::PageRow row;
  row.url = publication.of;
  const bool known = parts.ledger->books().table().Find(page).has_value();
  if (known) {
    ASSIGN_OR_RETURN(const std::optional<std::string> name,
                     parts.store->Get(store::Table::kPage, ledger::KeyOf(page)));
    if (!name) return ledger::LacksRow(page);
    ASSIGN_OR_RETURN(row, ledger::ReadPageRow(page, *name));
  }
  if (!known) RETURN_IF_ERROR(parts.CheckOrdered());
  RETURN_IF_ERROR(CheckScope(parts, row));
  if (known || !parts.ledger->moves().Workable(page.shard())) return false;
  parts.ledger->Seed({{page, row.url}});
  RETURN_IF_ERROR(parts.ledger->Commit().status());
  return true;
}

std::string Describe(const Publication& publication) {
  std::string text = absl::StrCat(refresh::DescribeTreatment(publication), ", for ",
                                  refresh::DescribeTarget(publication), " (publication ",
                                  refresh::IdText(publication.id), ", by ", publication.by);
  if (!publication.note.empty()) absl::StrAppend(&text, ": ", base::Quoted(publication.note));
  return text + ")";
}

}  // namespace

absl::StatusOr<Published> PublishOn(NodeParts& parts, const Publication& publication) {
  Publications& publications = parts.loop->published();
  ASSIGN_OR_RETURN(Publication normal, Normalised(publication));
  const absl::Time now = parts.clock.Now();
  RETURN_IF_ERROR(GiveTimes(normal, publications.publications(), now));
  Published published;
  if (publications.publications().Find(normal.id) == nullptr && normal.IsErrandOfOne()) {
    ASSIGN_OR_RETURN(published.seeded, SeedIfUnknown(parts, normal));
  }
  ASSIGN_OR_RETURN(published.added, publications.Publish(normal, now));
  if (published.added) base::LogInfo("published: {}", Describe(normal));
  return published;
}

std::vector<Publication> PublicationsOf(const NodeParts& parts) {
  std::vector<Publication> told;
  for (const auto& [id, publication] : parts.loop->published().publications().all()) {
    if (publication.IsErrandOfOne() &&
        !parts.ledger->moves().Workable(PageOf(parts, publication).shard()))
      continue;
    told.push_back(publication);
  }
  std::stable_sort(told.begin(), told.end(),
                   [](const Publication& a, const Publication& b) { return a.given < b.given; });
  return told;
}

absl::Status WithdrawFrom(NodeParts& parts, uint64_t id) {
  ASSIGN_OR_RETURN(const Publication withdrawn,
                   parts.loop->published().Withdraw(id, parts.clock.Now()));
  base::LogInfo("withdrawn: {}", Describe(withdrawn));
  return absl::OkStatus();
}

std::vector<std::string> DescribePublications(const refresh::PublicationBook& book,
                                              const url::Url& url) {
  std::vector<std::string> texts;
  const refresh::Rule rule = book.RuleFor(url.text(), url.host());
  for (const uint64_t id : {rule.treated_by, rule.sent_by}) {
    if (const Publication* const publication = book.Find(id))
      texts.push_back(Describe(*publication));
  }
  return texts;
}

}  // namespace opic::node
