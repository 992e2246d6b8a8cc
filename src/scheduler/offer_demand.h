// When to ask the node for more pages. One question is open at a time.
//
//   nearly empty   fewer pages are queued than the low-water mark: ask at once.
//   widening       Fetches are free and no host is due: however long the queue, its pages wait for
//                  their hosts' pauses. Ask, so that other hosts do not wait with them. Answers
//                  without a new host slow the asking down gradually: a giant host may fill many
//                  answers, and a site alone in a crawl must not be read into the queue whole,
//                  ordered by today's cash. For the same reason, once four times as many hosts are
//                  queued as there are fetches, it is asked less often, and no more when the hosts
//                  have 64 pages each on average, or are 256 times as many as the fetches or
//                  100,000.
//   exhausted      the node had nothing left: ask again only after something happened, after a
//                  short pause unless nothing at all is queued.
//
// Pure.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstdint>

#include "absl/time/time.h"

namespace opic::scheduler {

class OfferDemand {
 public:
  // What is there now.
  struct Supply {
    uint64_t queued = 0;
    uint64_t hosts_queued = 0;
    uint32_t fetches_max = 0;
    bool starved = false;  // fetches are free and no host was due at the last look
  };

  // Widening stops at `queued_max`.
  OfferDemand(uint64_t low_water, uint64_t queued_max)
      : low_water_(low_water), queued_max_(queued_max) {}

  void BeginSession();
  // New pages may be known: a visit was settled, or the node says so.
  void SomethingHappened() { happened_ = true; }

  // When to ask: at once if not after now; InfiniteFuture: not before something changes.
  absl::Time When(const Supply& supply) const;
  // The question's number; it is open until Close.
  uint64_t Open();
  // The answer has come. `new_host`: some page was of a host that had none queued.
  void Close(uint64_t id, bool exhausted, bool new_host, absl::Time now);

  bool open() const { return open_; }
  // The last answer was that nothing is left, and nothing happened since the question.
  bool exhausted() const { return exhausted_ && !happened_; }

 private:
  const uint64_t low_water_;
  const uint64_t queued_max_;
  uint64_t id_ = 0;
  bool open_ = false;
  bool exhausted_ = false;
  bool happened_ = false;  // since the last question: the answer may have been worked out before it
  int barren_ = 0;         // answers in a row without a new host
  absl::Time answered_ = absl::InfinitePast();
};

}  // namespace opic::scheduler
