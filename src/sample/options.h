// What the sample web is like.
//
// Thread safety: compatible.
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace opic::sample {

// How the web changes. Rates are means of the web's own days; all that are 0 make a still web.
struct Changes {
  double change_rate = 0;     // changes a page; each page's own is drawn log-normally around it
  double change_spread = 1;   // standard deviation of the rates' logarithm
  double link_change = 0.25;  // of the changes; the others alter the text alone
  double appear_rate = 0;     // new pages, as a share of the pages of the beginning
  double vanish_rate = 0;     // of the pages that are there and may vanish
  double lying_dates = 0;     // share of the hosts whose Last-Modified lies or is missing
  double time_factor = 1;     // the web's time runs so much faster than the wall's
  // Both times are the same then, and nothing has changed yet. In the infinite past: when the web
  // is served. One that is served again with the same start goes on with its history.
  absl::Time start = absl::InfinitePast();
};

struct Options {
  uint64_t seed = 1;
  uint32_t pages = 5'000;  // all that get known, those below included
  uint32_t hosts = 100;
  double links_per_page = 12;     // mean
  double forbidden_share = 0.01;  // pages under a Disallow rule
  double redirect_share = 0.02;   // pages that answer 301 or 302 to another one
  double dead_share = 0.01;       // pages that answer 404
  uint16_t port = 0;              // 0: any free one
  std::string address = "127.0.0.1";
  Changes changes;
};

}  // namespace opic::sample
