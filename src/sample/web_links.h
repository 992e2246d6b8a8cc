// Who links to whom in the sample web.
#pragma once

#include "base/rng.h"
#include "graph/graph.h"
#include "sample/web.h"

namespace opic::sample {

// The links that a crawler finds, `links_per_page` a page in the mean; more only where the links
// that make every page reachable are more, fewer where hubs would need more than half of all pages
// (7 % fewer at 20 a page, 14 % at 40). About 60 % stay on their site.
// Needs all of `web` but its links.
graph::Graph DrawLinks(const Web& web, double links_per_page, base::Rng rng);

}  // namespace opic::sample
