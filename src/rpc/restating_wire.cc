#include "rpc/restating_wire.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/quoted.h"
#include "base/status_macros.h"
#include "opic/v1/audit.pb.h"
#include "opic/v1/control.pb.h"
#include "rpc/enum_words.h"
#include "rpc/host_rules_wire.h"
#include "rpc/refresh_wire.h"
#include "rpc/time_wire.h"

namespace opic::rpc {
namespace {

// What both messages have.
template <typename Wire>
void OrderToWire(const node::CrawlOrder& order, Wire* wire) {
  for (const std::string& seed : order.seeds) wire->add_seeds(seed);
  wire->set_scope(ValueOf<v1::CrawlScope>(order.scope));
  using Patterns = std::vector<std::string>;
  for (const std::string& pattern : order.include.value_or(Patterns())) wire->add_include(pattern);
  for (const std::string& pattern : order.exclude.value_or(Patterns())) wire->add_exclude(pattern);
  wire->set_clear_include(order.include && order.include->empty());
  wire->set_clear_exclude(order.exclude && order.exclude->empty());
  if (order.depth) wire->set_depth(*order.depth);
  wire->set_traps(ValueOf<v1::TrapUse>(order.traps));
  wire->set_strip_tracking(order.strip_tracking);
  for (const node::KeptRule& rule : order.hosts) ToWire(rule, wire->add_hosts());
  for (const refresh::Publication& publication : order.publications)
    ToWire(publication, wire->add_publications());
}

template <typename Wire>
absl::StatusOr<node::CrawlOrder> OrderFromWire(const Wire& wire) {
  node::CrawlOrder order;
  order.seeds.assign(wire.seeds().begin(), wire.seeds().end());
  ASSIGN_OR_RETURN(order.scope, WordTold("scope", wire.scope()));
  if (wire.include_size() > 0 || wire.clear_include())
    order.include.emplace(wire.include().begin(), wire.include().end());
  if (wire.exclude_size() > 0 || wire.clear_exclude())
    order.exclude.emplace(wire.exclude().begin(), wire.exclude().end());
  if (wire.has_depth()) order.depth = wire.depth();
  ASSIGN_OR_RETURN(order.traps, WordTold("traps", wire.traps()));
  order.strip_tracking = wire.strip_tracking();
  for (const v1::KeptHostRule& entry : wire.hosts()) {
    std::optional<node::KeptRule> rule = FromWire(entry);
    if (!rule) {
      return absl::InvalidArgumentError(
          absl::StrCat("the rule for ", base::Quoted(entry.rule().name()), ", with a delay of ",
                       absl::FormatDuration(DelayOf(entry.rule()).value_or(absl::ZeroDuration())),
                       ", is invalid: the name must not be "
                       "empty, nor the delay negative"));
    }
    order.hosts.push_back(*std::move(rule));
  }
  for (const v1::Publication& entry : wire.publications()) {
    absl::StatusOr<refresh::Publication> publication = FromWire(entry);
    if (!publication.ok()) {
      return base::WithContext(publication.status(),
                               absl::StrCat("the publication ", absl::Hex(entry.id()), " of ",
                                            base::Quoted(entry.of())));
    }
    order.publications.push_back(*std::move(publication));
  }
  return order;
}

}  // namespace

void ToWire(const node::CrawlOrder& order, v1::BeginCrawlRequest* wire) {
  OrderToWire(order, wire);
  wire->set_again(order.again);
}
void ToWire(const node::CrawlOrder& order, v1::CrawlOrderResponse* wire) {
  OrderToWire(order, wire);
}

absl::StatusOr<node::CrawlOrder> FromWire(const v1::BeginCrawlRequest& wire) {
  ASSIGN_OR_RETURN(node::CrawlOrder order, OrderFromWire(wire));
  order.again = wire.again();
  return order;
}
absl::StatusOr<node::CrawlOrder> FromWire(const v1::CrawlOrderResponse& wire) {
  return OrderFromWire(wire);
}

void ToWire(const node::RestatedPart& part, v1::EndRestatingResponse* wire) {
  wire->set_pages(part.pages);
  wire->set_links(part.links);
  wire->set_off(part.off);
  wire->set_largest(part.largest);
  wire->set_reach(part.reach);
  wire->set_history(part.flow);
  wire->set_corrected(part.corrected);
  wire->set_elsewhere(part.elsewhere);
  wire->set_done(part.done);
}

node::RestatedPart FromWire(const v1::EndRestatingResponse& wire) {
  return {.pages = wire.pages(),
          .links = wire.links(),
          .off = wire.off(),
          .largest = wire.largest(),
          .reach = wire.reach(),
          .flow = wire.history(),
          .corrected = wire.corrected(),
          .elsewhere = wire.elsewhere(),
          .done = wire.done()};
}

}  // namespace opic::rpc
