#include "sample/page_state.h"

namespace opic::sample {

PageState FirstState(const Web& web, uint32_t page) {
  PageState state;
  state.modified = FirstModified(web, page);
  state.reported = state.modified;
  const auto links = web.links.LinksOf(page);
  state.links.assign(links.begin(), links.end());
  return state;
}

absl::Time FirstModified(const Web& web, uint32_t page) {
  constexpr uint64_t kYear = 366 * 86'400;
  return absl::FromUnixSeconds(1'704'067'200 + web.DrawFor(page, "changed") % kYear);
}

}  // namespace opic::sample
