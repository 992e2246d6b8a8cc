// What the sample web is like.
//
// Thread safety: compatible.
#pragma once

#include <cstdint>
#include <string>

namespace opic::sample {

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
};

}  // namespace opic::sample
