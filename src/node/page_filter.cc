#include "node/page_filter.h"

#include "absl/strings/str_cat.h"
#include "base/quoted.h"
#include "base/status_macros.h"
#include "ledger/rows.h"
#include "node/host_change.h"
#include "refresh/category.h"
#include "refresh/page_plan.h"
#include "url/scope.h"
#include "url/url.h"

namespace opic::node {
namespace {

// `name` is the site's, or ends in it after a dot.
bool IsWithin(std::string_view name, std::string_view site) {
  if (!name.ends_with(site)) return false;
  return name.size() == site.size() || name[name.size() - site.size() - 1] == '.';
}

bool IsOfDomain(std::string_view host, std::string_view domain) {
  return IsWithin(host, domain) && url::RegistrableDomain(host) == domain;
}

}  // namespace

absl::StatusOr<PageFilter> Checked(const PageFilter& typed) {
  PageFilter filter;
  if (!typed.host.empty()) {
    absl::StatusOr<std::string> host = HostNamed(typed.host);
    if (!host.ok()) return base::WithContext(host.status(), "host");
    filter.host = *std::move(host);
  }
  if (!typed.domain.empty()) {
    const absl::StatusOr<std::string> name = HostNamed(typed.domain);
    if (!name.ok()) return base::WithContext(name.status(), "domain");
    ASSIGN_OR_RETURN(filter.domain, DomainNamed(*name, WrittenIn::kQuestion));
  }
  if (!filter.host.empty() && !filter.domain.empty() && !IsOfDomain(filter.host, filter.domain)) {
    return absl::InvalidArgumentError(absl::StrCat("--host ", filter.host,
                                                   ": this is not a host of --domain ",
                                                   filter.domain, "; leave out one of them"));
  }
  if (!typed.state.empty() && !IsState(typed.state)) {
    return absl::InvalidArgumentError(
        absl::StrCat("state: ", base::Quoted(typed.state),
                     " is not one; it must be unread, fetched, redirect, gone, forbidden, failed "
                     "or out_of_scope"));
  }
  filter.state = typed.state;
  if (!typed.category.empty() && !refresh::CategoryNamed(typed.category)) {
    return absl::InvalidArgumentError(
        absl::StrCat("category: ", base::Quoted(typed.category),
                     " is not one; it must be html, xml, feed, schema, pdf or other"));
  }
  filter.category = typed.category;
  return filter;
}

bool IsOfSite(const PageFilter& filter, std::string_view url) {
  std::string_view host = url::HostOf(url);
  while (host.ends_with('.')) host.remove_suffix(1);
  if (!filter.host.empty() && host != filter.host) return false;
  return filter.domain.empty() || IsOfDomain(host, filter.domain);
}

bool IsOfKind(const PageFilter& filter, const ledger::HistoryRow* row) {
  const std::string_view state = row == nullptr ? kUnreadState : ledger::Name(row->kind);
  if (!filter.state.empty() && state != filter.state) return false;
  if (filter.category.empty()) return true;
  if (row == nullptr) return false;
  const std::optional<refresh::PagePlan> plan = refresh::PagePlan::Decode(row->plan);
  return plan && refresh::NameOf(plan->category) == filter.category;
}

bool IsState(std::string_view name) {
  if (name == kUnreadState) return true;
  for (int kind = 0; kind < ledger::kVisitKinds; ++kind) {
    const auto visit = static_cast<ledger::VisitKind>(kind);
    // A page that has not changed is kept as a fetched one.
    if (visit != ledger::VisitKind::kNotModified && name == ledger::Name(visit)) return true;
  }
  return false;
}

}  // namespace opic::node
