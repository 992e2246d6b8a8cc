#include "base/byte_budget.h"

#include <algorithm>

namespace opic::base {

uint64_t ByteBudget::held() const {
  const std::lock_guard<std::mutex> lock(mu_);
  return held_;
}

uint64_t ByteBudget::peak() const {
  const std::lock_guard<std::mutex> lock(mu_);
  return peak_;
}

HeldBytes ByteBudget::Await(uint64_t bytes) {
  HeldBytes held(*this);
  std::unique_lock<std::mutex> lock(mu_);
  room_.wait(lock, [&] { return held_ == 0 || held_ + bytes <= limit_; });
  held_ += bytes;
  peak_ = std::max(peak_, held_);
  held.bytes_ = bytes;
  return held;
}

void ByteBudget::WhenRoom(std::function<void()> call) {
  const std::lock_guard<std::mutex> lock(mu_);
  call_ = std::move(call);
}

void ByteBudget::Change(uint64_t from, uint64_t to) {
  const std::lock_guard<std::mutex> lock(mu_);
  const bool was_crowded = held_ >= crowd();
  held_ += to - from;
  peak_ = std::max(peak_, held_);
  if (to >= from) return;
  room_.notify_all();
  if (was_crowded && call_) call_();
}

void HeldBytes::Set(uint64_t bytes) {
  if (budget_ == nullptr || bytes == bytes_) return;
  budget_->Change(bytes_, bytes);
  bytes_ = bytes;
}

}  // namespace opic::base
