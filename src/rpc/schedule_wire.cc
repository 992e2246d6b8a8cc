#include "rpc/schedule_wire.h"

#include <cmath>

#include "base/overloaded.h"
#include "opic/v1/session.pb.h"
#include "rpc/host_rules_wire.h"
#include "rpc/lease_wire.h"

namespace opic::rpc {
namespace {

std::optional<PageId> PageOf(uint64_t word) {
  if (!PageId::IsValidWord(word)) return std::nullopt;
  return PageId::FromWord(word);
}

std::optional<ShardId> ShardOf(uint32_t number) {
  if (number > kShardOrNodeMax) return std::nullopt;
  return ShardAt(number);
}

// 0 is the first value, in all releases; the enums call it unspecified, and have another one for
// it.
template <typename Wire>
Wire FirstAsZero(Wire value, Wire first) {
  return value == first ? Wire() : value;
}

void OutcomeToWire(const schedule::Outcome& outcome, v1::Outcome* wire) {
  wire->set_page(outcome.page.word());
  wire->set_host(outcome.host);
  wire->set_result(static_cast<v1::OutcomeResult>(outcome.result));
  wire->set_of_robots(outcome.of_robots);
  wire->set_requested(outcome.requested);
  wire->set_ended_us(absl::ToUnixMicros(outcome.ended));
  wire->set_status(outcome.status);
  wire->set_network_failure(outcome.network_failure);
  wire->set_retry_after_us(absl::ToInt64Microseconds(outcome.retry_after));
  wire->set_crawl_delay_us(
      absl::ToInt64Microseconds(outcome.crawl_delay.value_or(absl::ZeroDuration())));
  wire->set_crawl_delay_read(outcome.crawl_delay.has_value());
  wire->set_address(outcome.address);
  wire->set_address_busy(outcome.address_busy);
  wire->set_no_room(outcome.no_room);
  wire->set_over_budget(outcome.over_budget);
}

std::optional<schedule::ToScheduler> OutcomeFromWire(const v1::Outcome& wire) {
  const std::optional<PageId> page = PageOf(wire.page());
  if (!page || !v1::OutcomeResult_IsValid(wire.result()) || wire.retry_after_us() < 0 ||
      wire.crawl_delay_us() < 0 || wire.over_budget().size() > schedule::kOverBudgetBytesMax)
    return std::nullopt;
  schedule::Outcome outcome;
  outcome.page = *page;
  outcome.host = wire.host();
  outcome.result =
      static_cast<schedule::Result>(FirstAsZero(wire.result(), v1::OUTCOME_RESULT_DONE));
  outcome.of_robots = wire.of_robots();
  outcome.requested = wire.requested();
  outcome.ended = absl::FromUnixMicros(wire.ended_us());
  outcome.status = wire.status();
  outcome.network_failure = wire.network_failure();
  outcome.retry_after = absl::Microseconds(wire.retry_after_us());
  if (wire.crawl_delay_read() || wire.crawl_delay_us() > 0)
    outcome.crawl_delay = absl::Microseconds(wire.crawl_delay_us());
  outcome.address = wire.address();
  outcome.address_busy = wire.address_busy();
  outcome.no_room = wire.no_room();
  outcome.over_budget = wire.over_budget();
  return outcome;
}

void RulesToWire(const std::vector<schedule::HostRule>& rules,
                 google::protobuf::RepeatedPtrField<v1::HostRule>* wire) {
  for (const schedule::HostRule& rule : rules) ToWire(rule, wire->Add());
}

std::optional<std::vector<schedule::HostRule>> RulesFromWire(
    const google::protobuf::RepeatedPtrField<v1::HostRule>& wire) {
  if (static_cast<size_t>(wire.size()) > schedule::kHostRulesMax) return std::nullopt;
  std::vector<schedule::HostRule> rules;
  for (const v1::HostRule& told : wire) {
    std::optional<schedule::HostRule> rule = FromWire(told);
    if (!rule) return std::nullopt;
    rules.push_back(*std::move(rule));
  }
  return rules;
}

void GroupsToWire(const std::vector<schedule::HostGroup>& groups,
                  google::protobuf::RepeatedPtrField<v1::PacedGroup>* wire) {
  for (const schedule::HostGroup& group : groups) {
    v1::PacedGroup* told = wire->Add();
    told->set_name(group.name);
    if (group.delay) told->set_delay_us(absl::ToInt64Microseconds(*group.delay));
    told->set_share(group.share);
    told->set_parallel(group.parallel);
    for (const std::string& host : group.hosts) told->add_hosts(host);
    for (const std::string& domain : group.domains) told->add_domains(domain);
  }
}

std::optional<std::vector<schedule::HostGroup>> GroupsFromWire(
    const google::protobuf::RepeatedPtrField<v1::PacedGroup>& wire) {
  std::vector<schedule::HostGroup> groups;
  size_t members = 0;
  for (const v1::PacedGroup& told : wire) {
    members += static_cast<size_t>(told.hosts_size() + told.domains_size());
    const bool is_share = told.share() >= 0 && told.share() <= 1;  // a NaN is none
    if (told.name().empty() || told.delay_us() < 0 || !is_share ||
        told.parallel() > schedule::kParallelMax || members > schedule::kHostRulesMax ||
        groups.size() == schedule::kHostRulesMax) {
      return std::nullopt;
    }
    schedule::HostGroup& group = groups.emplace_back();
    group.name = told.name();
    if (told.has_delay_us()) group.delay = absl::Microseconds(told.delay_us());
    group.share = told.share();
    group.parallel = told.parallel();
    group.hosts = {told.hosts().begin(), told.hosts().end()};
    group.domains = {told.domains().begin(), told.domains().end()};
  }
  return groups;
}

void PlaceToWire(const schedule::ClusterPlace& place, v1::ClusterPlace* wire) {
  wire->set_self(place.self);
  wire->set_nodes(place.nodes);
}

// An older node says nothing.
template <typename Message>
std::optional<schedule::ClusterPlace> PlaceFromWire(const Message& wire) {
  if (!wire.has_place()) return schedule::ClusterPlace();
  const schedule::ClusterPlace place{wire.place().self(), wire.place().nodes()};
  if (place.nodes > kShardOrNodeMax + 1 || place.self >= place.nodes) return std::nullopt;
  return place;
}

std::optional<schedule::ToScheduler> RulesFromWire(const v1::Rules& wire) {
  auto rules = RulesFromWire(wire.rules());
  auto groups = GroupsFromWire(wire.groups());
  const auto place = PlaceFromWire(wire);
  if (!rules || !groups || !place) return std::nullopt;
  return schedule::Rules{*std::move(rules), *std::move(groups), *place, wire.given_up_again()};
}

// An older node says nothing of the rate, nor of shares.
std::optional<schedule::ToScheduler> CapacityFromWire(const v1::Capacity& wire) {
  if (!(wire.rate_factor() >= 0 && std::isfinite(wire.rate_factor()))) return std::nullopt;
  if (!(wire.refresh_share() >= 0 && wire.refresh_share() <= 1)) return std::nullopt;
  schedule::Capacity capacity{wire.fetches_max(), wire.without_network()};
  if (wire.rate_factor() > 0) capacity.rate_factor = wire.rate_factor();
  if (wire.refresh_share() > 0) capacity.refresh_share = wire.refresh_share();
  return capacity;
}

std::optional<schedule::ToScheduler> HelloFromWire(const v1::Hello& wire) {
  schedule::NodeHello hello;
  hello.node = wire.node();
  hello.fetches_max = wire.fetches_max();
  for (const v1::PageOfHost& item : wire.in_flight()) {
    const std::optional<PageId> page = PageOf(item.page());
    if (!page) return std::nullopt;
    hello.in_flight.push_back({*page, item.host()});
  }
  std::optional<std::vector<schedule::HostRule>> rules = RulesFromWire(wire.rules());
  std::optional<std::vector<schedule::HostGroup>> groups = GroupsFromWire(wire.groups());
  const std::optional<schedule::ClusterPlace> place = PlaceFromWire(wire);
  if (!rules || !groups || !place) return std::nullopt;
  hello.rules = *std::move(rules);
  hello.groups = *std::move(groups);
  hello.place = *place;
  hello.given_up_again = wire.given_up_again();
  if (!wire.has_lending()) return hello;
  const v1::Lending& lending = wire.lending();
  if (lending.nodes() > kShardOrNodeMax + 1 || lending.self() >= lending.nodes() ||
      lending.request_time_max_us() < 0) {
    return std::nullopt;
  }
  hello.lending =
      schedule::Lending{.self = NodeAt(lending.self()),
                        .nodes = lending.nodes(),
                        .process = lending.process(),
                        .request_time_max = absl::Microseconds(lending.request_time_max_us())};
  return hello;
}

std::optional<schedule::ToScheduler> OffersFromWire(const v1::Offers& wire) {
  schedule::Offers offers;
  offers.directive = wire.directive();
  offers.exhausted = wire.exhausted();
  for (const v1::PageOfHost& item : wire.offers()) {
    const std::optional<PageId> page = PageOf(item.page());
    if (!page || item.cash() > cash::kHoldingMax.units()) return std::nullopt;
    std::optional<absl::Time> due;
    if (item.due() > 0) due = absl::FromUnixSeconds(item.due());
    offers.offers.push_back({*page, item.host(), cash::Amount(item.cash()), item.favoured(), due});
  }
  return offers;
}

std::optional<schedule::ToNode> OrdersFromWire(const v1::Orders& wire) {
  schedule::Orders orders;
  for (const v1::Order& item : wire.orders()) {
    const std::optional<PageId> page = PageOf(item.page());
    if (!page) return std::nullopt;
    orders.orders.push_back({*page, item.last_attempt(), item.host_given_up()});
  }
  return orders;
}

}  // namespace

void ToWire(const schedule::ToScheduler& message, v1::ToScheduler* wire) {
  std::visit(
      base::Overloaded{
          [&](const schedule::NodeHello& hello) {
            wire->mutable_hello()->set_node(hello.node);
            wire->mutable_hello()->set_fetches_max(hello.fetches_max);
            for (const schedule::InFlight& page : hello.in_flight) {
              v1::PageOfHost* item = wire->mutable_hello()->add_in_flight();
              item->set_page(page.page.word());
              item->set_host(page.host);
            }
            RulesToWire(hello.rules, wire->mutable_hello()->mutable_rules());
            GroupsToWire(hello.groups, wire->mutable_hello()->mutable_groups());
            PlaceToWire(hello.place, wire->mutable_hello()->mutable_place());
            wire->mutable_hello()->set_given_up_again(hello.given_up_again);
            if (!hello.lending) return;
            v1::Lending* lending = wire->mutable_hello()->mutable_lending();
            lending->set_self(hello.lending->self.value);
            lending->set_nodes(hello.lending->nodes);
            lending->set_process(hello.lending->process);
            lending->set_request_time_max_us(
                absl::ToInt64Microseconds(hello.lending->request_time_max));
          },
          [&](const schedule::Capacity& capacity) {
            wire->mutable_capacity()->set_fetches_max(capacity.fetches_max);
            wire->mutable_capacity()->set_without_network(capacity.without_network);
            wire->mutable_capacity()->set_rate_factor(capacity.rate_factor);
            wire->mutable_capacity()->set_refresh_share(capacity.refresh_share);
          },
          [&](const schedule::Offers& offers) {
            wire->mutable_offers()->set_directive(offers.directive);
            wire->mutable_offers()->set_exhausted(offers.exhausted);
            for (const schedule::Offer& offer : offers.offers) {
              v1::PageOfHost* item = wire->mutable_offers()->add_offers();
              item->set_page(offer.page.word());
              item->set_host(offer.host);
              item->set_cash(offer.cash.units());
              item->set_favoured(offer.favoured);
              if (offer.due) item->set_due(absl::ToUnixSeconds(*offer.due));
            }
          },
          [&](const schedule::Outcome& outcome) {
            OutcomeToWire(outcome, wire->mutable_outcome());
          },
          [&](const schedule::Release& release) {
            wire->mutable_release()->set_shard(release.shard.value);
            wire->mutable_release()->set_shards(release.shards);
          },
          [&](const schedule::Adopt& adopt) {
            wire->mutable_adopt()->set_shard(adopt.shard.value);
            wire->mutable_adopt()->set_hosts(adopt.hosts);
          },
          [&](const schedule::LeaseMessage& sent) { ToWire(sent, wire->mutable_lease_message()); },
          [&](const schedule::Rules& rules) {
            RulesToWire(rules.rules, wire->mutable_rules()->mutable_rules());
            GroupsToWire(rules.groups, wire->mutable_rules()->mutable_groups());
            PlaceToWire(rules.place, wire->mutable_rules()->mutable_place());
            wire->mutable_rules()->set_given_up_again(rules.given_up_again);
          },
      },
      message);
}

void ToWire(const schedule::ToNode& message, v1::ToNode* wire) {
  std::visit(
      base::Overloaded{
          [&](const schedule::Directive& directive) {
            wire->mutable_directive()->set_id(directive.id);
            wire->mutable_directive()->set_strategy(static_cast<v1::Strategy>(directive.strategy));
            wire->mutable_directive()->set_want(directive.want);
          },
          [&](const schedule::Orders& orders) {
            v1::Orders* items = wire->mutable_orders();  // none is a message, too
            for (const schedule::Order& order : orders.orders) {
              v1::Order* item = items->add_orders();
              item->set_page(order.page.word());
              item->set_last_attempt(order.last_attempt);
              item->set_host_given_up(order.host_given_up);
            }
          },
          [&](const schedule::Released& released) {
            wire->mutable_released()->set_shard(released.shard.value);
            wire->mutable_released()->set_hosts(released.hosts);
          },
          [&](const schedule::Adopted& adopted) {
            wire->mutable_adopted()->set_shard(adopted.shard.value);
          },
          [&](const schedule::LeaseMessage& sent) { ToWire(sent, wire->mutable_lease_message()); },
          [&](const schedule::Withheld& withheld) {
            wire->mutable_withheld()->set_pages(withheld.pages);
          },
      },
      message);
}

std::optional<schedule::ToScheduler> FromWire(const v1::ToScheduler& wire) {
  switch (wire.message_case()) {
    case v1::ToScheduler::kHello:
      return HelloFromWire(wire.hello());
    case v1::ToScheduler::kCapacity:
      return CapacityFromWire(wire.capacity());
    case v1::ToScheduler::kOffers:
      return OffersFromWire(wire.offers());
    case v1::ToScheduler::kOutcome:
      return OutcomeFromWire(wire.outcome());
    case v1::ToScheduler::kRelease:
      if (wire.release().shards() > kShardOrNodeMax + 1) return std::nullopt;
      if (!ShardOf(wire.release().shard())) return std::nullopt;
      return schedule::Release{*ShardOf(wire.release().shard()), wire.release().shards()};
    case v1::ToScheduler::kAdopt:
      if (!ShardOf(wire.adopt().shard())) return std::nullopt;
      return schedule::Adopt{*ShardOf(wire.adopt().shard()), wire.adopt().hosts()};
    case v1::ToScheduler::kLeaseMessage:
      return FromWire(wire.lease_message());
    case v1::ToScheduler::kRules:
      return RulesFromWire(wire.rules());
    case v1::ToScheduler::MESSAGE_NOT_SET:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<schedule::ToNode> FromWire(const v1::ToNode& wire) {
  switch (wire.message_case()) {
    case v1::ToNode::kDirective:
      if (!v1::Strategy_IsValid(wire.directive().strategy())) return std::nullopt;
      return schedule::Directive{wire.directive().id(),
                                 static_cast<schedule::StrategyKind>(FirstAsZero(
                                     wire.directive().strategy(), v1::STRATEGY_THRESHOLD_SWEEP)),
                                 wire.directive().want()};
    case v1::ToNode::kOrders:
      return OrdersFromWire(wire.orders());
    case v1::ToNode::kReleased:
      if (!ShardOf(wire.released().shard())) return std::nullopt;
      return schedule::Released{*ShardOf(wire.released().shard()), wire.released().hosts()};
    case v1::ToNode::kAdopted:
      if (!ShardOf(wire.adopted().shard())) return std::nullopt;
      return schedule::Adopted{*ShardOf(wire.adopted().shard())};
    case v1::ToNode::kLeaseMessage:
      return FromWire(wire.lease_message());
    case v1::ToNode::kWithheld:
      return schedule::Withheld{wire.withheld().pages()};
    case v1::ToNode::MESSAGE_NOT_SET:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace opic::rpc
