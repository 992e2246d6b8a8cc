#include "desk/robots_redirects.h"

#include <string>
#include <utility>

#include "base/encoding.h"
#include "cash/amount.h"

namespace opic::desk {
namespace {

constexpr ShardId kCrossHostShard{0xffff};

}  // namespace

bool RobotsRedirects::IsCrossHost(PageId page) { return page.shard() == kCrossHostShard; }

PageId RobotsRedirects::IdOf(const url::Url& robots) {
  return PageId(kCrossHostShard, base::Hash64(robots.text()) & (kPageIdCount - 1));
}

bool RobotsRedirects::Add(RobotsRedirect redirect) {
  const PageId id = IdOf(redirect.robots);
  return waiting_.try_emplace(id, std::move(redirect)).second;
}

std::optional<RobotsRedirects::RobotsRedirect> RobotsRedirects::Take(PageId id) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return std::nullopt;
  RobotsRedirect redirect = std::move(found->second);
  waiting_.erase(found);
  return redirect;
}

schedule::Offers RobotsRedirects::OfferOf(const url::Url& robots) {
  return {0, {{IdOf(robots), std::string(robots.host()), cash::kSupply}}, false};
}

}  // namespace opic::desk
