// A plan of refreshes with publications, and readings of what is due by it.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "node/publication_memory.h"
#include "tests/node/refresh_plan_fixture.h"

namespace opic::node {

using refresh::PagePlan;
using refresh::Publication;
using refresh::Target;
using refresh::Treatment;

class PublishedPlanTest : public RefreshPlanTest {
 protected:
  static constexpr RefreshOptions kOptions = {
      .pages_per_s = 0.02, .share = 1, .shortest = absl::Minutes(10)};

  void OpenWithBook(const RefreshOptions& options = kOptions) {
    Open(options);
    auto book = RecallPublications(*store_);
    ASSERT_TRUE(book.ok()) << book.status();
    ASSERT_TRUE(plan_->Follow(*std::move(book), hash_, now_).ok());
  }
  uint64_t Publish(Treatment treatment, double amount, Target target, const std::string& of,
                   int64_t until = 0) {
    Publication publication;
    publication.id = ++last_id_;
    publication.treatment = treatment;
    publication.amount = amount;
    publication.target = target;
    publication.of = of;
    publication.given = absl::ToUnixSeconds(now_);
    publication.until = until;
    const auto added = plan_->Publish(publication, now_);
    EXPECT_TRUE(added.ok() && *added) << added.status();
    CountAll();
    return publication.id;
  }
  void Withdraw(uint64_t id) {
    const auto withdrawn = plan_->Withdraw(id, now_);
    ASSERT_TRUE(withdrawn.ok()) << withdrawn.status();
    CountAll();
  }
  void CountAll() {
    do {
      ASSERT_TRUE(plan_->Step(now_).ok());
    } while (plan_->stats().counting);
  }
  // Readings of each page in so much time; each is read as soon as it is due. The first `changing`
  // pages have changed at every reading.
  std::vector<int> ReadFor(absl::Duration time, int changing = 0) {
    std::vector<int> readings(kPages, 0);
    for (const absl::Time end = now_ + time; now_ < end; now_ += absl::Minutes(1)) {
      std::vector<ledger::Visit> visits;
      for (const schedule::Candidate& candidate : plan_->TakeDue(20)) {
        const int page = number_.at(candidate.page);
        visits.push_back(Reading(page, page < changing ? ++content_ : 1));
        ++readings[static_cast<size_t>(page)];
      }
      Turn(std::move(visits));
    }
    return readings;
  }
  static int Sum(const std::vector<int>& readings) {
    return std::accumulate(readings.begin(), readings.end(), 0);
  }
  int64_t DueOf(int page) { return plan_->DueOf(PageOf(page)).value(); }
  std::vector<int64_t> AllDue() {
    std::vector<int64_t> due;
    for (int page = 0; page < kPages; ++page) due.push_back(DueOf(page));
    return due;
  }

  uint64_t last_id_ = 0, content_ = 1;
};

}  // namespace opic::node
