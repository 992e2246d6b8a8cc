// A seeded synthetic web served over HTTP on loopback: what `opic` crawls when nobody names a seed,
// and what tests crawl.
//
// Some thousand pages over a hundred hosts `siteNN.sample.test` with power-law in-degrees, some
// robots.txt rules, redirects, dead links, an XML feed and a sitemap. The same options give the
// same web, byte for byte. Its exact importance is known (graph::PageRank of the graph that a
// polite crawler sees).
//
// It may change (Options::changes). Then answers, ranks and what is reachable are those of the
// moment of the call.
//
// robots.txt is not one of the pages. /sitemap.xml is: the robots.txt of the first site names it,
// but a page links to it as well, so a crawler that ignores Sitemap lines gets to know the same.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "sample/hit.h"
#include "sample/options.h"

namespace opic::sample {

struct RankedPage {
  std::string url;
  double importance;  // sums to 1 over `exact_ranks()`
};

inline constexpr size_t kHitsMax = 2'000'000;  // later ones are served, but not recorded

// Thread safety: synchronised inside.
class SampleWeb {
 public:
  // Builds the web and starts to serve it. InvalidArgument: options that make no web (web.h,
  // changing_web.h) or no
  // address; Unavailable: cannot listen there.
  // `clock`, the wall's, must outlive it.
  static absl::StatusOr<std::unique_ptr<SampleWeb>> Start(
      const Options& options, base::Clock& clock = base::RealClock::Get());
  virtual ~SampleWeb() = default;  // stops serving
  virtual uint16_t port() const = 0;
  // When its changes begin: another web that is given this goes on with its history.
  virtual absl::Time start() const = 0;
  // The front page of the first host; all pages can be reached from it.
  virtual std::string seed_url() const = 0;
  // For Fetcher's and curl's connect-to: "::127.0.0.1:PORT".
  virtual std::string connect_to() const = 0;
  // Exact importance of every page a crawler with scope "any" gets to know (fetched, forbidden,
  // dead, gone but linked), damping 0.85, forbidden, dead and gone pages without links; best first.
  virtual std::vector<RankedPage> exact_ranks() const = 0;
  // URLs that a polite crawler fetches from the seed (incl. redirects and dead ones, not forbidden
  // ones), sorted.
  virtual std::vector<std::string> reachable() const = 0;
  virtual std::vector<Hit> hits() const = 0;  // in order of their ends, since the start
};

}  // namespace opic::sample
