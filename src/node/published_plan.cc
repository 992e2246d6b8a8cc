// Publications in the plan of refreshes: which holds for a page, what it changes in the counts, and
// the pages that are to be read now.
#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/status_macros.h"
#include "node/publication_memory.h"
#include "node/refresh_plan.h"

namespace opic::node {
namespace {

using refresh::PagePlan;
using refresh::Publication;
using refresh::PublicationBook;
using refresh::Rule;
using refresh::Target;

constexpr size_t kErrandsPerLook = 64;
constexpr absl::Duration kErrandsEvery = absl::Seconds(1);

}  // namespace

absl::Status RefreshPlan::Follow(PublicationBook book, const url::UrlHash& hash, absl::Time now) {
  hash_ = &hash;
  std::vector<Publication> all;
  for (const auto& [id, publication] : book.all()) all.push_back(publication);
  if (all.empty()) return absl::OkStatus();
  return ChangeBook(all, std::move(book), now);
}

absl::StatusOr<bool> RefreshPlan::Publish(const Publication& publication, absl::Time now) {
  PublicationBook book = book_;
  ASSIGN_OR_RETURN(const bool added, book.Add(publication));
  if (!added) return false;
  std::vector<Publication> changed = book.BringBack(absl::ToUnixSeconds(now));
  changed.push_back(publication);
  RETURN_IF_ERROR(RememberPublications(store_, book));
  RETURN_IF_ERROR(ChangeBook(changed, std::move(book), now));
  return true;
}

absl::StatusOr<bool> RefreshPlan::Adopt(const std::vector<Publication>& told, absl::Time now) {
  PublicationBook book = book_;
  ASSIGN_OR_RETURN(std::vector<Publication> changed, AdoptInto(book, told, now));
  if (changed.empty()) return false;
  RETURN_IF_ERROR(RememberPublications(store_, book));
  RETURN_IF_ERROR(ChangeBook(changed, std::move(book), now));
  return true;
}

absl::StatusOr<Publication> RefreshPlan::Withdraw(uint64_t id, absl::Time now) {
  PublicationBook book = book_;
  const std::optional<Publication> withdrawn = book.Remove(id);
  if (!withdrawn) return NoSuchPublication(id);
  RETURN_IF_ERROR(RememberPublications(store_, book));
  RETURN_IF_ERROR(ChangeBook({*withdrawn}, std::move(book), now));
  return *withdrawn;
}

absl::StatusOr<Rule> RefreshPlan::RuleOf(PageId page) const {
  if (book_.empty() || !(book_.has_ranges() || published_.contains(page))) return Rule();
  ASSIGN_OR_RETURN(const std::optional<std::string> bytes,
                   store_.Get(store::Table::kPage, ledger::KeyOf(page)));
  if (!bytes) return Rule();
  ASSIGN_OR_RETURN(const ledger::PageRow name, ledger::ReadPageRow(page, *bytes));
  const std::optional<url::Url> url = url::Parse(name.url);
  return url ? book_.RuleFor(url->text(), url->host()) : Rule();
}

// A page of a URL is counted anew by itself; those of a prefix or host are found by a walk of all.
absl::Status RefreshPlan::ChangeBook(absl::Span<const Publication> changed, PublicationBook book,
                                     absl::Time now) {
  absl::flat_hash_map<PageId, Rule> before;
  bool all = false;
  for (const Publication& publication : changed) {
    all |= publication.target != Target::kUrl;
    const std::optional<url::Url> url = url::Parse(publication.of);
    if (all || !url) continue;
    const PageId page = hash_->PageOf(*url);
    ASSIGN_OR_RETURN(const Rule rule, RuleOf(page));
    before.try_emplace(page, rule);
  }
  book_ = std::move(book);
  published_.clear();
  errands_.clear();
  for (const auto& [id, publication] : book_.all()) {
    if (publication.target != Target::kUrl) continue;
    if (const std::optional<url::Url> url = url::Parse(publication.of))
      published_.insert(hash_->PageOf(*url));
    if (publication.IsErrandOfOne()) errands_.push_back(id);
  }
  errands_seen_ = absl::InfinitePast();
  next_expiry_ = book_.next_expiry();
  last_given_ = book_.last_given();
  if (all) return CountAnew(now);
  for (const auto& [page, rule] : before) RETURN_IF_ERROR(Recount(page, rule));
  return absl::OkStatus();
}

// Its row is the same, and what is published for it is not. REQUIRES: all groups are committed.
absl::Status RefreshPlan::Recount(PageId page, const Rule& before) {
  ASSIGN_OR_RETURN(const std::optional<std::string> bytes,
                   store_.Get(store::Table::kHistory, ledger::KeyOf(page)));
  if (!bytes || !IsCounted(page)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const ledger::HistoryRow row,
                   ledger::ReadHistoryRow(page, *bytes, ledger_.window()));
  ASSIGN_OR_RETURN(const Rule after, RuleOf(page));
  const PagePlan plan = PlanOf(row);
  Count(ShareOf(plan, before), ShareOf(plan, after));
  return AddToCalendar(page, DueIn(page, plan, after, FetchedAt(row)));
}

RefreshPlan::Share RefreshPlan::ShareOf(const PagePlan& plan, const Rule& rule) const {
  Share share;
  if (!plan.counted() || rule.never) return share;
  share.category = static_cast<size_t>(plan.category);
  share.period = rule.period;
  share.planned = !rule.fixed();
  if (share.planned) share.weight = plan.weight.Times(rule.Scale(plan));
  return share;
}

void RefreshPlan::Count(const Share& before, const Share& after) {
  if (before.period > 0) fixed_.Remove(before.period);
  if (after.period > 0) fixed_.Add(after.period);
  if (before.planned && after.planned && before.category == after.category)
    return frequencies_.Change(before.weight, after.weight, after.category);
  if (before.planned) frequencies_.Remove(before.weight, before.category);
  if (after.planned) frequencies_.Add(after.weight, after.category);
}

// The fixed periods have their part of the bandwidth before the others.
void RefreshPlan::SetAside() {
  refresh_rate_.SetFixed(fixed_.rate());
  frequencies_.SetBandwidth(refresh_rate_.planned());
  // With the rate of other nodes, whose part may change at any time.
  const bool too_much =
      refresh_rate_.fixed() > refresh_rate_.bandwidth() * (too_much_told_ ? 0.9 : 1);
  if (!std::exchange(too_much_told_, too_much) && too_much) {
    base::LogWarning(
        "pages at a fixed period (`opic publish every`) need {:.3g} fetches a second, of the "
        "{:.3g} that --rate and --refresh-share leave: all others wait for --refresh-longest",
        refresh_rate_.fixed(), refresh_rate_.bandwidth());
  }
}

// What is over or done does not hold any more. What a clock that was ahead has given counts as
// given now: pages would be read again and again until that time, or not at all.
absl::Status RefreshPlan::KeepBook(absl::Time now) {
  const int64_t second = absl::ToUnixSeconds(now);
  const bool expires = next_expiry_ > 0 && next_expiry_ <= second;
  if (errands_done_.empty() && !expires && last_given_ <= second) return absl::OkStatus();
  PublicationBook book = book_;
  std::vector<Publication> changed = book.RemoveExpired(second);
  for (const uint64_t id : std::exchange(errands_done_, {})) {
    if (std::optional<Publication> done = book.Remove(id)) changed.push_back(*std::move(done));
  }
  for (Publication& early : book.BringBack(second)) changed.push_back(std::move(early));
  if (changed.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(RememberPublications(store_, book));
  return ChangeBook(changed, std::move(book), now);
}

bool RefreshPlan::IsAtOnce(PageId page) const {
  return std::any_of(due_.begin(), due_.end(), [page](const Due& due) {
    return due.page == page && due.due == PagePlan::kAtOnce;
  });
}

// Pages of URLs that are to be read now are offered until they were visited: they may be unread,
// and in no calendar.
absl::Status RefreshPlan::LookAtErrands(absl::Time now) {
  if (errands_.empty()) return absl::OkStatus();
  if (now < errands_seen_) errands_seen_ = now;
  if (now < errands_seen_ + kErrandsEvery) return absl::OkStatus();
  errands_seen_ = now;
  const size_t looks = std::min(errands_.size(), kErrandsPerLook);
  for (size_t i = 0; i < looks; ++i) {
    next_errand_ = (next_errand_ + 1) % errands_.size();
    if (const Publication* const errand = book_.Find(errands_[next_errand_]))
      RETURN_IF_ERROR(LookAtErrand(*errand));
  }
  return absl::OkStatus();
}

absl::Status RefreshPlan::LookAtErrand(const Publication& errand) {
  const std::optional<url::Url> url = url::Parse(errand.of);
  if (!url) return absl::OkStatus();
  const PageId page = hash_->PageOf(*url);
  if (!ledger_.moves().Workable(page.shard()) || !ledger_.books().table().Find(page) ||
      IsAtOnce(page))
    return absl::OkStatus();
  ASSIGN_OR_RETURN(const bool due, IsDue({PagePlan::kAtOnce, page}));
  if (due) {
    std::rotate(due_.begin(), due_.end() - 1, due_.end());
    return absl::OkStatus();
  }
  // It may have been read by the node that had it before.
  ASSIGN_OR_RETURN(const int64_t next, DueOf(page));
  if (next != PagePlan::kAtOnce) errands_done_.push_back(errand.id);
  return absl::OkStatus();
}

}  // namespace opic::node
