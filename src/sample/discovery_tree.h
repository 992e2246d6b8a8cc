// By which page each page of the sample web is found first: a tree of links from the seed. Pages
// and links of the tree stay for ever in a web that changes, so that every page that is there can
// be reached at any time.
#pragma once

#include <cstdint>
#include <vector>

#include "sample/web.h"

namespace opic::sample {

// The parent of each page of web.links, an HTML page; of the seed itself.
std::vector<uint32_t> ParentsOf(const Web& web);

}  // namespace opic::sample
