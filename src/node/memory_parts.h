// What a running node's parts take of its memory, as far as they grow with what strangers send
// (MemoryPlan). This is the one list: the wire, the sum over a cluster, `opic status` and `opic
// metrics` walk it.
//
// Thread safety: a value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace opic::node {

struct MemoryUse {
  uint64_t bytes = 0, limit = 0;
  uint64_t peak = 0;  // 0: not known
};

enum class MemoryPart : uint8_t { kBodies, kReports, kRobots };
inline constexpr std::string_view kMemoryPartKeys[] = {"bodies", "reports", "robots"};
inline constexpr size_t kMemoryParts = std::size(kMemoryPartKeys);

struct MemoryParts {
  uint64_t limit = 0;  // --memory; 0: not known
  std::array<MemoryUse, kMemoryParts> parts;
  MemoryUse& operator[](MemoryPart part) { return parts[static_cast<size_t>(part)]; }

  MemoryParts& operator+=(const MemoryParts& other) {
    limit += other.limit;
    for (size_t i = 0; i < kMemoryParts; ++i) {
      parts[i].bytes += other.parts[i].bytes;
      parts[i].limit += other.parts[i].limit;
      parts[i].peak += other.parts[i].peak;
    }
    return *this;
  }
};

}  // namespace opic::node
