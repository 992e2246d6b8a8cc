#include "node/export.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "base/status_macros.h"

namespace opic::node {

// The pages of all parts in one order, each once.
class Export::Merged {
 public:
  explicit Merged(absl::Span<const std::unique_ptr<CrawlPart>> parts) {
    for (const auto& part : parts) heads_.push_back({part->Read(), {}, false});
  }

  absl::Status Begin() {
    for (Head& head : heads_) RETURN_IF_ERROR(Advance(head));
    return absl::OkStatus();
  }

  // False: there are no more. The record holds until the next call.
  absl::StatusOr<bool> Next(PageRecord& page) {
    Head* first = nullptr;
    for (Head& head : heads_) {
      if (head.there && (first == nullptr || head.page.page < first->page.page)) first = &head;
    }
    if (first == nullptr) return false;
    std::swap(page, first->page);
    RETURN_IF_ERROR(Advance(*first));
    for (Head& head : heads_) {
      if (!head.there || head.page.page != page.page) continue;
      ++twice_;
      RETURN_IF_ERROR(Advance(head));
    }
    return true;
  }
  uint64_t twice() const { return twice_; }

 private:
  struct Head {
    std::unique_ptr<PageReader> reader;
    PageRecord page;
    bool there = false;
  };
  static absl::Status Advance(Head& head) {
    ASSIGN_OR_RETURN(head.there, head.reader->Next(head.page));
    return absl::OkStatus();
  }

  std::vector<Head> heads_;
  uint64_t twice_ = 0;
};

absl::StatusOr<std::unique_ptr<Export>> Export::Open(
    std::vector<std::unique_ptr<CrawlPart>> parts) {
  std::unique_ptr<Export> opened(new Export(std::move(parts)));
  opened->LookAtHeads();
  RETURN_IF_ERROR(opened->ReadWords());
  if (opened->parts_.front()->head().in_cluster) RETURN_IF_ERROR(opened->FindElsewhere());
  return opened;
}

void Export::LookAtHeads() {
  uint16_t nodes = 1;
  for (const auto& part : parts_) {
    const PartHead& head = part->head();
    nodes = std::max({nodes, head.nodes, static_cast<uint16_t>(head.node.value + 1)});
    totals_.pages += head.totals.pages;
    totals_.unread_pages += head.totals.unread_pages;
    totals_.reread += head.totals.reread;
    totals_.history += head.totals.history;
    totals_.unread += head.totals.unread;
    totals_.read += head.totals.read;
    clock_supplies_ = std::max(clock_supplies_, head.clock_supplies);
  }
  if (!parts_.front()->head().in_cluster) return;
  for (uint16_t node = 0; node < nodes; ++node) {
    const bool there = std::any_of(parts_.begin(), parts_.end(), [&](const auto& part) {
      return part->head().node == NodeId{node};
    });
    if (!there) missing_.push_back(NodeId{node});
  }
}

absl::Status Export::ReadWords() {
  Merged pages(parts_);
  RETURN_IF_ERROR(pages.Begin());
  PageRecord page;
  while (true) {
    ASSIGN_OR_RETURN(const bool there, pages.Next(page));
    if (!there) break;
    words_.push_back(page.page.word());
    visits_ += page.visits;
    estimate_sum_ += EstimateOf(page);
  }
  twice_ = pages.twice();
  return absl::OkStatus();
}

absl::Status Export::FindElsewhere() {
  Merged pages(parts_);
  RETURN_IF_ERROR(pages.Begin());
  absl::flat_hash_set<uint64_t> found;
  PageRecord page;
  while (true) {
    ASSIGN_OR_RETURN(const bool there, pages.Next(page));
    if (!there) break;
    for (const PageId link : page.links) {
      if (NumberOf(link)) continue;
      found.insert(link.word());
      ++links_elsewhere_;
    }
  }
  elsewhere_.assign(found.begin(), found.end());
  std::sort(elsewhere_.begin(), elsewhere_.end());
  return absl::OkStatus();
}

double Export::EstimateOf(const PageRecord& record) const {
  const PartHead& head = parts_.front()->head();
  if (!whole() || head.method != importance::Method::kPush) return record.importance;
  return importance::PushEstimate(record.history, record.cash, totals_, head.epsilon);
}

absl::Status Export::ForEach(absl::FunctionRef<absl::Status(const ExportedPage&)> take) {
  Merged pages(parts_);
  RETURN_IF_ERROR(pages.Begin());
  ExportedPage out;
  for (out.number = 0;; ++out.number) {
    ASSIGN_OR_RETURN(const bool there, pages.Next(out.record));
    if (!there) break;
    out.estimate = EstimateOf(out.record);
    out.importance = whole() && estimate_sum_ > 0 ? out.estimate / estimate_sum_ : out.estimate;
    out.links.clear();
    for (const PageId link : out.record.links) {
      if (const std::optional<uint32_t> number = NumberOf(link)) out.links.push_back(*number);
    }
    RETURN_IF_ERROR(take(out));
  }
  return TakeElsewhere(take);
}

absl::Status Export::TakeElsewhere(
    absl::FunctionRef<absl::Status(const ExportedPage&)> take) const {
  ExportedPage out;
  out.known = false;
  out.record.state = kKnownElsewhere;
  out.number = pages();
  for (const uint64_t word : elsewhere_) {
    out.record.page = PageId::FromWord(word);
    RETURN_IF_ERROR(take(out));
    ++out.number;
  }
  return absl::OkStatus();
}

std::optional<uint32_t> Export::NumberOf(PageId page) const {
  const std::vector<uint64_t>* all[] = {&words_, &elsewhere_};
  uint32_t before = 0;
  for (const std::vector<uint64_t>* words : all) {
    const auto at = std::lower_bound(words->begin(), words->end(), page.word());
    if (at != words->end() && *at == page.word()) {
      return before + static_cast<uint32_t>(at - words->begin());
    }
    before = pages();
  }
  return std::nullopt;
}

double Export::visits_per_page() const {
  return words_.empty() ? 0 : static_cast<double>(visits_) / static_cast<double>(words_.size());
}

}  // namespace opic::node
