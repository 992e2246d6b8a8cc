// What the URL of a page looks like, for the interest in it (schedule/interest.h).
//
// Thread safety: pure.
#pragma once

#include "refresh/category.h"
#include "schedule/interest.h"
#include "url/url.h"

namespace opic::node {

// The forms are the ending of the path, the host, both, and with the directory. Runs of digits
// count alike, in directories: those of years and months are one. `wanted` are from 0 to 1, by
// category: the page is expected to be worth as much as its ending says.
schedule::PageForm FormOf(const url::Url& url, const refresh::Factors& wanted);

}  // namespace opic::node
