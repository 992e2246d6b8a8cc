#include "node/host_rule_book.h"

#include "absl/strings/str_cat.h"
#include "base/damaged_folder.h"
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

bool SaysNothing(const schedule::HostRule& rule) {
  return !rule.blocked && !rule.delay && !rule.pages && !rule.bytes;
}

// A public suffix and an address are none.
bool IsRegistrableDomain(const std::string& name) {
  return url::RegistrableDomain("x." + name) == name;
}

absl::StatusOr<std::string> DomainNamed(const std::string& host) {
  if (IsRegistrableDomain(host)) return host;
  const std::string domain = url::RegistrableDomain(host);
  if (domain != host && IsRegistrableDomain(domain)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--domain ", host, ": this is a part of the registrable domain ", domain,
                     "; give that one, or leave out --domain for this host alone"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--domain ", host,
                   ": this is not a registrable domain (a name that somebody can own, such as ",
                   "example.org); leave out --domain for this host alone"));
}

bool IsDelay(absl::Duration delay) {
  return delay >= absl::ZeroDuration() && delay <= HostChange::kDelayMax;
}

bool OnlyLifts(const HostChange& change) {
  return !change.blocked.value_or(false) && !change.delay && !change.pages && !change.bytes;
}

// Why this budget cannot be; empty: it can.
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

absl::Status PatternRefused(const std::string& name) {
  const bool of_domain = name.starts_with("*.") && name.find('*', 1) == std::string::npos;
  return absl::InvalidArgumentError(
      absl::StrCat(base::Quoted(name), ": \"*\" is no wildcard here; give --domain ",
                   of_domain ? name.substr(2) : "example.org",
                   " for a domain with all its hosts, or each host by its name"));
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

absl::StatusOr<schedule::HostRule> Named(const HostChange& change) {
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
    ASSIGN_OR_RETURN(rule.name, DomainNamed(rule.name));
  }
  if (change.delay && !IsDelay(*change.delay))
    return absl::InvalidArgumentError(absl::StrCat(
        "a delay of ", absl::FormatDuration(*change.delay), ": must be from 0s to 24h"));
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

absl::Status CheckNumber(size_t rules) {
  if (rules <= schedule::kHostRulesMax) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "there would be ", rules, " rules for hosts, and at most ", schedule::kHostRulesMax,
      " are kept: block domains instead of hosts, or narrow the scope with "
      "`opic crawl --exclude`"));
}

// No list of public suffixes has less; those lists differ between releases.
bool MayBeDomain(const std::string& name) {
  return name.find('.') != std::string::npos && !name.starts_with('[') && !url::EndsInNumber(name);
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

}  // namespace

absl::StatusOr<std::vector<KeptRule>> ChangeRulesAtRest(const DataFolder& folder,
                                                        const std::vector<HostChange>& changes,
                                                        const std::string& by, absl::Time now) {
  store::RocksOptions options;
  options.read_first = true;
  options.create = false;
  ASSIGN_OR_RETURN(const std::unique_ptr<store::Store> store,
                   store::OpenRocksStore(folder.store(), options));
  ASSIGN_OR_RETURN(const std::unique_ptr<HostRuleBook> book, HostRuleBook::Open(*store));
  RETURN_IF_ERROR(store->BeginWriting());
  return book->Change(changes, by, now);
}

std::string InWords(const schedule::HostRule& rule) {
  std::string words = absl::StrCat(rule.domain ? "the domain " : "", rule.name,
                                   rule.blocked ? " is blocked" : " is not blocked");
  if (rule.delay) {
    absl::StrAppend(&words, ", with a delay of ", absl::FormatDuration(*rule.delay),
                    rule.domain ? " for each of its hosts" : "");
  }
  const auto budget = [&](std::optional<uint64_t> limit, const char* what) {
    if (!limit) return;
    absl::StrAppend(&words,
                    *limit == 0 ? ", without a limit of " : absl::StrCat(", at most ", *limit, " "),
                    what, rule.domain ? " of all its hosts" : "");
  };
  budget(rule.pages, "pages");
  budget(rule.bytes, "bytes");
  return words;
}

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

absl::StatusOr<std::unique_ptr<HostRuleBook>> HostRuleBook::Open(store::Store& store) {
  std::unique_ptr<HostRuleBook> book(new HostRuleBook(store));
  Kept kept;
  const std::unique_ptr<store::Cursor> rows = store.Scan(store::Table::kMeta, kRulePrefix);
  for (; rows->Valid() && rows->key().starts_with(kRulePrefix); rows->Next()) {
    std::optional<KeptRule> rule = DecodeRule(rows->key(), rows->value());
    if (!rule) {
      return base::DamagedFolder(
          absl::StrCat("the rule \"", std::string(rows->key()),
                       "\" of `opic control block` or `host` cannot be read"));
    }
    const Key key(!rule->rule.domain, rule->rule.name);
    kept.emplace(key, *std::move(rule));
  }
  RETURN_IF_ERROR(rows->status());
  book->TakeUp(std::move(kept));
  return book;
}

void HostRuleBook::TakeUp(Kept kept) {
  std::vector<schedule::HostRule> rules;
  for (const auto& [key, each] : kept) rules.push_back(each.rule);
  auto ruled = std::make_shared<const schedule::HostRules>(std::move(rules));
  const absl::MutexLock lock(&mu_);
  kept_ = std::move(kept);
  rules_ = std::move(ruled);
}

HostRuleBook::Kept HostRuleBook::Copy() const {
  const absl::MutexLock lock(&mu_);
  return kept_;
}

std::shared_ptr<const schedule::HostRules> HostRuleBook::rules() const {
  const absl::MutexLock lock(&mu_);
  return rules_;
}

std::vector<schedule::HostRule> HostRuleBook::list() const {
  const absl::MutexLock lock(&mu_);
  std::vector<schedule::HostRule> rules;
  for (const auto& [key, kept] : kept_) rules.push_back(kept.rule);
  return rules;
}

std::vector<KeptRule> HostRuleBook::kept() const {
  const absl::MutexLock lock(&mu_);
  std::vector<KeptRule> all;
  for (const auto& [key, kept] : kept_) all.push_back(kept);
  return all;
}

absl::Status HostRuleBook::CheckUnblocked(const schedule::HostRule& rule, const Kept& kept) {
  std::string_view name = rule.name;
  for (bool itself = true;; itself = false) {
    const auto domain = kept.find(Key(false, std::string(name)));
    const bool other = !itself || !rule.domain;
    if (other && domain != kept.end() && domain->second.rule.blocked) {
      return absl::FailedPreconditionError(absl::StrCat(
          rule.name, " is blocked with its domain: use `opic control unblock --domain ",
          domain->second.rule.name, "`"));
    }
    const size_t dot = name.find('.');
    if (dot == std::string_view::npos) return absl::OkStatus();
    name.remove_prefix(dot + 1);
  }
}

absl::StatusOr<std::vector<KeptRule>> HostRuleBook::Change(const std::vector<HostChange>& changes,
                                                           const std::string& by, absl::Time now) {
  Kept kept = Copy();
  std::vector<KeptRule> changed;
  store::Batch batch;
  for (const HostChange& change : changes) {
    ASSIGN_OR_RETURN(const schedule::HostRule named, Named(change));
    const Key key(!named.domain, named.name);
    // An earlier build took it, and it was never in force: it can only be lifted.
    if (named.name.find('*') != std::string::npos && (!OnlyLifts(change) || !kept.contains(key)))
      return PatternRefused(named.name);
    KeptRule& rule = kept[key];
    if (rule.rule.name.empty()) rule = {.rule = named, .since = now, .by = RuleAuthor(by)};
    const schedule::HostRule before = rule.rule;
    Apply(change, rule.rule);
    if (rule.rule != before) rule.since = now, rule.by = RuleAuthor(by);
    changed.push_back(rule);
    if (SaysNothing(rule.rule)) {
      batch.Delete(store::Table::kMeta, KeyOfRule(named));
      kept.erase(key);
    } else {
      batch.Put(store::Table::kMeta, KeyOfRule(named), EncodeRule(rule));
    }
  }
  RETURN_IF_ERROR(CheckNumber(kept.size()));
  for (size_t i = 0; i < changes.size(); ++i) {
    if (changes[i].blocked == false) RETURN_IF_ERROR(CheckUnblocked(changed[i].rule, kept));
  }
  RETURN_IF_ERROR(store_.Write(batch, store::Sync::kYes));
  TakeUp(std::move(kept));
  return changed;
}

absl::StatusOr<std::vector<KeptRule>> HostRuleBook::Adopt(const std::vector<KeptRule>& told,
                                                          absl::Time now) {
  Kept kept = Copy();
  std::vector<KeptRule> changed;
  store::Batch batch;
  for (const KeptRule& rule : told) {
    RETURN_IF_ERROR(CheckTold(rule, now));
    if (SaysNothing(rule.rule)) continue;
    const auto [known, added] = kept.try_emplace(Key(!rule.rule.domain, rule.rule.name), rule);
    KeptRule& own = known->second;
    const KeptRule both = BothOf(own, rule);
    if (!added && both.rule == own.rule) continue;
    own = both;
    changed.push_back(own);
    batch.Put(store::Table::kMeta, KeyOfRule(own.rule), EncodeRule(own));
  }
  if (changed.empty()) return changed;
  RETURN_IF_ERROR(CheckNumber(kept.size()));
  RETURN_IF_ERROR(store_.Write(batch, store::Sync::kYes));
  TakeUp(std::move(kept));
  return changed;
}

}  // namespace opic::node
