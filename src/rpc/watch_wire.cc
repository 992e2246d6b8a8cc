#include "rpc/watch_wire.h"

#include "absl/strings/str_cat.h"
#include "base/reason.h"
#include "base/status_macros.h"
#include "node/typed_url.h"
#include "opic/v1/importance.pb.h"
#include "rpc/answer_wire.h"
#include "rpc/time_wire.h"

namespace opic::rpc {
namespace {

constexpr absl::Duration kPeriodMin = absl::Milliseconds(100), kPeriodMax = absl::Hours(1);

}  // namespace

void ToWire(const WatchQuery& query, v1::WatchRequest* wire) {
  wire->set_count(static_cast<uint32_t>(query.count));
  for (const std::string& url : query.urls) wire->add_urls(url);
  *wire->mutable_period() = WireDuration(query.period);
  wire->set_least_change(query.least_change);
}

absl::StatusOr<WatchQuery> FromWire(const v1::WatchRequest& wire) {
  WatchQuery query;
  query.count = wire.count() == 0 && wire.urls().empty() ? query.count : wire.count();
  const size_t all = query.count + static_cast<size_t>(wire.urls_size());
  if (all > kWatchedMax) {
    return base::WithReason(
        absl::InvalidArgumentError(
            absl::StrCat("count and urls: ", all, " are too many; watch at most ", kWatchedMax)),
        "TOO_MANY_URLS", {{"most", absl::StrCat(kWatchedMax)}});
  }
  for (const std::string& typed : wire.urls()) {
    ASSIGN_OR_RETURN(const url::Url url, node::TypedUrl(typed));
    query.urls.push_back(url.text());
  }
  const absl::Duration period = DurationOf(wire.period());
  if (period != absl::ZeroDuration()) query.period = period;
  if (query.period < kPeriodMin || query.period > kPeriodMax) {
    return absl::InvalidArgumentError(absl::StrCat("period: ", absl::FormatDuration(period),
                                                   " must be from 0.1 seconds to an hour"));
  }
  if (!(wire.least_change() >= 0 && wire.least_change() <= 1))
    return absl::InvalidArgumentError(
        absl::StrCat("least_change: ", wire.least_change(), " must be from 0 to 1"));
  if (wire.least_change() > 0) query.least_change = wire.least_change();
  return query;
}

void ToWire(const WatchChanges& changes, v1::WatchResponse* wire) {
  wire->set_complete(changes.complete);
  for (const RankChange& change : changes.top) {
    v1::RankChange* told = wire->add_top();
    told->set_rank(change.rank);
    told->set_before(change.before);
    ToWire(change.page, told->mutable_page());
  }
  for (const node::PageImportance& page : changes.pages) ToWire(page, wire->add_pages());
  wire->set_known(changes.known);
  wire->set_error_bound(changes.error_bound);
  for (const std::string& name : changes.missing) wire->add_missing_nodes(name);
}

WatchChanges FromWire(const v1::WatchResponse& wire) {
  WatchChanges changes;
  changes.complete = wire.complete();
  for (const v1::RankChange& told : wire.top())
    changes.top.push_back({told.rank(), told.before(), FromWire(told.page())});
  for (const v1::PageImportance& page : wire.pages()) changes.pages.push_back(FromWire(page));
  changes.known = wire.known();
  changes.error_bound = wire.error_bound();
  changes.missing.assign(wire.missing_nodes().begin(), wire.missing_nodes().end());
  return changes;
}

}  // namespace opic::rpc
