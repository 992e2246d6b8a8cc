// Which pages a question is about: those of a host, of a registrable domain, in a state, or of a
// category.
//
// Thread safety: compatible.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace opic::ledger {
struct HistoryRow;
}

namespace opic::node {

inline constexpr char kUnreadState[] = "unread";  // of a page that was never visited

// Of what is given, all must hold.
struct PageFilter {
  std::string host;    // on this host, whatever the port; empty: on any
  std::string domain;  // of this registrable domain, with all its hosts; empty: of any
  std::string state;   // PageImportance::state; empty: in any
  // PageImportance::category, which only pages have whose visits are planned; empty: of any.
  std::string category;

  bool names_site() const { return !host.empty() || !domain.empty(); }
  bool empty() const { return !names_site() && state.empty() && category.empty(); }
};

// As a person has typed it: a host may be a URL on it, names are normalised, without final dots.
// InvalidArgument says which of them is none, or that the host is not one of the domain.
absl::StatusOr<PageFilter> Checked(const PageFilter& typed);

// Whether the page of this normalised URL is of the host and the domain of a checked filter.
bool IsOfSite(const PageFilter& filter, std::string_view url);

// Whether a page is in the state and of the category of a checked filter; without a row it was
// never visited.
bool IsOfKind(const PageFilter& filter, const ledger::HistoryRow* row);

// What there is of states: "unread", "fetched", "redirect" ...
bool IsState(std::string_view name);

}  // namespace opic::node
