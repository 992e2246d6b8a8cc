// By which page each page of the sample web is found first: a tree of links from the seed. In a
// web that changes a page of the tree stays as long as it leads to another, and a link of it as
// long as what it leads to, so that every page that is there can be reached at any time.
#pragma once

#include <cstdint>
#include <vector>

#include "sample/web.h"

namespace opic::sample {

// The parent of each page of web.links, an HTML page; of the seed itself.
std::vector<uint32_t> ParentsOf(const Web& web);

}  // namespace opic::sample
