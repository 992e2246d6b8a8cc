#include "node/host_change.h"

#include "absl/strings/str_cat.h"
#include "base/quoted.h"
#include "base/status_macros.h"
#include "url/host.h"
#include "url/ip_address.h"
#include "url/scope.h"
#include "url/url.h"

namespace opic::node {
namespace {

constexpr size_t kNameBytesMax = 253;  // of a name that DNS can resolve
constexpr absl::Duration kClocksApartMax = absl::Hours(24);

// A public suffix and an address are none.
bool IsRegistrableDomain(const std::string& name) {
  return url::RegistrableDomain("x." + name) == name;
}

const char* DomainWord(WrittenIn where) {
  return where == WrittenIn::kFile ? "domain " : "--domain ";
}

const char* InsteadOfDomain(WrittenIn where) {
  switch (where) {
    case WrittenIn::kCommand:
      return "leave out --domain";
    case WrittenIn::kQuestion:
      return "use --host";
    case WrittenIn::kFile:
      break;
  }
  return "write \"host\"";
}

bool IsDelay(absl::Duration delay) {
  return delay >= absl::ZeroDuration() && delay <= HostChange::kDelayMax;
}

// What stands behind a host is meant for something, unless it is a single slash.
absl::Status CheckNoPath(const std::string& typed) {
  const size_t end = typed.find_first_of("/?#\\");
  if (end == std::string::npos || (typed[end] == '/' && end + 1 == typed.size()))
    return absl::OkStatus();
  const std::string host = typed.substr(0, end), rest = typed.substr(end + 1);
  const bool address = url::EndsInNumber(host) || url::Bracketed(host).starts_with('[');
  if (address && typed[end] == '/' && rest.find_first_not_of("0123456789") == std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat(base::Quoted(typed),
                     " is a range of addresses, and a rule is for one host or domain: give each "
                     "host as its URLs name it"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(base::Quoted(typed), " is more than a host: give ",
                   host.empty() ? "a name such as www.example.org" : base::Quoted(host),
                   ", or the whole URL with http://; a rule is for all pages of the host"));
}

// No list of public suffixes has less; those lists differ between releases.
bool MayBeDomain(const std::string& name) {
  return name.find('.') != std::string::npos && !name.starts_with('[') && !url::EndsInNumber(name);
}

}  // namespace

absl::StatusOr<std::string> HostNamed(const std::string& typed) {
  const bool whole = typed.find("://") != std::string::npos;
  if (!whole) RETURN_IF_ERROR(CheckNoPath(typed));
  url::Rejected why = url::Rejected::kNone;
  const std::optional<url::Url> url = url::Parse(
      whole ? typed : absl::StrCat("http://", url::Bracketed(typed), "/"), nullptr, &why);
  if (!url) {
    return absl::InvalidArgumentError(absl::StrCat(base::Quoted(typed),
                                                   " is not a host: ", std::string(Name(why)),
                                                   "; give a name such as www.example.org"));
  }
  std::string_view host = url->host();
  while (host.ends_with('.')) host.remove_suffix(1);
  if (host.empty())
    return absl::InvalidArgumentError(
        absl::StrCat(base::Quoted(typed), " is not a host; give a name such as www.example.org"));
  return std::string(host);
}

absl::StatusOr<std::string> DomainNamed(const std::string& host, WrittenIn where) {
  if (IsRegistrableDomain(host)) return host;
  const std::string domain = url::RegistrableDomain(host);
  if (domain != host && IsRegistrableDomain(domain)) {
    return absl::InvalidArgumentError(
        absl::StrCat(DomainWord(where), host, ": this is a part of the registrable domain ", domain,
                     "; give that one, or ", InsteadOfDomain(where), " for this host alone"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(DomainWord(where), host,
                   ": this is not a registrable domain (a name that somebody can own, such as ",
                   "example.org); ", InsteadOfDomain(where), " for this host alone"));
}

bool OnlyLifts(const HostChange& change) {
  return !change.blocked.value_or(false) && !change.delay && !change.pages && !change.bytes;
}

std::string WrongBudget(std::optional<uint64_t> pages, std::optional<uint64_t> bytes) {
  const auto wrong = [](std::optional<uint64_t> limit, const char* what) {
    return limit && *limit > schedule::kBudgetMax
               ? absl::StrCat("a budget of ", *limit, " ", what, ": must be at most 2^60 (",
                              schedule::kBudgetMax, "), 0 for no limit")
               : "";
  };
  const std::string of_pages = wrong(pages, "pages");
  return of_pages.empty() ? wrong(bytes, "bytes") : of_pages;
}

std::string WrongDelay(std::optional<absl::Duration> delay) {
  if (!delay || IsDelay(*delay)) return "";
  return absl::StrCat("a delay of ", absl::FormatDuration(*delay), ": must be from 0s to 24h");
}

absl::StatusOr<schedule::HostRule> RuleNamed(const HostChange& change, WrittenIn where) {
  schedule::HostRule rule;
  rule.domain = change.domain;
  ASSIGN_OR_RETURN(rule.name, HostNamed(change.host));
  // Another release may have taken it for a domain, and other nodes have the rule from there.
  if (OnlyLifts(change)) return rule;
  if (rule.name.size() > kNameBytesMax) {
    return absl::InvalidArgumentError(absl::StrCat(base::Quoted(rule.name), " has ",
                                                   rule.name.size(), " bytes: a host has at most ",
                                                   kNameBytesMax));
  }
  if (change.domain) {
    ASSIGN_OR_RETURN(rule.name, DomainNamed(rule.name, where));
  }
  if (const std::string wrong = WrongDelay(change.delay); !wrong.empty())
    return absl::InvalidArgumentError(wrong);
  if (const std::string wrong = WrongBudget(change.pages, change.bytes); !wrong.empty())
    return absl::InvalidArgumentError(wrong);
  return rule;
}

void Apply(const HostChange& change, schedule::HostRule& rule) {
  if (change.blocked) rule.blocked = *change.blocked;
  if (change.clear_delay) rule.delay.reset();
  if (change.delay) rule.delay = change.delay;
  if (change.clear_budget) rule.pages.reset(), rule.bytes.reset();
  if (change.pages) rule.pages = change.pages;
  if (change.bytes) rule.bytes = change.bytes;
}

absl::Status PatternRefused(const std::string& name, WrittenIn where) {
  const bool of_domain = name.starts_with("*.") && name.find('*', 1) == std::string::npos;
  return absl::InvalidArgumentError(
      absl::StrCat(base::Quoted(name), ": \"*\" is no wildcard here; give ", DomainWord(where),
                   of_domain ? name.substr(2) : "example.org",
                   " for a domain with all its hosts, or each host by its name"));
}

absl::Status CheckTold(const KeptRule& told, absl::Time now) {
  const schedule::HostRule& rule = told.rule;
  const auto invalid = [&rule](const std::string& why) {
    return absl::InvalidArgumentError(
        absl::StrCat("the rule for ", base::Quoted(rule.name), " is invalid: ", why));
  };
  const absl::StatusOr<std::string> name = HostNamed(rule.name);
  if (!name.ok() || *name != rule.name || name->size() > kNameBytesMax) {
    return invalid(
        absl::StrCat("the name must be a host in lower case without a final dot, of at most ",
                     kNameBytesMax, " bytes"));
  }
  if (rule.domain && !MayBeDomain(rule.name))
    return invalid("a domain must have two labels or more, such as example.org");
  if (rule.delay && !IsDelay(*rule.delay)) {
    return invalid(
        absl::StrCat("a delay of ", absl::FormatDuration(*rule.delay), ": must be from 0s to 24h"));
  }
  if (const std::string wrong = WrongBudget(rule.pages, rule.bytes); !wrong.empty())
    return invalid(wrong);
  if (RuleAuthor(told.by) != told.by) {
    return invalid(absl::StrCat("its author must be UTF-8 without control characters, of at most ",
                                kRuleAuthorBytesMax, " bytes"));
  }
  if (told.since > now + kClocksApartMax) {
    return invalid(absl::StrCat("its date ", absl::FormatTime(told.since, absl::UTCTimeZone()),
                                " is more than a day ahead of this node's clock: set the clocks, "
                                "then lift the rule on the node that has it and give it again"));
  }
  return absl::OkStatus();
}

}  // namespace opic::node
