// A web made to try the interest of pages on: hosts with directories, of which a few hold XML.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "schedule/interest.h"

namespace opic::sim {

// Pages lie in directories of some fifty, and these on hosts of eight. Of a page's links most lead
// into its directory, some to its host, one in ten to any page, sooner to the pages with low
// numbers in their directories, and one leads to the page after it. One directory in sixteen is a
// store of data: four in ten of its pages are XML, and half of those show it by their ending.
// Elsewhere one page in a hundred is XML.
struct MadeWeb {
  graph::Graph graph;
  std::vector<bool> xml;                  // by page
  std::vector<schedule::PageForm> forms;  // of their URLs, with `expected` by the ending

  static MadeWeb Of(uint32_t pages, uint64_t seed);
  uint64_t xml_pages() const;
};

}  // namespace opic::sim
