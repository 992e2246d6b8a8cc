#include "cli/crawl_json.h"

#include <algorithm>

#include "cli/crawl_summary.h"
#include "cli/page_listing.h"
#include "cli/status_json.h"

namespace opic::cli {

using Json = nlohmann::ordered_json;

Json CrawlJson(std::string_view ended, const node::NodeStats& stats,
               const std::string& nothing_fetched) {
  Json json = {{"ended", ended}};
  const std::string held_back = ended == kLimitEnd ? HeldUpBy(stats) : "";
  if (!held_back.empty()) json["held_back"] = held_back;
  if (!nothing_fetched.empty()) json["nothing_fetched"] = nothing_fetched;
  json["status"] = StatusJson(stats);
  return json;
}

Json TopJson(const std::vector<node::PageImportance>& pages, size_t count) {
  Json json = Json::array();
  for (size_t i = 0; i < std::min(count, pages.size()); ++i) json.push_back(PageJson(pages[i]));
  return json;
}

}  // namespace opic::cli
