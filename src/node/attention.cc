#include "node/attention.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/status_macros.h"
#include "node/interest_memory.h"
#include "node/page_form.h"

namespace opic::node {
namespace {

constexpr size_t kRowsPerStep = 1000;
// The rows are looked through again when so many pages were learnt from, and one for so many known:
// each costs as many rows at most, read in their order.
constexpr uint64_t kLearntMin = 256;
constexpr uint64_t kRowsPerLearnt = 16;
// What was learnt is written again when so many pages were learnt from, and one for so many forms:
// that is some 200 bytes a page at most.
constexpr uint64_t kUnkeptMin = 64;
constexpr uint64_t kFormsPerUnkept = 16;

refresh::Factors WantedOf(const refresh::Factors& interest, double most) {
  refresh::Factors wanted{};
  for (size_t c = 0; c < wanted.size(); ++c)
    wanted[c] = most > 1 ? (interest[c] - 1) / (most - 1) : 0;
  return wanted;
}

}  // namespace

Attention::Attention(const ledger::Ledger& ledger, store::Store& store, const ClosedShards& closed,
                     const refresh::Factors& interest)
    : ledger_(ledger),
      store_(store),
      closed_(closed),
      most_interest_(*std::max_element(interest.begin(), interest.end())),
      wanted_(WantedOf(interest, most_interest_)),
      interest_(most_interest_ > 1 ? schedule::Interest::kCells : 1),
      incomplete_(most_interest_ > 1) {}

double Attention::FactorOf(const url::Url& url) const {
  double factor = 1;
  if (book_ != nullptr && !book_->empty()) factor = book_->RuleFor(url.text(), url.host()).boost;
  return factor * InterestFactorOf(url);
}

double Attention::InterestFactorOf(const url::Url& url) const {
  if (most_interest_ <= 1) return 1;
  return interest_.FactorOf(FormOf(url, wanted_), most_interest_);
}

absl::Status Attention::Recall() {
  if (most_interest_ <= 1) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::optional<std::string> row,
                   store_.Get(store::Table::kMeta, kInterestKey));
  if (!row) return absl::OkStatus();
  absl::StatusOr<std::optional<schedule::Interest>> kept = InterestFromRow(*row, wanted_);
  if (!kept.ok()) {
    base::LogError(
        "what --interest has learnt cannot be read ({}): it learns anew. No page and no cash is "
        "lost",
        std::string(kept.status().message()));
  } else if (!*kept) {
    base::LogInfo("what --interest has learnt was for other pages: it learns anew");
  } else {
    interest_ = **std::move(kept);
    base::LogInfo("--interest goes on with what it has learnt of {} forms of URLs",
                  interest_.used());
  }
  return absl::OkStatus();
}

std::optional<std::pair<std::string, std::string>> Attention::TakeRow(bool at_once) {
  const uint64_t enough = std::max<uint64_t>(kUnkeptMin, interest_.used() / kFormsPerUnkept);
  if (unkept_ == 0 || (!at_once && unkept_ < enough)) return std::nullopt;
  unkept_ = 0;
  return std::pair(std::string(kInterestKey), InterestRow(interest_, wanted_));
}

absl::Status Attention::Learn(absl::Span<const ledger::Visit> visits) {
  if (most_interest_ <= 1 || visits.empty()) return absl::OkStatus();
  std::vector<std::string> keys;
  for (const ledger::Visit& visit : visits) keys.push_back(ledger::KeyOf(visit.page));
  std::vector<std::optional<std::string>> rows, histories;
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kPage, keys, &rows));
  RETURN_IF_ERROR(store_.MultiGet(store::Table::kHistory, keys, &histories));
  for (size_t i = 0; i < visits.size(); ++i) {
    // A reading of one that was read before discovers nothing new of its kind. Of those that are
    // due again the table does not tell.
    const bool read = visits[i].at > 0 && !histories[i];
    if (!read || !rows[i]) continue;
    ASSIGN_OR_RETURN(const ledger::PageRow row, ledger::ReadPageRow(visits[i].page, *rows[i]));
    const std::optional<url::Url> url = url::Parse(row.url);
    if (!url) continue;
    const size_t category = std::min<size_t>(visits[i].category, wanted_.size() - 1);
    const bool fetched = visits[i].kind == ledger::VisitKind::kFetched;
    const double own = fetched ? wanted_[category] : 0;
    interest_.Learn(FormOf(*url, wanted_),
                    schedule::Interest::Worth(own, BestDiscovered(visits[i])));
    ++learnt_;
    ++unkept_;
  }
  return absl::OkStatus();
}

double Attention::BestDiscovered(const ledger::Visit& visit) const {
  double best = 0;
  for (const auto* links : {&visit.links, &visit.discovered}) {
    for (const ledger::Link& link : *links) {
      const bool own = ledger_.moves().Workable(link.page.shard());
      if (!own || ledger_.books().table().Find(link.page)) continue;
      if (const std::optional<url::Url> url = url::Parse(link.url))
        best = std::max(best, interest_.WorthOf(FormOf(*url, wanted_)));
    }
  }
  return best;
}

absl::Status Attention::Step() {
  const uint64_t raising = book_ == nullptr ? 0 : book_->raising();
  if (std::exchange(raising_, raising) != raising) {
    favoured_.Clear();
    look_from_.reset();
    incomplete_ = true;
  }
  const uint64_t placements = ledger_.placements().changes();
  incomplete_ |= std::exchange(placements_, placements) != placements;
  const size_t closed = closed_.all().size();
  incomplete_ |= std::exchange(shards_closed_, closed) > closed;
  if (!raises()) return absl::OkStatus();
  const uint64_t pages = ledger_.books().table().totals().pages;
  const bool outdated = learnt_ >= std::max(kLearntMin, pages / kRowsPerLearnt);
  if (!look_from_ && (outdated || (incomplete_ && favoured_.size() < kListedMax / 4))) {
    if (outdated) favoured_.Clear();  // the factors are others
    look_from_ = "";
    incomplete_ = false;
    learnt_ = 0;
  }
  return look_from_ ? LookAtSome() : absl::OkStatus();
}

absl::Status Attention::LookAtSome() {
  const std::unique_ptr<store::Cursor> rows = store_.Scan(store::Table::kPage, *look_from_);
  for (size_t seen = 0; rows->Valid() && seen < kRowsPerStep; rows->Next(), ++seen) {
    ASSIGN_OR_RETURN(const PageId page, ledger::PageOfKey(rows->key()));
    if (!CashOf(page)) continue;
    ASSIGN_OR_RETURN(const ledger::PageRow row, ledger::ReadPageRow(page, rows->value()));
    Found(page, row.url);
  }
  RETURN_IF_ERROR(rows->status());
  if (rows->Valid()) {
    look_from_ = std::string(rows->key());
  } else {
    look_from_.reset();
  }
  return absl::OkStatus();
}

void Attention::Found(PageId page, const std::string& url) {
  if (!raises()) return;
  const std::optional<url::Url> parsed = url::Parse(url);
  const double factor = parsed ? FactorOf(*parsed) : 1;
  if (factor < kFavouredFrom) return;
  favoured_.Add(page, factor, [this](PageId each) { return CashOf(each); });
  incomplete_ |= favoured_.TakeLeftOut();
}

std::vector<schedule::Candidate> Attention::Take(size_t most, cash::Amount threshold) {
  if (!raises()) return {};
  return favoured_.Take(most, threshold, [this](PageId page) { return CashOf(page); });
}

// Pages of a shard that leaves are dropped: whoever gets it lists them.
std::optional<cash::Amount> Attention::CashOf(PageId page) const {
  const std::optional<page_table::Page> known = ledger_.books().table().Find(page);
  if (!known || known->done || known->ordered || closed_.Contains(page.shard()))
    return std::nullopt;
  return std::max(known->cash.value(), cash::Amount());
}

}  // namespace opic::node
