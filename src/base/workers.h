// Some threads that work on one thing and end.
#pragma once

#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace opic::base {

// Calls work(worker) for workers 0 to `workers` - 1, worker 0 on this thread, and waits for all.
// The error of the first worker that had one. REQUIRES: workers > 0.
template <typename Work>
absl::Status OnWorkers(uint32_t workers, const Work& work) {
  std::vector<absl::Status> results(workers);
  std::vector<std::thread> threads;
  for (uint32_t worker = 1; worker < workers; ++worker) {
    threads.emplace_back([&, worker] { results[worker] = work(worker); });
  }
  results[0] = work(0);
  for (std::thread& thread : threads) thread.join();
  for (absl::Status& result : results) {
    if (!result.ok()) return std::move(result);
  }
  return absl::OkStatus();
}

}  // namespace opic::base
