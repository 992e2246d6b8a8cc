#include "sample/discovery_tree.h"

namespace opic::sample {

// Breadth first along HTML pages. There is such a way to every page (web.h).
std::vector<uint32_t> ParentsOf(const Web& web) {
  const uint32_t seed = web.sites[0].front;
  std::vector<uint32_t> parents(web.links.pages());
  std::vector<bool> found(web.links.pages());
  std::vector<uint32_t> queue = {seed};
  parents[seed] = seed;
  found[seed] = true;
  for (size_t i = 0; i < queue.size(); ++i) {
    if (web.pages[queue[i]].kind != PageKind::kHtml) continue;
    for (const uint32_t to : web.links.LinksOf(queue[i])) {
      if (found[to]) continue;
      found[to] = true;
      parents[to] = queue[i];
      queue.push_back(to);
    }
  }
  return parents;
}

}  // namespace opic::sample
