#include "sample/words.h"

#include <iterator>

namespace opic::sample {

std::string Word(base::Rng& rng, Charset charset) {
  static constexpr const char* kSyllables[] = {"ba",  "cor", "da", "en",  "fi", "gra", "ho", "in",
                                               "ka",  "lu",  "ma", "nor", "o",  "pe",  "ra", "si",
                                               "tan", "u",   "ve", "wi",  "xa", "ze",  "st", "el"};
  std::string word;
  const uint64_t syllables = 1 + rng.Below(4);
  for (uint64_t i = 0; i < syllables; ++i) word += kSyllables[rng.Below(std::size(kSyllables))];
  if (rng.Below(25) == 0) word += charset == Charset::kLatin1 ? "\xE9" : "\xC3\xA9";  // e acute
  return word;
}

std::string Phrase(base::Rng& rng, Charset charset, uint64_t words) {
  std::string phrase;
  for (uint64_t i = 0; i < words; ++i) {
    if (i > 0) phrase += ' ';
    phrase += Word(rng, charset);
  }
  if (!phrase.empty()) phrase[0] = static_cast<char>(phrase[0] - 'a' + 'A');
  return phrase;
}

}  // namespace opic::sample
