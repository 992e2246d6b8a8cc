#include "desk/left_out.h"

#include "absl/strings/str_join.h"
#include "base/check.h"

namespace opic::desk {
namespace {

constexpr int kStatuses = 1000;

// The order is that of the bits on disk.
struct Part {
  bool LeftOut::*is;
  const char* name;
  const char* sentence;
};
constexpr Part kParts[] = {
    {&LeftOut::type, "type",
     "Its content was not downloaded: the type is not on the list of --accept."},
    {&LeftOut::body, "body", "Its content was cut off at --body-max."},
    {&LeftOut::links, "links",
     "It has more links than --links-max, or their URLs take more than 1 MiB plus twice its size; "
     "the rest was left out."},
    {&LeftOut::long_links, "long_links",
     "Links of it were left out because they are longer than 2,048 bytes."},
    {&LeftOut::canonical, "canonical",
     "It names another page of its site as its canonical and pays that page alone; its own links "
     "are followed, and not paid."},
    {&LeftOut::duplicate, "duplicate",
     "It has the content of another page of its site, or nearly, which was read before, and pays "
     "that page alone; its own links are followed, and not paid."},
};

}  // namespace

LeftOut LeftOutOf(const fetch::Response& response, const links::Result& document) {
  LeftOut left_out;
  left_out.type = response.unwanted;
  left_out.body = response.error == fetch::Error::kBodyTooLarge;
  left_out.links = document.truncated;
  left_out.long_links = document.too_long > 0;
  return left_out;
}

uint16_t RowStatusOf(uint16_t status, LeftOut left_out) {
  OPIC_CHECK(status < kStatuses) << status;
  int bits = 0, bit = 1;
  for (const Part& part : kParts) {
    if (left_out.*part.is) bits |= bit;
    bit <<= 1;
  }
  return static_cast<uint16_t>(bits * kStatuses + status);
}

LeftOut LeftOutInRow(int row_status) {
  LeftOut left_out;
  int bits = row_status / kStatuses;
  for (const Part& part : kParts) {
    left_out.*part.is = (bits & 1) != 0;
    bits >>= 1;
  }
  return left_out;
}

int StatusInRow(int row_status) { return row_status % kStatuses; }

std::vector<std::string> NamesOf(LeftOut left_out) {
  std::vector<std::string> names;
  for (const Part& part : kParts) {
    if (left_out.*part.is) names.push_back(part.name);
  }
  return names;
}

std::string Describe(LeftOut left_out) {
  std::vector<std::string> sentences;
  for (const Part& part : kParts) {
    if (left_out.*part.is) sentences.push_back(part.sentence);
  }
  return absl::StrJoin(sentences, " ");
}

}  // namespace opic::desk
