// What a page is called, and what link it was found by: how it is announced to its owner, and what
// its row begins with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opic::ledger {

struct PageName {
  std::string url;
  uint32_t depth = 0;    // links followed from a seed
  std::string referrer;  // the page whose link it was found by; empty: a seed, or not kept
};

// URL and referrer in one text (docs/formats/store.md): the URL alone where there is no referrer.
// No URL has a zero byte. REQUIRES: a URL.
std::string JoinedName(std::string_view url, std::string_view referrer);
// False: no such text.
bool SplitName(std::string_view text, std::string& url, std::string& referrer);

}  // namespace opic::ledger
