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

// The end of a message: `; did you mean "crawl"?`. Empty: nothing is `meant`.
std::string DidYouMean(const std::string& meant);

// Why `typed` is not one of `actions`; empty: it is.
std::string WhyNoAction(const std::string& typed, const std::vector<std::string>& actions);

}  // namespace opic::cli
