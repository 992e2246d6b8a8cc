#include "links/html_tag.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "links/ascii.h"
#include "links/near_search.h"

namespace opic::links {
namespace {

constexpr std::string_view kNames[] = {
    "",
#define OPIC_TAG(id, name, traits) name,
#include "links/html_tags.inc"
#undef OPIC_TAG
};
constexpr size_t kTagCount = std::size(kNames);
constexpr size_t kNameBytesMax = 16;
static_assert(std::all_of(std::begin(kNames), std::end(kNames),
                          [](std::string_view name) { return name.size() <= kNameBytesMax; }));

// A name in lower case as two numbers, its first byte the lowest; zeros behind it.
struct Key {
  uint64_t first = 0, second = 0;
  size_t size = 0;
  friend constexpr bool operator==(const Key& a, const Key& b) {
    return ((a.first ^ b.first) | (a.second ^ b.second) | (a.size ^ b.size)) == 0;
  }
};

constexpr Key KeyOf(std::string_view name) {
  Key key;
  key.size = name.size();
  for (size_t i = 0; i < name.size(); ++i) {
    uint64_t& half = i < 8 ? key.first : key.second;
    half |= uint64_t{static_cast<uint8_t>(Lower(name[i]))} << i % 8 * 8;
  }
  return key;
}

#ifdef __x86_64__
// The same; reads sixteen bytes. REQUIRES: size <= 16.
Key KeyOfSixteen(const char* name, size_t size) {
  alignas(16) static constexpr uint8_t kKept[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                    255, 255, 255, 255, 255, 255, 255, 255};
  const __m128i kept = Load16(reinterpret_cast<const char*>(kKept) + 16 - size);
  const __m128i bytes = _mm_and_si128(Load16(name), kept);
  const __m128i upper = _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8('A' - 1)),
                                      _mm_cmplt_epi8(bytes, _mm_set1_epi8('Z' + 1)));
  const __m128i lower = _mm_or_si128(bytes, _mm_and_si128(upper, _mm_set1_epi8(0x20)));
  return {static_cast<uint64_t>(_mm_cvtsi128_si64(lower)),
          static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(lower, lower))), size};
}
#endif

constexpr std::array<Key, kTagCount> MakeKeys() {
  std::array<Key, kTagCount> keys{};
  for (size_t tag = 0; tag < kTagCount; ++tag) keys[tag] = KeyOf(kNames[tag]);
  return keys;
}
constexpr std::array<Key, kTagCount> kKeys = MakeKeys();

// Each name has a slot of its own in a table, so that one look tells it, and tells others from it.
constexpr size_t kSlotBits = 12;
constexpr size_t kSlots = size_t{1} << kSlotBits;
static_assert(kTagCount < 256);

constexpr size_t SlotOf(const Key& key, uint64_t factor) {
  return static_cast<size_t>((key.first ^ key.second * 31) * factor >> (64 - kSlotBits));
}

// `meet`: two names have the same slot, and the table is of no use.
constexpr std::array<uint8_t, kSlots> SlotsBy(uint64_t factor, bool& meet) {
  std::array<uint8_t, kSlots> slots{};
  meet = false;
  for (size_t tag = 1; tag < kTagCount && !meet; ++tag) {
    uint8_t& slot = slots[SlotOf(kKeys[tag], factor)];
    meet = slot != 0;
    slot = static_cast<uint8_t>(tag);
  }
  return slots;
}

constexpr uint64_t FactorWithoutMeeting() {
  uint64_t factor = 0x9e3779b97f4a7c15U;
  bool meet = true;
  while (SlotsBy(factor, meet), meet) factor = factor * 6364136223846793005U + 2;
  return factor;
}
constexpr uint64_t kFactor = FactorWithoutMeeting();

constexpr std::array<uint8_t, kSlots> MakeSlots() {
  bool meet = false;
  return SlotsBy(kFactor, meet);
}
constexpr std::array<uint8_t, kSlots> kSlotTable = MakeSlots();

Tag TagOfKey(const Key& key) {
  const uint8_t tag = kSlotTable[SlotOf(key, kFactor)];
  return kKeys[tag] == key ? static_cast<Tag>(tag) : Tag::kOther;
}

constexpr bool Matters(size_t tag) {
  return (kTraits[tag] & (kRawText | kMetadata | kMeaning)) != 0 || kNames[tag] == "svg" ||
         kNames[tag] == "math" || kNames[tag] == "frameset";
}

// Of the bytes at `at` and behind it.
constexpr LetterPairs PairsAt(size_t at) {
  LetterPairs pairs{};
  for (size_t tag = 1; tag < kTagCount; ++tag) {
    const auto ends_name = [](char byte) { return IsSpace(byte) || byte == '/' || byte == '>'; };
    if (Matters(tag)) AddPairs(kNames[tag], at, ends_name, pairs);
  }
  return pairs;
}

}  // namespace

constexpr LetterPairs kFirstPairs = PairsAt(0), kSecondPairs = PairsAt(1);

Tag TagOfName(std::string_view name) {
  return name.size() > kNameBytesMax ? Tag::kOther : TagOfKey(KeyOf(name));
}

Tag TagOfNameIn(std::string_view text, size_t begin, size_t size) {
#ifdef __x86_64__
  if (size <= kNameBytesMax && text.size() - begin >= 16)
    return TagOfKey(KeyOfSixteen(text.data() + begin, size));
#endif
  return TagOfName(text.substr(begin, size));
}

}  // namespace opic::links
