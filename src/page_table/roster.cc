#include "page_table/roster.h"

#include <algorithm>

namespace opic::page_table {

uint64_t Roster::LowerBound(uint64_t id) const {
  const auto found = std::lower_bound(words_.begin(), words_.end(), id << State::kBits);
  return static_cast<uint64_t>(found - words_.begin());
}

Place Roster::Find(uint64_t id) {
  const uint64_t index = LowerBound(id);
  const bool known = index < words_.size() && words_[index] >> State::kBits == id;
  return known ? PlaceOf(index) : Place();
}

Place Roster::Add(uint64_t id, State state) {
  // A quarter more at a time: the vector's own doubling would cost 16 bytes a page.
  if (words_.size() == words_.capacity()) words_.reserve(words_.size() + words_.size() / 4 + 4);
  const uint64_t index = LowerBound(id);
  words_.insert(words_.begin() + static_cast<ptrdiff_t>(index), id << State::kBits | state.bits());
  return PlaceOf(index);
}

}  // namespace opic::page_table
