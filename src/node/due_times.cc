#include "node/due_times.h"

namespace opic::node {
namespace {

void AddTo(DueTimes::ByCategory& sum, const DueTimes::ByCategory& other) {
  for (size_t c = 0; c < sum.size(); ++c) sum[c] += other[c];
}

}  // namespace

void DueTimes::Add(const DueTimes& other) {
  for (size_t range = 0; range < kRanges; ++range) AddTo(due[range], other.due[range]);
  AddTo(missed, other.missed);
  AddTo(stopped, other.stopped);
  AddTo(never, other.never);
}

}  // namespace opic::node
