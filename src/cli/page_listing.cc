#include "cli/page_listing.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace opic::cli {

void PrintPages(const std::vector<node::PageImportance>& pages, std::FILE* out) {
  fmt::print(out, "{:>5}  {:>12}  {:>9}  {:<12}  {}\n", "rank", "importance", "x average", "state",
             "URL");
  size_t rank = 0;
  for (const node::PageImportance& page : pages) {
    ++rank;
    if (page.known) {
      fmt::print(out, "{:>5}  {:>12.6g}  {:>9.2f}  {:<12}  {}\n", rank, page.importance,
                 page.relative, page.state, page.url);
    } else {
      fmt::print(out, "{:>5}  {:>12}  {:>9}  {:<12}  {}\n", rank, "-", "-",
                 page.unanswered_by.empty() ? "unknown" : "unanswered", page.url);
    }
  }
}

nlohmann::ordered_json PageJson(const node::PageImportance& page) {
  nlohmann::ordered_json json;
  json["url"] = page.url;
  if (!page.unanswered_by.empty()) {
    json["unanswered_by"] = page.unanswered_by;
    return json;
  }
  json["known"] = page.known;
  if (page.known) {
    json["importance"] = page.importance;
    json["relative"] = page.relative;
    json["age_supplies"] = page.age;
    json["state"] = page.state;
    json["visits"] = page.visits;
    json["fetches"] = page.fetches;
    json["links"] = page.links;
    json["http_status"] = page.http_status;
    if (!page.failure.empty()) json["failure"] = page.failure;
    if (!page.left_out.empty()) json["left_out"] = page.left_out;
    if (!page.canonical.empty()) json["canonical"] = page.canonical;
    if (!page.duplicate_of.empty()) json["duplicate_of"] = page.duplicate_of;
    if (!page.near_duplicate_of.empty()) json["near_duplicate_of"] = page.near_duplicate_of;
    if (!page.similar_to.empty()) json["similar_to"] = page.similar_to;
    json["fetched_at"] = page.fetched_at;
    json["depth"] = page.depth;
    if (!page.referrer.empty()) json["referrer"] = page.referrer;
    json["cash"] = std::to_string(page.cash.units());
  }
  return json;
}

}  // namespace opic::cli
