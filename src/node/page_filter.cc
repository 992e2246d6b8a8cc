#include "node/page_filter.h"

#include "absl/strings/str_cat.h"
#include "base/quoted.h"
#include "base/status_macros.h"
#include "ledger/rows.h"
#include "node/host_rule_book.h"
#include "url/scope.h"
#include "url/url.h"

namespace opic::node {
namespace {

absl::StatusOr<std::string> DomainOfItsOwn(const std::string& typed) {
  ASSIGN_OR_RETURN(std::string name, HostNamed(typed));
  const std::string domain = url::RegistrableDomain(name);
  if (domain == name) return name;
  return absl::InvalidArgumentError(absl::StrCat(base::Quoted(name),
                                                 " is a part of the registrable domain ", domain,
                                                 "; give that one, or ask for the host"));
}

// `name` is the site's, or ends in it after a dot.
bool IsWithin(std::string_view name, std::string_view site) {
  if (!name.ends_with(site)) return false;
  return name.size() == site.size() || name[name.size() - site.size() - 1] == '.';
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
    absl::StatusOr<std::string> domain = DomainOfItsOwn(typed.domain);
    if (!domain.ok()) return base::WithContext(domain.status(), "domain");
    filter.domain = *std::move(domain);
  }
  if (!typed.state.empty() && !IsState(typed.state)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "state: ", base::Quoted(typed.state),
        " is none; there are unread, fetched, redirect, gone, forbidden, failed and out_of_scope"));
  }
  filter.state = typed.state;
  return filter;
}

bool IsOfSite(const PageFilter& filter, std::string_view url) {
  std::string_view host = url::HostOf(url);
  while (host.ends_with('.')) host.remove_suffix(1);
  if (!filter.host.empty() && host != filter.host) return false;
  if (filter.domain.empty()) return true;
  return IsWithin(host, filter.domain) && url::RegistrableDomain(host) == filter.domain;
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
