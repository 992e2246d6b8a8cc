#include "http/flow.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace opic::http {

Flow::Flow(std::function<void()> wanted, std::function<void()> gone)
    : wanted_(std::move(wanted)), gone_(std::move(gone)) {}

void Flow::Wake() {
  if (wake_) std::exchange(wake_, nullptr)();
}

void Flow::Add(std::string part) {
  const absl::MutexLock lock(&mu_);
  part_.erase(0, std::exchange(taken_, 0));
  part_ += part;
  Wake();
}

void Flow::End() {
  const absl::MutexLock lock(&mu_);
  ended_ = true;
  Wake();
}

std::optional<size_t> Flow::Take(char* to, size_t room, const std::function<void()>& sleep,
                                 std::function<void()> wake) {
  {
    const absl::MutexLock lock(&mu_);
    if (taken_ < part_.size()) {
      const size_t bytes = std::min(room, part_.size() - taken_);
      std::memcpy(to, part_.data() + taken_, bytes);
      taken_ += bytes;
      return bytes;
    }
    part_ = {};
    taken_ = 0;
    if (ended_) return std::nullopt;
    sleep();
    wake_ = std::move(wake);
  }
  wanted_();
  return 0;
}

bool Flow::asleep() const {
  const absl::MutexLock lock(&mu_);
  return wake_ != nullptr;
}

size_t Flow::bytes() const {
  const absl::MutexLock lock(&mu_);
  return part_.capacity();
}

void Flow::Close() {
  const absl::MutexLock lock(&mu_);
  wake_ = nullptr;
}

}  // namespace opic::http
