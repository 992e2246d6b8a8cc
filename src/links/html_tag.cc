#include "links/html_tag.h"

#include <array>

#include "links/ascii.h"

namespace opic::links {
namespace {

struct Entry {
  std::string_view name;
  uint16_t traits;
};

constexpr Entry kTags[] = {
    {"", kPlain},
#define OPIC_TAG(id, name, traits) {name, traits},
#include "links/html_tags.inc"
#undef OPIC_TAG
};
constexpr size_t kTagCount = std::size(kTags);

// A table of slots, four for each name, so that most unknown names meet an empty slot at once.
constexpr size_t kSlots = 512;
static_assert(kTagCount * 4 <= kSlots && kTagCount < 256);

// Three of its letters and its length tell a name from nearly all others.
constexpr size_t SlotOf(std::string_view name) {
  if (name.empty()) return 0;
  const auto at = [name](size_t i) { return uint32_t{static_cast<uint8_t>(Lower(name[i]))}; };
  const uint32_t letters = at(0) | at(name.size() / 2) << 8 | at(name.size() - 1) << 16;
  const uint32_t key = letters | static_cast<uint32_t>(name.size()) << 24;
  return static_cast<size_t>(key * 2654435769U >> 16) % kSlots;
}

constexpr std::array<uint8_t, kSlots> MakeSlots() {
  std::array<uint8_t, kSlots> slots{};
  for (size_t tag = 1; tag < kTagCount; ++tag) {
    size_t slot = SlotOf(kTags[tag].name);
    while (slots[slot] != 0) slot = (slot + 1) % kSlots;
    slots[slot] = static_cast<uint8_t>(tag);
  }
  return slots;
}
constexpr std::array<uint8_t, kSlots> kSlotTable = MakeSlots();
constexpr size_t kNameBytesMax = 16;

}  // namespace

Tag TagOfName(std::string_view name) {
  if (name.size() > kNameBytesMax) return Tag::kOther;
  for (size_t slot = SlotOf(name); kSlotTable[slot] != 0; slot = (slot + 1) % kSlots) {
    if (EqualsLower(name, kTags[kSlotTable[slot]].name)) return static_cast<Tag>(kSlotTable[slot]);
  }
  return Tag::kOther;
}

uint16_t TraitsOf(Tag tag) { return kTags[static_cast<size_t>(tag)].traits; }

}  // namespace opic::links
