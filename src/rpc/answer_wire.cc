#include "rpc/answer_wire.h"

#include "absl/time/clock.h"
#include "opic/v1/importance.pb.h"
#include "refresh/page_plan.h"
#include "rpc/enum_words.h"
#include "rpc/time_wire.h"
#include "rpc/waiting_wire.h"

namespace opic::rpc {
v1::RankingMethod MethodToWire(importance::Method method) {
  return ValueOf<v1::RankingMethod>(importance::Name(method));
}

importance::Method MethodFromWire(v1::RankingMethod method) {
  const bool window = method == v1::RANKING_METHOD_WINDOW;
  return window ? importance::Method::kWindow : importance::Method::kPush;
}

void ToWire(const node::PageImportance& page, v1::PageImportance* wire) {
  wire->set_url(page.url);
  wire->set_known(page.known);
  wire->set_importance(page.importance);
  wire->set_relative(page.relative);
  wire->set_age_supplies(page.age);
  wire->set_state(ValueOf<v1::PageState>(page.state));
  wire->set_visits(page.visits);
  wire->set_fetches(page.fetches);
  wire->set_links(page.links);
  wire->set_http_status(page.http_status);
  wire->set_failure(page.failure);
  wire->set_category(page.category);
  wire->set_left_out(page.left_out);
  wire->set_canonical(page.canonical);
  wire->set_duplicate_of(page.duplicate_of);
  wire->set_near_duplicate_of(page.near_duplicate_of);
  wire->set_similar_to(page.similar_to);
  if (page.due == refresh::PagePlan::kAtOnce)
    wire->set_due_at_once(true);
  else if (page.due != refresh::PagePlan::kNever)
    *wire->mutable_due() = WireTime(TimeAt(page.due));
  for (const std::string& text : page.publications) wire->add_publications(text);
  wire->set_change_rate(page.change_rate);
  wire->set_change_rate_deviation(page.change_rate_deviation);
  if (page.fetched_at != 0) *wire->mutable_fetched_at() = WireTime(TimeAt(page.fetched_at));
  wire->set_depth(page.depth);
  wire->set_referrer(page.referrer);
  wire->set_cash(page.cash.units());
  wire->set_unanswered_by(page.unanswered_by);
}

node::PageImportance FromWire(const v1::PageImportance& wire) {
  node::PageImportance page;
  page.url = wire.url();
  page.known = wire.known();
  page.importance = wire.importance();
  page.relative = wire.relative();
  page.age = wire.age_supplies();
  page.state = WordOf(wire.state());
  page.visits = wire.visits();
  page.fetches = wire.fetches();
  page.links = wire.links();
  page.http_status = wire.http_status();
  page.failure = wire.failure();
  page.category = wire.category();
  page.left_out = wire.left_out();
  page.canonical = wire.canonical();
  page.duplicate_of = wire.duplicate_of();
  page.near_duplicate_of = wire.near_duplicate_of();
  page.similar_to = wire.similar_to();
  if (wire.due_at_once())
    page.due = refresh::PagePlan::kAtOnce;
  else if (wire.has_due())
    page.due = SecondsOf(TimeOf(wire.due()));
  page.publications.assign(wire.publications().begin(), wire.publications().end());
  page.change_rate = wire.change_rate();
  page.change_rate_deviation = wire.change_rate_deviation();
  if (wire.has_fetched_at()) page.fetched_at = SecondsOf(TimeOf(wire.fetched_at()));
  page.depth = wire.depth();
  page.referrer = wire.referrer();
  page.cash = cash::Amount(wire.cash());
  page.unanswered_by = wire.unanswered_by();
  return page;
}

void ToWire(const node::PageExplanation& explanation, v1::ExplainUrlResponse* wire) {
  ToWire(explanation.page, wire->mutable_page());
  if (explanation.host) ToWire(*explanation.host, wire->mutable_host());
  wire->set_host_unknown(explanation.host_unknown);
  wire->set_cash_factor(explanation.cash_factor);
  wire->set_interest_factor(explanation.interest_factor);
  if (explanation.trap == url::Trap::kNone) return;
  wire->set_trap(std::string(url::Name(explanation.trap)));
  wire->set_trap_certain(url::IsCertain(explanation.trap));
}

// The trap is what this program takes the URL for: a later release may have more names.
node::PageExplanation FromWire(const v1::ExplainUrlResponse& wire) {
  node::PageExplanation explanation = node::ExplanationOf(FromWire(wire.page()), absl::Now());
  if (wire.has_host()) explanation.host = FromWire(wire.host());
  explanation.host_unknown = wire.host_unknown();
  explanation.cash_factor = wire.cash_factor();
  explanation.interest_factor = wire.interest_factor();
  return explanation;
}

}  // namespace opic::rpc
