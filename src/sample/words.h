// Seeded words: something that looks like text.
#pragma once

#include <string>

#include "base/rng.h"

namespace opic::sample {

enum class Charset { kUtf8, kLatin1 };

// One to four syllables, now and then an accented one, in the bytes of `charset`.
std::string Word(base::Rng& rng, Charset charset);
// `words` of them, separated by spaces, the first one capitalised.
std::string Phrase(base::Rng& rng, Charset charset, uint64_t words);

}  // namespace opic::sample
