#include "sim/made_web.h"

#include <algorithm>

#include "base/rng.h"

namespace opic::sim {
namespace {

constexpr uint32_t kPagesOfDirectory = 50, kDirectoriesOfHost = 8, kLinks = 12;
constexpr uint32_t kStoresOneIn = 16;
constexpr double kXmlOfStore = 0.4, kXmlElsewhere = 0.01, kXmlShown = 0.5;
constexpr double kIntoDirectory = 0.6, kIntoHost = 0.3;
constexpr double kExpectedByEnding = 0.9;

uint32_t DirectoryOf(uint32_t page) { return page / kPagesOfDirectory; }

// Is skewed towards the first ones.
uint32_t Draw(base::Rng& rng, uint32_t first, uint32_t pages, uint32_t all) {
  const double u = rng.Uniform();
  return std::min(first + static_cast<uint32_t>(u * u * pages), all - 1);
}

uint32_t Target(base::Rng& rng, uint32_t page, uint32_t all) {
  const double kind = rng.Uniform();
  if (kind < kIntoDirectory)
    return Draw(rng, DirectoryOf(page) * kPagesOfDirectory, kPagesOfDirectory, all);
  const uint32_t directories = (all + kPagesOfDirectory - 1) / kPagesOfDirectory;
  const uint32_t host = DirectoryOf(page) / kDirectoriesOfHost * kDirectoriesOfHost;
  const uint32_t directory = kind < kIntoDirectory + kIntoHost
                                 ? host + static_cast<uint32_t>(rng.Below(kDirectoriesOfHost))
                                 : static_cast<uint32_t>(rng.Below(directories));
  return Draw(rng, std::min(directory, directories - 1) * kPagesOfDirectory, kPagesOfDirectory,
              all);
}

uint64_t Key(uint64_t level, uint64_t what) { return base::Mix64(level << 56 ^ what); }

schedule::PageForm FormOf(uint32_t page, bool shows_xml) {
  const uint64_t ending = shows_xml ? 1 : 0;
  const uint64_t directory = DirectoryOf(page), host = directory / kDirectoriesOfHost;
  return {
      {Key(0, ending), Key(1, host), Key(2, host << 1 | ending), Key(3, directory << 1 | ending)},
      shows_xml ? kExpectedByEnding : schedule::Interest::kExpected};
}

}  // namespace

MadeWeb MadeWeb::Of(uint32_t pages, uint64_t seed) {
  base::Rng rng(seed);
  MadeWeb web;
  std::vector<graph::Edge> edges;
  for (uint32_t page = 0; page < pages; ++page) {
    const bool store = base::Mix64(base::Mix64(seed) + DirectoryOf(page)) % kStoresOneIn == 0;
    const bool xml = rng.Uniform() < (store ? kXmlOfStore : kXmlElsewhere);
    web.xml.push_back(xml);
    web.forms.push_back(FormOf(page, xml && rng.Uniform() < kXmlShown));
    // The page before leads to it; XML leads on like the rest, but less.
    if (page % kPagesOfDirectory != 0) edges.push_back({page - 1, page});
    for (uint32_t i = 0; i < (xml ? kLinks / 4 : kLinks); ++i)
      edges.push_back({page, Target(rng, page, pages)});
  }
  web.graph = graph::Graph::FromEdges(pages, std::move(edges));
  return web;
}

uint64_t MadeWeb::xml_pages() const {
  return static_cast<uint64_t>(std::count(xml.begin(), xml.end(), true));
}

}  // namespace opic::sim
