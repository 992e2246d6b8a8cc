#include "page_table/roster.h"

#include <algorithm>

namespace opic::page_table {

namespace {

// How far from the guess is looked one by one. The ids of a crawl are rarely farther; crafted ones
// may be.
constexpr uint64_t kNear = 32;

}  // namespace

uint64_t Roster::LowerBound(uint64_t id, uint64_t guess) const {
  const uint64_t word = id << State::kBits;
  const uint64_t first = guess - std::min(guess, kNear), last = std::min(guess + kNear, size());
  uint64_t index = guess;
  while (index > first && words_[index - 1] >= word) --index;
  while (index < last && words_[index] < word) ++index;
  const bool found =
      (index == 0 || words_[index - 1] < word) && (index == size() || words_[index] >= word);
  if (found) return index;
  const auto bound = std::lower_bound(words_.begin(), words_.end(), word);
  return static_cast<uint64_t>(bound - words_.begin());
}

uint64_t Roster::LowerBound(uint64_t id) const {
  return words_.empty() ? 0 : LowerBound(id, SecondGuess(id, Guess(id)));
}

Place Roster::FindNear(uint64_t id, uint64_t guess) {
  const uint64_t index = LowerBound(id, guess);
  const bool known = index < size() && words_[index] >> State::kBits == id;
  return known ? PlaceOf(index) : Place();
}

Place Roster::Find(uint64_t id) {
  return words_.empty() ? Place() : FindNear(id, SecondGuess(id, Guess(id)));
}

Place Roster::Add(uint64_t id, State state) {
  // A quarter more at a time: the vector's own doubling would cost 16 bytes a page.
  if (words_.size() == words_.capacity()) words_.reserve(words_.size() + words_.size() / 4 + 4);
  const uint64_t index = LowerBound(id);
  words_.insert(words_.begin() + static_cast<ptrdiff_t>(index), id << State::kBits | state.bits());
  return PlaceOf(index);
}

}  // namespace opic::page_table
