#include "desk/left_out.h"

#include <gtest/gtest.h>

#include "url/url.h"

namespace opic::desk {
namespace {

TEST(LeftOutTest, ARowKeepsItBesideTheStatus) {
  for (int bits = 0; bits < 64; ++bits) {
    const LeftOut left_out{(bits & 1) != 0, (bits & 2) != 0,  (bits & 4) != 0,
                           (bits & 8) != 0, (bits & 16) != 0, (bits & 32) != 0};
    for (const uint16_t status : {0, 9, 200, 304, 999}) {
      const uint16_t row = RowStatusOf(status, left_out);
      EXPECT_EQ(LeftOutInRow(row), left_out) << row;
      EXPECT_EQ(StatusInRow(row), status) << row;
      EXPECT_EQ(NamesOf(left_out).empty(), Describe(left_out).empty());
    }
  }
}

// The numbers are on disk.
TEST(LeftOutTest, RowsStayAsTheyAre) {
  EXPECT_EQ(RowStatusOf(200, {}), 200);
  EXPECT_EQ(RowStatusOf(200, {.type = true}), 1200);
  EXPECT_EQ(RowStatusOf(200, {.body = true}), 2200);
  EXPECT_EQ(RowStatusOf(200, {.links = true}), 4200);
  EXPECT_EQ(RowStatusOf(200, {.long_links = true}), 8200);
  EXPECT_EQ(RowStatusOf(200, {.canonical = true}), 16200);
  EXPECT_EQ(RowStatusOf(200, {.duplicate = true}), 32200);
}

TEST(LeftOutTest, ItComesFromTheAnswerAndWhatWasReadOfIt) {
  fetch::Response response;
  links::Result document;
  EXPECT_FALSE(LeftOutOf(response, document).any());
  response.unwanted = true;
  EXPECT_EQ(LeftOutOf(response, document), LeftOut{.type = true});
  response = {};
  response.error = fetch::Error::kBodyTooLarge;
  document.truncated = true;
  document.too_long = 2;
  const LeftOut expected{.body = true, .links = true, .long_links = true};
  EXPECT_EQ(LeftOutOf(response, document), expected);
}

TEST(LeftOutTest, TheWordsNameTheBoundOfUrls) {
  static_assert(url::kUrlBytesMax == 2048);
  EXPECT_NE(Describe(LeftOut{.long_links = true}).find("2,048"), std::string::npos);
}

}  // namespace
}  // namespace opic::desk
