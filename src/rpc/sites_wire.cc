#include "rpc/sites_wire.h"

#include "absl/strings/str_cat.h"
#include "opic/v1/importance.pb.h"
#include "rpc/answer_wire.h"

namespace opic::rpc {
namespace {

constexpr uint32_t kSitesUnlessTold = 10;
constexpr size_t kReplyBytesMax = 3'000'000;

}  // namespace

void ToWire(const node::SitesQuery& query, v1::SitesRequest* wire) {
  wire->set_kind(query.kind == node::SiteKind::kGroup    ? v1::SITE_KIND_GROUP
                 : query.kind == node::SiteKind::kDomain ? v1::SITE_KIND_DOMAIN
                                                         : v1::SITE_KIND_HOST);
  wire->set_count(static_cast<uint32_t>(query.count));
}

absl::StatusOr<node::SitesQuery> FromWire(const v1::SitesRequest& wire) {
  if (!v1::SiteKind_IsValid(wire.kind())) {
    return absl::InvalidArgumentError(
        absl::StrCat("kind: there is none with the number ", static_cast<int>(wire.kind())));
  }
  if (wire.count() > kSitesMax) {
    return absl::InvalidArgumentError(absl::StrCat("count: ", wire.count(),
                                                   " are too many; ask for at most ", kSitesMax,
                                                   ", Export gives all pages"));
  }
  node::SitesQuery query;
  if (wire.kind() == v1::SITE_KIND_DOMAIN) query.kind = node::SiteKind::kDomain;
  if (wire.kind() == v1::SITE_KIND_GROUP) query.kind = node::SiteKind::kGroup;
  query.count = wire.count() == 0 ? kSitesUnlessTold : wire.count();
  return query;
}

void ToWire(const node::TopSites& top, v1::SitesResponse* wire) {
  size_t bytes = 0;
  for (const node::Site& site : top.sites) {
    v1::Site* told = wire->add_sites();
    told->set_name(site.name);
    told->set_importance(site.importance);
    told->set_pages(site.pages);
    told->set_unread(site.unread);
    told->set_fetched(site.fetched);
    told->set_failed(site.failed);
    told->set_fetches(site.fetches);
    if (site.bytes) told->set_bytes_received(*site.bytes);
    bytes += told->ByteSizeLong();
    if (bytes > kReplyBytesMax && wire->sites_size() > 1) {
      wire->mutable_sites()->RemoveLast();
      break;
    }
  }
  wire->set_known(top.known);
  wire->set_pages(top.pages);
  wire->set_clock_supplies(top.clock);
  wire->set_error_bound(top.error_bound);
  wire->set_method(MethodToWire(top.method));
  wire->set_importance_missed(top.importance_missed);
  for (const std::string& name : top.missing) wire->add_missing_nodes(name);
}

node::TopSites FromWire(const v1::SitesResponse& wire) {
  node::TopSites top;
  for (const v1::Site& told : wire.sites()) {
    top.sites.push_back({.name = told.name(),
                         .importance = told.importance(),
                         .pages = told.pages(),
                         .unread = told.unread(),
                         .fetched = told.fetched(),
                         .failed = told.failed(),
                         .fetches = told.fetches(),
                         .bytes = told.has_bytes_received()
                                      ? std::optional<uint64_t>(told.bytes_received())
                                      : std::nullopt});
  }
  top.known = wire.known();
  top.pages = wire.pages();
  top.clock = wire.clock_supplies();
  top.error_bound = wire.error_bound();
  top.method = MethodFromWire(wire.method());
  top.importance_missed = wire.importance_missed();
  top.missing.assign(wire.missing_nodes().begin(), wire.missing_nodes().end());
  return top;
}

}  // namespace opic::rpc
