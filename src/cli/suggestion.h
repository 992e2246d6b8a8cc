// The word that somebody may have meant.
//
// Thread safety: pure.
#pragma once

#include <string>
#include <vector>

namespace opic::cli {

// The one of `words` that is nearest to `typed`: up to a third of its letters are other ones,
// missing, added, or swapped with the next. Empty: none is near.
std::string Nearest(const std::string& typed, const std::vector<std::string>& words);

}  // namespace opic::cli
