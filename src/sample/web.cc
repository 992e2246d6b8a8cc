#include "sample/web.h"

#include "base/encoding.h"
#include "base/rng.h"

namespace opic::sample {

std::string Web::UrlOf(uint32_t page) const {
  return "http://" + SiteOf(page).host + pages[page].target;
}

uint64_t Web::DrawFor(uint32_t page, std::string_view purpose) const {
  return base::Mix64(base::Hash64(purpose, seed) ^ base::Mix64(page));
}

}  // namespace opic::sample
