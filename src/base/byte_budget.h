// How many bytes a kind of data may take of the memory, and how many it takes now.
//
//   ByteBudget bodies(128 << 20);
//   HeldBytes held(bodies);
//   if (bodies.full()) ...;          // take no more than what must be
//   held.Set(body.capacity());       // never refused; given back when `held` goes
//
// Who adds looks at full() before, so each goes beyond the limit by one piece at most.
//
// Thread safety: ByteBudget is synchronised inside; HeldBytes is confined to one thread at a time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

namespace opic::base {

class HeldBytes;

class ByteBudget {
 public:
  explicit ByteBudget(uint64_t limit) : limit_(limit) {}
  ByteBudget(const ByteBudget&) = delete;
  ByteBudget& operator=(const ByteBudget&) = delete;

  uint64_t limit() const { return limit_; }
  uint64_t held() const;
  uint64_t peak() const;  // the most that was held at once
  bool full() const { return held() >= limit_; }
  // Seven eighths are held: the rest is for small pieces.
  bool crowded() const { return held() >= crowd(); }
  uint64_t crowd() const { return limit_ - limit_ / 8; }

  // For a thread that may wait: until all of `bytes` fits, or nothing is held; more than the limit
  // passes alone.
  HeldBytes Await(uint64_t bytes);
  // Is called whenever bytes are given back to a crowded budget, on the thread that does. It must
  // not block and not use the budget. Null: nobody; on return the one before is not called any
  // more.
  void WhenRoom(std::function<void()> call);

 private:
  friend class HeldBytes;
  void Change(uint64_t from, uint64_t to);

  const uint64_t limit_;
  mutable std::mutex mu_;
  std::condition_variable room_;
  uint64_t held_ = 0, peak_ = 0;  // under mu_, as call_
  std::function<void()> call_;
};

// Some bytes of a budget, which must outlive them. One that was moved from holds none.
class HeldBytes {
 public:
  HeldBytes() = default;
  explicit HeldBytes(ByteBudget& budget) : budget_(&budget) {}
  HeldBytes(HeldBytes&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  HeldBytes& operator=(HeldBytes&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    other.Set(0);
    return *this;
  }
  ~HeldBytes() { Set(0); }

  // Takes or gives back the difference. Without a budget nothing is held.
  void Set(uint64_t bytes);
  uint64_t bytes() const { return bytes_; }

 private:
  friend class ByteBudget;
  ByteBudget* budget_ = nullptr;
  uint64_t bytes_ = 0;
};

}  // namespace opic::base
