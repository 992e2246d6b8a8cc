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

constexpr size_t SlotOf(std::string_view name) {
  uint32_t hash = 2166136261;
  for (char c : name) hash = (hash ^ static_cast<uint8_t>(Lower(c))) * 16777619;
  return (hash ^ hash >> 15) % kSlots;
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
