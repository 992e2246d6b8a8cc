// What two texts have in common is told by their sketches.
#include "links/text_sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/rng.h"
#include "links/ascii.h"
#include "links/changing_word.h"

namespace opic::links {
namespace {

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + " ";
  return text;
}

std::vector<std::string> RandomWords(size_t count, base::Rng& rng) {
  std::vector<std::string> words;
  for (size_t i = 0; i < count; ++i) words.push_back("w" + std::to_string(rng.Below(5'000)));
  return words;
}

int DifferencesOf(const std::vector<std::string>& one, const std::vector<std::string>& other) {
  return Differences(SketchOf(Joined(one)), SketchOf(Joined(other)));
}

bool ShareABand(const TextSketch& one, const TextSketch& other) {
  for (size_t band = 0; band < TextSketch::kBands; ++band)
    if (one.bands[band] == other.bands[band]) return true;
  return false;
}

TEST(TextSketchTest, OneTextHasOneSketch) {
  base::Rng rng(1);
  const std::vector<std::string> words = RandomWords(200, rng);
  EXPECT_EQ(SketchOf(Joined(words)), SketchOf(Joined(words)));
  EXPECT_EQ(SketchOf(Joined(words)).words, 200u);
  EXPECT_EQ(SketchOf(""), SketchOf(" "));
  EXPECT_EQ(SketchOf("").words, 0u);
  EXPECT_EQ(SketchOf("one two"), SketchOf("one two "));
}

// A word is in two pairs, of which both texts have their own.
TEST(TextSketchTest, AReplacedWordMakesADifferenceOfFour) {
  base::Rng rng(2);
  const std::vector<std::string> words = RandomWords(300, rng);
  std::vector<std::string> other = words;
  other[100] = "here";
  EXPECT_EQ(DifferencesOf(words, other), 4);
  other[101] = "too";
  EXPECT_EQ(DifferencesOf(words, other), 6);
  other[200] = "there";
  EXPECT_EQ(DifferencesOf(words, other), 10);
}

TEST(TextSketchTest, AnotherOrderIsAnotherText) {
  base::Rng rng(3);
  const std::vector<std::string> words = RandomWords(300, rng);
  std::vector<std::string> other = words;
  std::swap(other[10], other[200]);
  EXPECT_GE(DifferencesOf(words, other), 6);
}

// A name that a page is about counts wherever it stands.
TEST(TextSketchTest, AWordInManyPlacesCountsInEach) {
  base::Rng rng(4);
  std::vector<std::string> one = RandomWords(300, rng), other = one;
  for (size_t at = 0; at < 300; at += 40) one[at] = "cat", other[at] = "dog";
  EXPECT_GT(DifferencesOf(one, other), 18);
}

// A page may show its text once for wide screens and once for narrow ones: what it says must not be
// gone from its sketch.
TEST(TextSketchTest, WhatATextSaysTwiceCountsTwice) {
  base::Rng rng(9);
  const std::string menu = Joined(RandomWords(300, rng));
  for (const int times : {2, 3, 4, 300}) {
    const std::string one = Joined(RandomWords(15, rng)), other = Joined(RandomWords(15, rng));
    std::string many_ones = menu, many_others = menu;
    for (int i = 0; i < times; ++i) many_ones += one, many_others += other;
    EXPECT_GT(Differences(SketchOf(many_ones), SketchOf(many_others)), 35) << times;
  }
}

TEST(TextSketchTest, TextsOfOneRepeatedWordAreDifferentTexts) {
  for (const int times : {64, 65, 100, 1'000, 70'000}) {
    const std::vector<std::string> ones(times, "one"), others(times, "two");
    EXPECT_GT(DifferencesOf(ones, others), 40) << times;
    std::vector<std::string> more = ones;
    more.insert(more.end(), 5, "one");
    if (times < 65'000) {
      EXPECT_LE(DifferencesOf(ones, more), 5) << times;
    }
  }
}

// More pairs than are counted: time and memory stay bounded, and neighbours are found still.
TEST(TextSketchTest, AHugeTextIsComparedToo) {
  base::Rng rng(10);
  std::vector<std::string> words;
  for (int i = 0; i < 400'000; ++i) words.push_back("w" + std::to_string(rng.Below(5'000'000)));
  std::vector<std::string> other = words;
  other[300'000] = "here";
  EXPECT_EQ(DifferencesOf(words, other), 4);
  for (int i = 0; i < 100; ++i) other[100 * i] = "there" + std::to_string(i);
  EXPECT_GT(DifferencesOf(words, other), 60);
}

// Differences fall together seldom: the count is never too high, and too low by little.
TEST(TextSketchTest, DifferencesAreCountedWellUpToThirty) {
  base::Rng rng(5);
  for (int round = 0; round < 200; ++round) {
    const std::vector<std::string> words = RandomWords(400, rng);
    std::vector<std::string> other = words;
    const int runs = 1 + static_cast<int>(rng.Below(7));  // of one word each, apart
    for (int run = 0; run < runs; ++run)
      other[50 * run + 7] = "other" + std::to_string(round * 10 + run);
    const int differences = DifferencesOf(words, other);
    EXPECT_LE(differences, 4 * runs);
    EXPECT_GE(differences, 4 * runs - 8) << round;
    EXPECT_EQ((4 * runs - differences) % 2, 0) << "they go in pairs";
  }
}

TEST(TextSketchTest, TextsWithNothingInCommonDifferInHalfOfAllBits) {
  base::Rng rng(6);
  for (int round = 0; round < 100; ++round) {
    const int differences = DifferencesOf(RandomWords(400, rng), RandomWords(400, rng));
    EXPECT_GT(differences, 90);
    EXPECT_LT(differences, 166);
  }
}

// Scripts without spaces: a paragraph is a word, and not one difference.
TEST(TextSketchTest, LongWordsCountByPiece) {
  const std::string one(600, 'a'), other(600, 'b');
  EXPECT_EQ(SketchOf(one).words, 600 / TextSketch::kWordBytesMax + 1);
  base::Rng rng(7);
  std::string long_one, long_other;
  for (int i = 0; i < 600; ++i) {
    long_one.push_back(static_cast<char>('a' + rng.Below(26)));
    long_other.push_back(static_cast<char>('a' + rng.Below(26)));
  }
  EXPECT_GT(Differences(SketchOf(long_one), SketchOf(long_other)), 40);
}

// What AreNear looks at in the end has to be found first.
TEST(TextSketchTest, NearTextsShareABandAndOthersMostlyDoNot) {
  base::Rng rng(8);
  int near = 0, far = 0;
  constexpr int kRounds = 500;
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<std::string> words = RandomWords(200, rng);
    std::vector<std::string> other = words;
    for (const size_t at : {20, 21, 100}) other[at] = "other" + std::to_string(round);
    near += ShareABand(SketchOf(Joined(words)), SketchOf(Joined(other)));
    std::vector<std::string> half = RandomWords(200, rng);
    std::copy(words.begin(), words.begin() + 100, half.begin());
    far += ShareABand(SketchOf(Joined(words)), SketchOf(Joined(half)));
  }
  EXPECT_GT(near, kRounds * 97 / 100);
  EXPECT_LT(far, kRounds * 2 / 100);
}

TEST(TextSketchTest, WhatLastsIsTheSameWhateverTheNumbers) {
  const auto lasting = [](std::string_view text) { return SketchOf(text).lasting; };
  EXPECT_EQ(lasting("read 17 times on 5 May"), lasting("read 3 times on 17 June 2026"));
  EXPECT_EQ(lasting("seen by 0123456789abcdef"), lasting("seen by"));
  EXPECT_NE(lasting("read 17 times"), lasting("seen 17 times"));
  EXPECT_NE(lasting("read by me"), lasting("me by read"));
  EXPECT_NE(lasting("a b"), lasting("a"));
}

// Wherever it stands, with whatever before and behind it, each word is told by itself.
TEST(TextSketchTest, WhatLastsIsTheTextWithoutTheWordsThatChange) {
  base::Rng rng(7);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<std::string> words, lasting;
    for (uint64_t i = rng.Below(40); i > 0; --i) {
      std::string word;
      for (uint64_t bytes = 1 + rng.Below(rng.Below(4) == 0 ? 40 : 6); bytes > 0; --bytes)
        word += "abcmMayun0159-.,T:Z/\xc3\xa4"[rng.Below(23)];
      words.push_back(word);
      if (!ChangesByItself(word, std::any_of(word.begin(), word.end(), IsDigit)))
        lasting.push_back(word);
    }
    EXPECT_EQ(SketchOf(Joined(words)).lasting, SketchOf(Joined(lasting)).lasting) << Joined(words);
  }
}

TEST(TextSketchTest, WhatIsAddedCountsToo) {
  TextSketch one = SketchOf("one two three"), other = one;
  Flip(12'345, other);
  EXPECT_EQ(Differences(one, other), 1);
  Flip(12'345, one);
  EXPECT_EQ(Differences(one, other), 0);
}

}  // namespace
}  // namespace opic::links
