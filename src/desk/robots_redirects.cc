#include "desk/robots_redirects.h"

#include <string>
#include <utility>

#include "base/encoding.h"
#include "cash/amount.h"

namespace opic::desk {
namespace {

constexpr ShardId kErrandShard{0xffff};

}  // namespace

bool RobotsRedirects::IsErrand(PageId page) { return page.shard() == kErrandShard; }

PageId RobotsRedirects::IdOf(const url::Url& robots) {
  return PageId(kErrandShard, base::Hash64(robots.text()) & (kPageIdCount - 1));
}

bool RobotsRedirects::Add(RobotsRedirect errand) {
  const PageId id = IdOf(errand.robots);
  return waiting_.try_emplace(id, std::move(errand)).second;
}

std::optional<RobotsRedirects::RobotsRedirect> RobotsRedirects::Take(PageId id) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return std::nullopt;
  RobotsRedirect errand = std::move(found->second);
  waiting_.erase(found);
  return errand;
}

schedule::Offers RobotsRedirects::OfferOf(const url::Url& robots) {
  return {0, {{IdOf(robots), std::string(robots.host()), cash::kSupply}}, false};
}

}  // namespace opic::desk
