// Whose lines are in the log, where a process runs several parts that write the same ones: the
// nodes of `opic-node --nodes-here`.
//
// Thread safety: each thread has its own.
#pragma once

#include <string>
#include <utility>

namespace opic::base {

// The name that this thread's lines carry; empty: none.
const std::string& LogPart();

// The lines of this thread carry `name` as long as this lives.
class WithLogPart {
 public:
  explicit WithLogPart(std::string name);
  ~WithLogPart();
  WithLogPart(const WithLogPart&) = delete;
  WithLogPart& operator=(const WithLogPart&) = delete;

 private:
  std::string before_;
};

// What a new thread runs whose lines carry the name of those of this one.
//
//   thread_ = std::thread(base::OfThisPart([this] { Loop(); }));
template <typename Work>
auto OfThisPart(Work work) {
  return [name = LogPart(), work = std::move(work)]() mutable {
    const WithLogPart part(std::move(name));
    work();
  };
}

}  // namespace opic::base
