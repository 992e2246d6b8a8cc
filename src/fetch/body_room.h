// Which downloads may read while the memory for answers is crowded (ByteBudget): the small ones,
// until it is full, so that large bodies, however slow, keep no page from coming; and one of the
// others, but only when nearly all of it is held by downloads, so that waiting for those who work
// on answers would be in vain.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/byte_budget.h"

namespace opic::fetch {

class Download;

class BodyRoom {
 public:
  // Null: no bound. `budget` must outlive it.
  explicit BodyRoom(base::ByteBudget* budget) : budget_(budget) {}

  base::HeldBytes Hold() { return budget_ ? base::HeldBytes(*budget_) : base::HeldBytes(); }
  // Somebody else holds more than a small part, and will give it back.
  bool others_hold() const {
    return budget_ != nullptr && budget_->held() > under_way_ + budget_->limit() / 16;
  }
  bool full() const { return budget_ != nullptr && budget_->full(); }
  bool crowded() const { return budget_ != nullptr && budget_->crowded(); }
  bool MayRead(const Download* download, uint64_t held) const {
    return budget_ == nullptr || download == reader_ || !crowded() ||
           (held <= budget_->limit() / kSmallPart && !full());
  }

  // What a download may take on the word of a header, which may be a lie: room for most pages, and
  // half of what counts as small.
  uint64_t promised_max() const {
    if (crowded()) return 0;
    return budget_ ? std::min(kPromisedMax, budget_->limit() / kSmallPart / 2) : kPromisedMax;
  }

  // The first download that may not read any more goes on, until another one is chosen.
  void Take(const Download* download, base::HeldBytes& held, uint64_t bytes) {
    under_way_ += bytes - held.bytes();
    held.Set(bytes);
    if (reader_ == nullptr && !MayRead(download, bytes)) reader_ = download;
  }
  // `download` has ended, and what it holds is handed over.
  void Left(const Download* download, const base::HeldBytes& held) {
    under_way_ -= held.bytes();
    if (reader_ == download) reader_ = nullptr;
  }
  void Choose(const Download* reader) { reader_ = reader; }  // null: nobody
  bool chosen() const { return reader_ != nullptr; }

  // How many downloads are held back.
  void HeldBack(int more) { held_back_ += more; }
  int held_back() const { return held_back_; }

 private:
  static constexpr uint64_t kSmallPart = 512;  // of the limit; 256 KB of 128 MB
  static constexpr uint64_t kPromisedMax = 128 << 10;

  base::ByteBudget* const budget_;
  const Download* reader_ = nullptr;  // goes on although it is crowded
  uint64_t under_way_ = 0;            // bytes that downloads hold
  int held_back_ = 0;
};

}  // namespace opic::fetch
